import * as z from 'zod';
import text from '../../prompts/tools/write.md';
import type { PlannedChange } from '../workspace/port';
import { changeResult, previewOf, sameContent, subjectOf } from './changing';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { likeBefore, linesOf, textProblem } from './lines';
import { bytesText, ended, endedBy, plural } from './wording';

const MAX_MB = 5;

const schema = z.strictObject({
  path: z.string().min(1).describe('The file.'),
  content: z.string().describe('The whole content of the file.'),
});

export const write = defineTool<z.output<typeof schema>, PlannedChange>({
  name: 'write',
  risk: 'write',
  description: describe(text, { mb: MAX_MB }),
  schema,
  prepare: async ({ path, content }, { workspace, actor }) => {
    const problem = textProblem(content);
    if (problem !== null)
      return ended({ status: 'error', text: `The content can't be written: ${problem}.` });
    const placed = await workspace.place(path);
    if (!placed.ok) return endedBy(placed.error);
    const bytes = Buffer.from(content, 'utf8');
    if (bytes.length > MAX_MB * 1_000_000) {
      return ended({
        status: 'error',
        text: `The content has ${bytesText(bytes.length)}; at most ${MAX_MB} MB can be written at once.`,
      });
    }
    const first = await workspace.plan(placed.value, bytes, actor);
    if (!first.ok) return endedBy(first.error);
    const { before } = first.value;
    const kept = before === null ? content : likeBefore(content, Buffer.from(before).toString('utf8'));
    const planned =
      kept === content ? first : await workspace.plan(placed.value, Buffer.from(kept, 'utf8'), actor);
    if (!planned.ok) return endedBy(planned.error);
    if (planned.value.beforeHash === planned.value.afterHash) return ended(sameContent(placed.value.shown));
    return {
      type: 'ready',
      subjects: [subjectOf(planned.value)],
      preview: previewOf(planned.value),
      plan: planned.value,
    };
  },
  execute: async ({ content }, { effects }, change) => {
    const size = plural(linesOf(content).length, 'line');
    const done =
      change.kind === 'create'
        ? `Created ${change.path.shown}`
        : `Replaced the content of ${change.path.shown}`;
    return changeResult(await effects.write(change), `${done} (${size}).`);
  },
});
