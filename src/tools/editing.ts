import type { PrepareContext, Prepared } from '../runtime/toolPorts';
import type { PlannedChange } from '../workspace/port';
import { isCrlf, toCrlf, toLf } from './lines';
import { nearest, placesOf } from './matching';
import { ended, endedBy, problemResult } from './wording';

export interface Replacing {
  readonly old: string;
  readonly new: string;
  readonly replace_all?: boolean | undefined;
}

export type Replaced =
  /** `lines`: numbers, from 1, of the replaced places in the text before. */
  | { readonly type: 'text'; readonly text: string; readonly lines: readonly number[] }
  | { readonly type: 'problem'; readonly text: string };

/**
 * The text with its places replaced. A model writes plain line breaks, also for a file that has CRLF.
 * @param what what the sought text is called towards the model
 */
export function replaced(before: string, edit: Replacing, path: string, what: string): Replaced {
  const crlf = isCrlf(before);
  const old = crlf ? toCrlf(edit.old) : edit.old;
  const places = placesOf(before, old);
  const lines = places.map((place) => before.slice(0, place).split('\n').length);
  if (places.length === 0) {
    const near = nearest(toLf(before), toLf(edit.old));
    return { type: 'problem', text: `${what} doesn't occur in ${path}. Nothing was changed. ${near}` };
  }
  if (places.length > 1 && edit.replace_all !== true) {
    return {
      type: 'problem',
      text: `${what} occurs ${places.length} times in ${path}, at lines ${lines.slice(0, 20).join(', ')}. Nothing was changed. Give more of the text around the place, or set replace_all.`,
    };
  }
  const wanted = crlf ? toCrlf(edit.new) : edit.new;
  return { type: 'text', text: before.split(old).join(wanted), lines };
}

/** A file's new text and what is told of it; or why there is none. */
export type Edited<T> =
  | { readonly type: 'text'; readonly text: string; readonly told: T }
  | { readonly type: 'problem'; readonly text: string };

export type PlannedEdit<T> =
  | { readonly type: 'planned'; readonly change: PlannedChange; readonly told: T }
  | Extract<Prepared<never>, { type: 'answer' }>;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Works a change to a text file out, from the text that it has now. */
export async function planEdit<T>(
  { workspace, actor }: PrepareContext,
  path: string,
  edited: (before: string, shown: string) => Edited<T>,
): Promise<PlannedEdit<T>> {
  const placed = await workspace.place(path);
  if (!placed.ok) return endedBy(placed.error);
  const now = await workspace.peek(placed.value);
  if (!now.ok) return endedBy(now.error);
  if (now.value === null) {
    return ended(problemResult({ code: 'missing', path }, 'Use write to create it.'));
  }
  // Whether the file may be written at all comes first: what it holds is nothing that an edit may tell.
  const allowed = await workspace.plan(placed.value, now.value.bytes, actor);
  if (!allowed.ok) return endedBy(allowed.error);
  const before = decoded(now.value.bytes);
  if (before === null) {
    return endedBy({ code: 'not_utf8', path: placed.value.shown, bytes: now.value.bytes.length });
  }
  const after = edited(before, placed.value.shown);
  if (after.type === 'problem') return ended({ status: 'error', text: after.text });
  const planned = await workspace.plan(placed.value, Buffer.from(after.text, 'utf8'), actor);
  if (!planned.ok) return endedBy(planned.error);
  return { type: 'planned', change: planned.value, told: after.told };
}

/** null: not UTF-8 text. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return bytes.includes(0) ? null : strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
