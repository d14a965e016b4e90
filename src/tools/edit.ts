import * as z from 'zod';
import text from '../../prompts/tools/edit.md';
import type { Prepared } from '../runtime/toolPorts';
import type { PlannedChange } from '../workspace/port';
import { changeResult, previewOf, subjectOf } from './changing';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { isCrlf, textProblem, toCrlf, toLf } from './lines';
import { nearest, placesOf } from './matching';
import { ended, endedBy, plural, problemResult } from './wording';

const schema = z.strictObject({
  path: z.string().min(1).describe('The file, relative to the workspace.'),
  old: z.string().min(1).describe('The text to replace, exactly as it is in the file.'),
  new: z.string().describe('The text to put in its place.'),
  replace_all: z.boolean().optional().describe('Replace every occurrence; false by default.'),
});

type Arguments = z.output<typeof schema>;

interface Edit {
  readonly change: PlannedChange;
  /** Line numbers, from 1, of the replaced places in the old text. */
  readonly lines: readonly number[];
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const refuse = (message: string): Extract<Prepared<never>, { type: 'answer' }> =>
  ended({ status: 'error', text: message });

export const edit = defineTool<Arguments, Edit>({
  name: 'edit',
  risk: 'write',
  description: describe(text),
  schema,
  prepare: async (args, { workspace, actor }) => {
    const problem = textProblem(args.new);
    if (problem !== null) return refuse(`The new text can't be written: ${problem}. Nothing was changed.`);
    if (toLf(args.old) === toLf(args.new)) {
      return refuse('"old" and "new" are the same: there is nothing to change.');
    }
    const placed = await workspace.place(args.path);
    if (!placed.ok) return endedBy(placed.error);
    const now = await workspace.peek(placed.value);
    if (!now.ok) return endedBy(now.error);
    if (now.value === null) {
      return ended(problemResult({ code: 'missing', path: args.path }, 'Use write to create it.'));
    }
    // Whether the file may be written at all comes first: what it holds is nothing that an edit may tell.
    const allowed = await workspace.plan(placed.value, now.value.bytes, actor);
    if (!allowed.ok) return endedBy(allowed.error);
    const before = decoded(now.value.bytes);
    if (before === null) {
      return endedBy({ code: 'not_utf8', path: placed.value.shown, bytes: now.value.bytes.length });
    }
    const edited = replaced(before, args, placed.value.shown);
    if (edited.type === 'answer') return edited;
    const planned = await workspace.plan(placed.value, Buffer.from(edited.text, 'utf8'), actor);
    if (!planned.ok) return endedBy(planned.error);
    return {
      type: 'ready',
      subjects: [subjectOf(planned.value)],
      preview: previewOf(planned.value),
      plan: { change: planned.value, lines: edited.lines },
    };
  },
  execute: async (_args, { effects }, { change, lines }) => {
    const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.slice(0, 20).join(', ')}`;
    const done = `Edited ${change.path.shown}: ${plural(lines.length, 'replacement')} (${where}).`;
    return changeResult(await effects.write(change), done);
  },
});

function decoded(bytes: Uint8Array): string | null {
  try {
    return bytes.includes(0) ? null : strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

type Replaced =
  | { readonly type: 'text'; readonly text: string; readonly lines: readonly number[] }
  | Extract<Prepared<never>, { type: 'answer' }>;

/** The text with its places replaced. A model writes plain line breaks, also for a file that has CRLF. */
function replaced(before: string, args: Arguments, path: string): Replaced {
  const crlf = isCrlf(before);
  const old = crlf ? toCrlf(args.old) : args.old;
  const places = placesOf(before, old);
  const lines = places.map((place) => before.slice(0, place).split('\n').length);
  if (places.length === 0) {
    return refuse(
      `"old" doesn't occur in ${path}. Nothing was changed. ${nearest(toLf(before), toLf(args.old))}`,
    );
  }
  if (places.length > 1 && args.replace_all !== true) {
    return refuse(
      `"old" occurs ${places.length} times in ${path}, at lines ${lines.slice(0, 20).join(', ')}. Nothing was changed. Give more of the text around the place, or set replace_all.`,
    );
  }
  const wanted = crlf ? toCrlf(args.new) : args.new;
  return { type: 'text', text: before.split(old).join(wanted), lines };
}
