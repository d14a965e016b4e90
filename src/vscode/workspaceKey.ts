import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names a workspace for as long as it lies at the same place: by its workspace file, else by its folders. The storage
 * folder that VS Code hands out won't do: a second window on the same folder, or one that comes back before the old
 * extension host has gone, gets another.
 * @param folders absolute real paths, in the order of the window
 * @param workspaceFile absolute path of a saved `*.code-workspace`, or null
 * @returns 20 hexadecimal characters, or null where no folder is open
 */
export function workspaceKey(folders: readonly string[], workspaceFile: string | null): string | null {
  if (folders.length === 0) return null;
  const place = workspaceFile === null ? folders.toSorted().join('\0') : workspaceFile;
  return createHash('sha256').update(place).digest('hex').slice(0, 20);
}

/** A file that lies there while the workspace has unfinished work: all that activation looks at. */
export const markerPath = (globalDir: string, key: string): string => join(globalDir, 'open', key);

export const hasMarker = (globalDir: string, key: string): boolean => existsSync(markerPath(globalDir, key));
