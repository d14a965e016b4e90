import * as z from 'zod';
import text from '../../prompts/tools/rm.md';
import { MOST_TREE_BYTES, MOST_TREE_FILES, type PlannedRemoval } from '../workspace/port';
import { filesResult, folderSubject, previewOfAll, subjectOf } from './changing';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { ended, endedBy, plural, treeProblem } from './wording';

const schema = z.strictObject({
  path: z.string().min(1).describe('The file or folder.'),
  recursive: z.boolean().optional().describe('Needed for a folder.'),
});

export const rm = defineTool<z.output<typeof schema>, PlannedRemoval>({
  name: 'rm',
  risk: 'write',
  description: describe(text, { files: MOST_TREE_FILES, mb: MOST_TREE_BYTES / 1_000_000 }),
  schema,
  prepare: async ({ path, recursive }, { workspace, actor }) => {
    const placed = await workspace.place(path);
    if (!placed.ok) return endedBy(placed.error);
    const planned = await workspace.trees.planRemoval(placed.value, actor);
    if (!planned.ok) return ended(treeProblem(planned.error));
    const { what, changes, folders } = planned.value;
    const { shown } = placed.value;
    if (what === 'folder' && recursive !== true) {
      const inside = `${plural(changes.length, 'file')} and ${plural(folders.length - 1, 'folder')}`;
      return ended({
        status: 'error',
        text: `"${shown}" is a folder with ${inside} in it. Nothing was removed. Set recursive to remove it with all of them.`,
      });
    }
    return {
      type: 'ready',
      subjects: [...changes.map(subjectOf), ...folders.map(folderSubject)],
      preview:
        changes.length === 0
          ? { type: 'diff', path: `${shown}/`, before: '', after: null }
          : previewOfAll(changes),
      plan: planned.value,
    };
  },
  execute: async (_args, { effects }, removal) => {
    const { what, changes, path } = removal;
    const size =
      what === 'folder' ? `the folder ${path.shown} (${plural(changes.length, 'file')})` : path.shown;
    return filesResult(await effects.remove(removal), `Removed ${size}.`);
  },
});
