import * as z from 'zod';
import { fail, ok, type Result } from '../base/result';
import type { PrepareContext, Prepared, ToolAnswer, ToolContext, ToolResult } from '../runtime/toolPorts';

/** A tool's risk class decides about permission and about what a manager may do (L-68). */
export type Risk = 'read' | 'write' | 'execute' | 'interact';

export interface ToolOptions<A, P> {
  readonly name: string;
  readonly risk: Risk;
  /** States every condition that the runtime enforces (C-4). */
  readonly description: string;
  readonly schema: z.ZodType<A>;
  /** Answers differ between identical calls by nature (status, read of a room): exempt from the repetition brake (X23). */
  readonly volatile?: boolean;
  /** The command line that a call would run, known from its arguments alone: a manager's reading commands (L-69). */
  readonly commandOf?: (args: A) => string;
  readonly prepare?: (args: A, context: PrepareContext) => Promise<Prepared<P>>;
  readonly execute: (args: A, context: ToolContext, plan: P) => Promise<ToolAnswer>;
}

/** A tool as the loop sees it: the argument types are sealed inside. */
export interface Tool {
  readonly name: string;
  readonly risk: Risk;
  readonly description: string;
  readonly volatile: boolean;
  /** JSON schema that compatible servers accept. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Parses and checks the model's raw arguments; the error is worded for the model. */
  readonly open: (rawArgs: string) => Result<OpenedCall, string>;
}

/** A call whose arguments are known to be right. */
export interface OpenedCall {
  /** Canonical JSON of the checked arguments: what an approval's hash and the repetition brake are taken from. */
  readonly canonicalArgs: string;
  /** The command line it would run; null for a call that runs none. */
  readonly command: string | null;
  prepare(context: PrepareContext): Promise<PreparedCall>;
}

export type PreparedCall =
  | (Omit<Extract<Prepared<never>, { type: 'ready' }>, 'plan'> & {
      execute(context: ToolContext): Promise<ToolAnswer>;
    })
  | Extract<Prepared<never>, { type: 'answer' }>;

export const okText = (text: string): ToolAnswer => ({ type: 'result', result: { status: 'ok', text } });
export const errorText = (text: string): ToolAnswer => ({
  type: 'result',
  result: { status: 'error', text },
});
export const refusedText = (text: string): ToolAnswer => ({
  type: 'result',
  result: { status: 'refused', text },
});
export const errorResult = (text: string): ToolResult => ({ status: 'error', text });

/**
 * Makes a tool from one zod schema, which gives the type, the check and the JSON schema. Arguments are strict: an
 * unknown key is an error that the model sees, not something dropped silently.
 */
export function defineTool<A, P = undefined>(options: ToolOptions<A, P>): Tool {
  return {
    name: options.name,
    risk: options.risk,
    description: options.description,
    volatile: options.volatile ?? false,
    parameters: conservativeSchema(options.schema),
    open: (rawArgs) => {
      const json = parseJson(rawArgs);
      if (!json.ok) return json;
      const checked = options.schema.safeParse(json.value);
      if (!checked.success) {
        return fail(`The arguments of ${options.name} are not valid:\n${z.prettifyError(checked.error)}`);
      }
      return ok(openedCall(options, checked.data));
    },
  };
}

function openedCall<A, P>(options: ToolOptions<A, P>, args: A): OpenedCall {
  return {
    canonicalArgs: canonicalJson(args),
    command: options.commandOf?.(args) ?? null,
    prepare: async (context) => {
      if (options.prepare === undefined) {
        return {
          type: 'ready',
          subjects: [],
          preview: null,
          // A tool without `prepare` has P = undefined by its signature's default.
          execute: (toolContext) => options.execute(args, toolContext, undefined as P),
        };
      }
      const prepared = await options.prepare(args, context);
      if (prepared.type === 'answer') return prepared;
      const { subjects, preview, plan } = prepared;
      return {
        type: 'ready',
        subjects,
        preview,
        execute: (toolContext) => options.execute(args, toolContext, plan),
      };
    },
  };
}

function parseJson(raw: string): Result<unknown, string> {
  // Servers send "" or nothing for a call without arguments (fault 11).
  const text = raw.trim() === '' || raw.trim() === 'null' ? '{}' : raw;
  try {
    const value: unknown = JSON.parse(text);
    return ok(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(
      `The arguments are not valid JSON (${why}). Nothing was done. They may have been cut off: send the call again, complete, in smaller parts if it was long.`,
    );
  }
}

/** JSON with sorted keys, so that equal arguments have equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

const DROPPED_KEYWORDS = new Set(['$schema', 'additionalProperties', 'default']);

/**
 * Only keywords that every compatible server takes (fault 30); the int bounds that zod adds are dropped too, and that
 * a text is not empty: it goes without saying, and would be sent with every request (B4).
 */
function conservativeSchema(schema: z.ZodType): Record<string, unknown> {
  const full = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return cleaned(full) as Record<string, unknown>;
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(
    ([key, part]) =>
      !DROPPED_KEYWORDS.has(key) &&
      !(key === 'minLength' && part === 1) &&
      Math.abs(Number(part)) !== Number.MAX_SAFE_INTEGER,
  );
  return Object.fromEntries(entries.map(([key, part]) => [key, cleaned(part)]));
}
