import * as z from 'zod';
import text from '../../prompts/tools/glob.md';
import type { PlacedPath } from '../workspace/port';
import { defineTool, okText } from './defineTool';
import { describe } from './describe';
import { placeFolder } from './placing';
import { endedBy, problemAnswer } from './wording';

const MOST_PATHS = 300;

const schema = z.strictObject({
  pattern: z.string().min(1).describe('The glob.'),
  path: z.string().min(1).optional().describe('The folder to search; the workspace by default.'),
});

export const glob = defineTool<z.output<typeof schema>, PlacedPath | null>({
  name: 'glob',
  risk: 'read',
  description: describe(text, { limit: MOST_PATHS }),
  schema,
  prepare: async ({ path }, { workspace }) => {
    const placed = await placeFolder(workspace, path);
    if (!placed.ok) return endedBy(placed.error);
    const subjects = placed.value === null ? [] : [{ type: 'read' as const, path: placed.value }];
    return { type: 'ready', subjects, preview: null, plan: placed.value };
  },
  execute: async ({ pattern }, { workspace, signal }, path) => {
    const found = await workspace.glob(pattern, path, MOST_PATHS, signal);
    if (!found.ok) return problemAnswer(found.error);
    const { entries, truncated } = found.value;
    if (entries.length === 0) return okText(`No file matches "${pattern}" (ignored files are not searched).`);
    const more = truncated ? `\n[More than ${entries.length} files match: use a narrower pattern.]` : '';
    return okText(`${entries.map((entry) => entry.path).join('\n')}${more}`);
  },
});
