import * as z from 'zod';
import text from '../../prompts/tools/multiedit.md';
import type { PlannedChange } from '../workspace/port';
import { changeResult, previewOf, sameContent, subjectOf } from './changing';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { type Edited, planEdit, replaced } from './editing';
import { textProblem, toLf } from './lines';
import { ended, plural } from './wording';

const MOST_EDITS = 100;

const schema = z.strictObject({
  path: z.string().min(1).describe('The file.'),
  edits: z
    .array(
      z.strictObject({
        old: z.string().min(1),
        new: z.string(),
        replace_all: z.boolean().optional(),
      }),
    )
    .max(MOST_EDITS)
    .describe('The replacements, in order.'),
});

type Edits = z.output<typeof schema>['edits'];

interface MultiEdit {
  readonly change: PlannedChange;
  readonly places: number;
}

export const multiedit = defineTool<z.output<typeof schema>, MultiEdit>({
  name: 'multiedit',
  risk: 'write',
  description: describe(text, { edits: MOST_EDITS }),
  schema,
  prepare: async ({ path, edits }, context) => {
    const problem = editsProblem(edits);
    if (problem !== null) return ended({ status: 'error', text: problem });
    const planned = await planEdit(context, path, (before, shown) => applied(before, edits, shown));
    if (planned.type === 'answer') return planned;
    const { change, told } = planned;
    if (change.beforeHash === change.afterHash) return ended(sameContent(change.path.shown));
    return {
      type: 'ready',
      subjects: [subjectOf(change)],
      preview: previewOf(change),
      plan: { change, places: told },
    };
  },
  execute: async ({ edits }, { effects }, { change, places }) => {
    const done = `Edited ${change.path.shown}: ${plural(edits.length, 'edit')}, ${plural(places, 'replacement')}.`;
    return changeResult(await effects.write(change), done);
  },
});

/** What is wrong with the edits whatever the file holds. */
function editsProblem(edits: Edits): string | null {
  if (edits.length === 0) return '"edits" is empty: there is nothing to change.';
  for (const [index, edit] of edits.entries()) {
    const problem = textProblem(edit.new);
    if (problem !== null) {
      return `The new text of edit ${index + 1} can't be written: ${problem}. Nothing was changed.`;
    }
    if (toLf(edit.old) === toLf(edit.new)) {
      return `"old" and "new" of edit ${index + 1} are the same. Nothing was changed: leave that edit out.`;
    }
  }
  return null;
}

/** The text after all edits, each on what the one before it left; the first that fails fails all. */
function applied(before: string, edits: Edits, shown: string): Edited<number> {
  let now = before;
  let places = 0;
  for (const [index, edit] of edits.entries()) {
    const done = replaced(now, edit, shown, `"old" of edit ${index + 1}`);
    if (done.type === 'problem') {
      const after =
        index === 0 ? '' : ` (Edit ${index + 1} is looked for in the text that edits 1 to ${index} left.)`;
      return { type: 'problem', text: `${done.text}${after}` };
    }
    now = done.text;
    places += done.lines.length;
  }
  return { type: 'text', text: now, told: places };
}
