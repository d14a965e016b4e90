import type { Readable } from '../runtime/toolPorts';
import type { Answer, PlacedPath } from '../workspace/port';

/** The folder that a tool starts at: the named one, else the only one; null: all of several. */
export async function placeFolder(
  workspace: Readable,
  path: string | undefined,
): Promise<Answer<PlacedPath | null>> {
  const isRoot = path === undefined || path === '.' || path === './';
  if (isRoot && workspace.folders.length !== 1) return { ok: true, value: null };
  return workspace.place(path ?? '.');
}
