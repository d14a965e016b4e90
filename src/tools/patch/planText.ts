import { fail, type Result } from '../../base/result';
import type { PrepareContext, ToolResult } from '../../runtime/toolPorts';
import { parsePatchText } from './parse';
import { type PatchPlan, planPatch } from './plan';

/** Works a patch out from its text. A bundle of its own: loaded with the first patch that a model sends. */
export async function planPatchText(
  context: PrepareContext,
  patch: string,
  mostFiles: number,
): Promise<Result<PatchPlan, ToolResult>> {
  const refuse = (why: string) => fail<ToolResult>({ status: 'error', text: `${why} Nothing was written.` });
  const files = parsePatchText(patch);
  if (!files.ok) return refuse(files.error);
  if (files.value.length > mostFiles) {
    return refuse(`The patch is for ${files.value.length} files; at most ${mostFiles} at once.`);
  }
  return planPatch(context, files.value);
}
