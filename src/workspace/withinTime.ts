import { type Context, createContext, Script } from 'node:vm';
import { errorCode } from './ioProblem';

interface Guard {
  readonly context: Context & { job?: () => void };
  readonly script: Script;
}

let guard: Guard | null = null;

/** The limit is wall time; a process that was kept from running by others gets another chance, this often. */
const MOST_ATTEMPTS = 10;

/**
 * Runs pure, synchronous work and breaks it off after `ms` milliseconds, also inside a single catastrophic regular
 * expression, which nothing else can interrupt (A29). null: it was broken off, having had that time on a processor.
 */
export function withinTime<T>(ms: number, job: () => T): { readonly value: T } | null {
  guard ??= { context: createContext({}), script: new Script('job()') };
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const before = process.cpuUsage();
    const result = attemptWithin(ms, job, guard);
    if (result !== null) return result;
    const used = process.cpuUsage(before);
    if ((used.user + used.system) / 1000 >= ms / 2) return null;
  }
  return null;
}

function attemptWithin<T>(
  ms: number,
  job: () => T,
  { context, script }: Guard,
): { readonly value: T } | null {
  const results: T[] = [];
  context.job = () => {
    results.push(job());
  };
  try {
    script.runInContext(context, { timeout: ms });
    return { value: results[0] as T };
  } catch (error) {
    if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}
