import * as z from 'zod';
import text from '../../prompts/tools/read.md';
import type { Readable } from '../runtime/toolPorts';
import type { PlacedPath } from '../workspace/port';
import { defineTool, errorText, okText } from './defineTool';
import { describe } from './describe';
import { linesOf, numbered } from './lines';
import { bytesText, endedBy, plural, problemAnswer } from './wording';

const MOST_LINES = 2000;
const MOST_CHARS = 60_000;
const LONGEST_LINE = 2000;
/** As large as what may be changed: a file that must be read before it is written can be. */
const MAX_BYTES = 20_000_000;

const schema = z.strictObject({
  path: z.string().min(1).describe('The file.'),
  offset: z.int().min(1).optional().describe('The first line to show, from 1.'),
  limit: z.int().min(1).max(MOST_LINES).optional().describe('How many lines to show.'),
});

export const read = defineTool<z.output<typeof schema>, PlacedPath>({
  name: 'read',
  risk: 'read',
  description: describe(text, {
    lines: MOST_LINES,
    chars: MOST_CHARS,
    line: LONGEST_LINE,
    bytes: MAX_BYTES / 1_000_000,
  }),
  schema,
  prepare: async ({ path }, { workspace }) => {
    const placed = await workspace.place(path);
    if (!placed.ok) return endedBy(placed.error);
    return {
      type: 'ready',
      subjects: [{ type: 'read', path: placed.value }],
      preview: { type: 'paths', paths: [placed.value.shown] },
      plan: placed.value,
    };
  },
  execute: async ({ offset, limit }, { workspace, actor, signal }, path) => {
    const file = await workspace.readText(path, actor, MAX_BYTES);
    if (!file.ok) {
      const more = file.error.code === 'missing' ? await likeNamed(workspace, path.shown, signal) : '';
      return problemAnswer(file.error, more);
    }
    const lines = linesOf(file.value.text);
    const first = offset ?? 1;
    if (lines.length === 0) return okText(`${path.shown} is empty.`);
    if (first > lines.length) {
      return errorText(
        `${path.shown} has only ${plural(lines.length, 'line')}; offset ${first} is beyond its end.`,
      );
    }
    const shown = fitting(lines.slice(first - 1, first - 1 + (limit ?? MOST_LINES)));
    const last = first + shown.length - 1;
    const size = `${plural(lines.length, 'line')}, ${bytesText(file.value.bytes.length)}`;
    const whole = first === 1 && last === lines.length;
    const head = whole ? `${path.shown} (${size})` : `${path.shown}, lines ${first} to ${last} of ${size}`;
    const rest =
      last < lines.length
        ? `\n[${plural(lines.length - last, 'more line')}; go on with offset ${last + 1}]`
        : '';
    return okText(`${head}\n${numbered(shown, first)}${rest}`);
  },
});

/** As many lines as fit, at least one, long ones cut. */
function fitting(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const cut =
      line.length > LONGEST_LINE
        ? `${line.slice(0, LONGEST_LINE)} [… ${line.length - LONGEST_LINE} more characters]`
        : line;
    chars += cut.length + 8;
    if (chars > MOST_CHARS && shown.length > 0) break;
    shown.push(cut);
  }
  return shown;
}

/** Files of the same name elsewhere: the usual mistake is a wrong folder. */
async function likeNamed(workspace: Readable, path: string, signal: AbortSignal): Promise<string> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '' || /[*?[\]{}()!]/u.test(name)) return '';
  const found = await workspace.glob(name, null, 3, signal);
  if (!found.ok || found.value.entries.length === 0) return 'Use list or glob to find it.';
  return `There is: ${found.value.entries.map((entry) => entry.path).join(', ')}.`;
}
