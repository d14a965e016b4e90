import * as z from 'zod';
import text from '../../prompts/tools/grep.md';
import type { GrepResult, PlacedPath } from '../workspace/port';
import { defineTool, okText } from './defineTool';
import { describe } from './describe';
import { placeFolder } from './placing';
import { endedBy, plural, problemAnswer } from './wording';

const DEFAULT_HITS = 100;
const MOST_HITS = 500;

const schema = z.strictObject({
  pattern: z.string().min(1).describe('The regular expression.'),
  path: z.string().min(1).optional().describe('A file or folder; the workspace by default.'),
  glob: z.string().min(1).optional().describe('Only files that match this glob.'),
  ignore_case: z.boolean().optional().describe('Whether case is ignored; false by default.'),
  limit: z.int().min(1).max(MOST_HITS).optional().describe('How many hits to show at most.'),
});

export const grep = defineTool<z.output<typeof schema>, PlacedPath | null>({
  name: 'grep',
  risk: 'read',
  description: describe(text, { limit: DEFAULT_HITS, most: MOST_HITS }),
  schema,
  prepare: async ({ path }, { workspace }) => {
    const placed = await placeFolder(workspace, path);
    if (!placed.ok) return endedBy(placed.error);
    if (placed.value === null) return { type: 'ready', subjects: [], preview: null, plan: null };
    return {
      type: 'ready',
      subjects: [{ type: 'read', path: placed.value }],
      preview: { type: 'paths', paths: [placed.value.shown] },
      plan: placed.value,
    };
  },
  execute: async ({ pattern, glob, ignore_case, limit }, { workspace, signal }, under) => {
    const query = {
      pattern,
      under,
      glob: glob ?? null,
      ignoreCase: ignore_case ?? false,
      limit: limit ?? DEFAULT_HITS,
    };
    const found = await workspace.grep(query, signal);
    return found.ok ? okText(hitsText(pattern, found.value)) : problemAnswer(found.error);
  },
});

/** Hits by file: a file's path is written once. */
function hitsText(pattern: string, { hits, truncated, skipped }: GrepResult): string {
  const left =
    skipped > 0
      ? `\n[${plural(skipped, 'file was', 'files were')} not searched: binary, too large, secret, or the pattern took too long.]`
      : '';
  if (hits.length === 0) {
    const cut = truncated ? ' The search was broken off before its end.' : '';
    return `Nothing matches "${pattern}" (ignored files are not searched).${cut}${left}`;
  }
  const rows: string[] = [];
  let file: string | null = null;
  for (const hit of hits) {
    if (hit.path !== file) rows.push(hit.path);
    file = hit.path;
    rows.push(`  ${hit.line}: ${hit.text}`);
  }
  const more = truncated
    ? `\n[There are more than ${plural(hits.length, 'hit')}: use a narrower pattern, path or glob.]`
    : '';
  return `${rows.join('\n')}${more}${left}`;
}
