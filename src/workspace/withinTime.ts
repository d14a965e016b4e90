import { type Context, createContext, Script } from 'node:vm';
import { errorCode } from './ioProblem';

interface Guard {
  readonly context: Context & { job?: () => void };
  readonly script: Script;
}

let guard: Guard | null = null;

/**
 * Runs pure, synchronous work and breaks it off after `ms` milliseconds, also inside a single catastrophic regular
 * expression, which nothing else can interrupt (A29). null: it was broken off.
 */
export function withinTime<T>(ms: number, job: () => T): { readonly value: T } | null {
  guard ??= { context: createContext({}), script: new Script('job()') };
  const results: T[] = [];
  guard.context.job = () => {
    results.push(job());
  };
  try {
    guard.script.runInContext(guard.context, { timeout: ms });
    return { value: results[0] as T };
  } catch (error) {
    if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}
