import * as z from 'zod';
import text from '../../prompts/tools/edit.md';
import type { Prepared } from '../runtime/toolPorts';
import type { PlannedChange } from '../workspace/port';
import { changeResult, previewOf, subjectOf } from './changing';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { planEdit, replaced } from './editing';
import { textProblem, toLf } from './lines';
import { ended, plural } from './wording';

const schema = z.strictObject({
  path: z.string().min(1).describe('The file.'),
  old: z.string().min(1).describe('The text to replace.'),
  new: z.string().describe('The text in its place.'),
  replace_all: z.boolean().optional().describe('Every occurrence.'),
});

interface Edit {
  readonly change: PlannedChange;
  readonly lines: readonly number[];
}

const refuse = (message: string): Extract<Prepared<never>, { type: 'answer' }> =>
  ended({ status: 'error', text: message });

export const edit = defineTool<z.output<typeof schema>, Edit>({
  name: 'edit',
  risk: 'write',
  description: describe(text),
  schema,
  prepare: async (args, context) => {
    const problem = textProblem(args.new);
    if (problem !== null) return refuse(`The new text can't be written: ${problem}. Nothing was changed.`);
    if (toLf(args.old) === toLf(args.new)) {
      return refuse('"old" and "new" are the same: there is nothing to change.');
    }
    const planned = await planEdit(context, args.path, (before, shown) => {
      const edited = replaced(before, args, shown, '"old"');
      return edited.type === 'problem' ? edited : { type: 'text', text: edited.text, told: edited.lines };
    });
    if (planned.type === 'answer') return planned;
    const { change, told } = planned;
    return {
      type: 'ready',
      subjects: [subjectOf(change)],
      preview: previewOf(change),
      plan: { change, lines: told },
    };
  },
  execute: async (_args, { effects }, { change, lines }) => {
    const where = lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.slice(0, 20).join(', ')}`;
    const done = `Edited ${change.path.shown}: ${plural(lines.length, 'replacement')} (${where}).`;
    return changeResult(await effects.write(change), done);
  },
});
