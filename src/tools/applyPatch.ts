import * as z from 'zod';
import text from '../../prompts/tools/apply_patch.md';
import { filesResult, previewOfAll, subjectOf } from './changing';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { textProblem } from './lines';
import type { PatchPlan } from './patch/plan';
import { bytesText, ended } from './wording';

const MAX_MB = 2;
const MOST_FILES = 100;

const schema = z.strictObject({
  patch: z.string().min(1).describe('The whole patch.'),
});

export const applyPatch = defineTool<z.output<typeof schema>, PatchPlan>({
  name: 'apply_patch',
  risk: 'write',
  description: describe(text, { files: MOST_FILES, mb: MAX_MB }),
  schema,
  prepare: async ({ patch }, context) => {
    const refuse = (why: string) => ended({ status: 'error', text: `${why} Nothing was written.` });
    const bytes = Buffer.byteLength(patch);
    if (bytes > MAX_MB * 1_000_000) return refuse(`The patch has ${bytesText(bytes)}; at most ${MAX_MB} MB.`);
    const problem = textProblem(patch);
    if (problem !== null) return refuse(`The patch can't be used: ${problem}.`);
    const { planPatchText } = await import('./patch/planText');
    const plan = await planPatchText(context, patch, MOST_FILES);
    if (!plan.ok) return ended(plan.error);
    const { changes } = plan.value;
    return {
      type: 'ready',
      subjects: changes.map(subjectOf),
      preview: previewOfAll(changes),
      plan: plan.value,
    };
  },
  execute: async (_args, { effects }, { changes, told }) =>
    filesResult(await effects.writeAll(changes), `Patched: ${told.join('; ')}.`),
});
