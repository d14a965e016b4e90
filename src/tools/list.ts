import * as z from 'zod';
import text from '../../prompts/tools/list.md';
import type { Listing, PlacedPath } from '../workspace/port';
import { defineTool, okText } from './defineTool';
import { describe } from './describe';
import { placeFolder } from './placing';
import { bytesText, endedBy, problemAnswer } from './wording';

const MOST_ENTRIES = 500;
const DEEPEST = 5;

const schema = z.strictObject({
  path: z.string().min(1).optional().describe('The folder, relative to the workspace; its root by default.'),
  depth: z.int().min(1).max(DEEPEST).optional().describe('How many levels to show; 1 by default.'),
});

export const list = defineTool<z.output<typeof schema>, PlacedPath | null>({
  name: 'list',
  risk: 'read',
  description: describe(text, { depth: DEEPEST, limit: MOST_ENTRIES }),
  schema,
  prepare: async ({ path }, { workspace }) => {
    const placed = await placeFolder(workspace, path);
    if (!placed.ok) return endedBy(placed.error);
    const subjects = placed.value === null ? [] : [{ type: 'read' as const, path: placed.value }];
    return { type: 'ready', subjects, preview: null, plan: placed.value };
  },
  execute: async ({ depth }, { workspace, signal }, path) => {
    if (path === null) {
      return okText(
        `The workspace has these folders:\n${workspace.folders.map(({ name }) => `${name}/`).join('\n')}`,
      );
    }
    const found = await workspace.list(path, depth ?? 1, MOST_ENTRIES, signal);
    if (!found.ok) return problemAnswer(found.error);
    return okText(listText(path.shown, found.value));
  },
});

function listText(folder: string, { entries, truncated }: Listing): string {
  if (entries.length === 0) return `${folder} is empty (ignored files are not shown).`;
  const rows = entries.map(({ path, type, bytes }) => {
    if (type === 'folder') return `${path}/`;
    return type === 'link' ? `${path} (link)` : `${path} (${bytesText(bytes)})`;
  });
  const more = truncated ? `\n[More than ${entries.length} entries: name a folder inside.]` : '';
  return `${rows.join('\n')}${more}`;
}
