import * as z from 'zod';
import type { UndoWhat } from '../runtime/engine';
import { TeamroomError } from './commands/desk';

/** What another extension passes is only as good as its own types. */
const name = z.string().min(1).max(32);

export const undoArguments = z
  .strictObject({
    agent: name.nullable(),
    path: z.string().min(1).max(4096).nullable(),
    hunk: z.string().min(1).max(200).nullable(),
  })
  .refine(({ agent, path }) => agent !== null || path === null, 'a file is undone for one agent')
  .refine(({ path, hunk }) => path !== null || hunk === null, 'a hunk is one of a file');
export const redoArguments = z.strictObject({ undo: z.string().regex(/^u\d{1,9}$/) });
export const pauseArguments = z.strictObject({ on: z.boolean() });
export const retryArguments = z.strictObject({ name, other: z.string().max(200).nullable() });
export const acceptArguments = z.strictObject({ name });
export const requestArguments = z.strictObject({ name, words: z.string().max(1_000_000) });

/** @throws TeamroomError `bad_argument`, with what is wrong */
export function given<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TeamroomError('bad_argument', z.prettifyError(parsed.error));
}

export function undoWhat({ agent, path, hunk }: z.infer<typeof undoArguments>): UndoWhat {
  if (agent === null) return { type: 'task' };
  if (path === null) return { type: 'member', agent };
  return hunk === null ? { type: 'file', agent, path } : { type: 'hunk', agent, path, hunk };
}
