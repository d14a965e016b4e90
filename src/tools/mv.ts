import * as z from 'zod';
import text from '../../prompts/tools/mv.md';
import { MOST_TREE_BYTES, MOST_TREE_FILES, type PlannedChange, type PlannedMove } from '../workspace/port';
import { folderSubject, subjectOf } from './changing';
import { defineTool, okText } from './defineTool';
import { describe } from './describe';
import { ended, endedBy, plural, problemAnswer, treeProblem } from './wording';

const schema = z.strictObject({
  from: z.string().min(1).describe('The file or folder.'),
  to: z.string().min(1).describe('Its whole new path, not the folder to put it in.'),
});

export const mv = defineTool<z.output<typeof schema>, PlannedMove>({
  name: 'mv',
  risk: 'write',
  description: describe(text, { files: MOST_TREE_FILES, mb: MOST_TREE_BYTES / 1_000_000 }),
  schema,
  prepare: async ({ from, to }, { workspace, actor }) => {
    const [source, target] = [await workspace.place(from), await workspace.place(to)];
    if (!source.ok) return endedBy(source.error);
    if (!target.ok) return endedBy(target.error);
    if (source.value.real === target.value.real) {
      return ended({ status: 'error', text: '"from" and "to" are the same: there is nothing to move.' });
    }
    const planned = await workspace.trees.planMove(source.value, target.value, actor);
    if (!planned.ok) {
      const more =
        planned.error.code === 'exists'
          ? 'Nothing is overwritten: give the whole new path, or remove what is there first.'
          : '';
      return ended(treeProblem(planned.error, more));
    }
    const { changes, folders } = planned.value;
    const paths = (kind: PlannedChange['kind']) =>
      changes.flatMap((change) => (change.kind === kind ? [`${change.path.shown}\n`] : [])).join('');
    return {
      type: 'ready',
      subjects: [...changes.map(subjectOf), ...folders.map(folderSubject)],
      preview: {
        type: 'diff',
        path: `${source.value.shown} → ${target.value.shown}`,
        before: paths('delete'),
        after: paths('create'),
      },
      plan: planned.value,
    };
  },
  execute: async (_args, { effects }, move) => {
    const moved = await effects.move(move);
    if (!moved.ok) return problemAnswer(moved.error);
    const files = plural(move.changes.length / 2, 'file');
    const size = move.what === 'folder' ? ` (a folder with ${files})` : '';
    return okText(`Moved ${move.from.shown} to ${move.to.shown}${size}.`);
  },
});
