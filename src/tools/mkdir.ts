import * as z from 'zod';
import text from '../../prompts/tools/mkdir.md';
import type { PlannedFolder } from '../workspace/port';
import { folderSubject } from './changing';
import { defineTool, okText } from './defineTool';
import { describe } from './describe';
import { ended, endedBy, problemAnswer, problemResult } from './wording';

const schema = z.strictObject({
  path: z.string().min(1).describe('The folder.'),
});

export const mkdir = defineTool<z.output<typeof schema>, PlannedFolder>({
  name: 'mkdir',
  risk: 'write',
  description: describe(text),
  schema,
  prepare: async ({ path }, { workspace }) => {
    const placed = await workspace.place(path);
    if (!placed.ok) return endedBy(placed.error);
    const planned = await workspace.trees.planFolder(placed.value);
    if (!planned.ok) {
      const isFile = planned.error.code === 'exists';
      return ended(problemResult(planned.error, isFile ? 'It is a file, not a folder.' : ''));
    }
    const { shown } = placed.value;
    if (planned.value.exists) return ended({ status: 'ok', text: `${shown} is a folder already.` });
    return {
      type: 'ready',
      subjects: [folderSubject(placed.value)],
      preview: { type: 'diff', path: `${shown}/`, before: null, after: '' },
      plan: planned.value,
    };
  },
  execute: async (_args, { effects }, folder) => {
    const made = await effects.makeFolder(folder);
    return made.ok ? okText(`Made the folder ${folder.path.shown}.`) : problemAnswer(made.error);
  },
});
