import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names a workspace for as long as it lies at the same place: by its workspace file, else by its folders. A file in
 * global storage is used because the editor's own workspace state lies in the browser where there is one.
 * @param folders absolute real paths, in the order of the window
 * @param workspaceFile absolute path of a saved `*.code-workspace`, or null
 * @returns 20 hexadecimal characters, or null where no folder is open
 */
export function markerName(folders: readonly string[], workspaceFile: string | null): string | null {
  if (folders.length === 0) return null;
  const place = workspaceFile === null ? folders.toSorted().join('\0') : workspaceFile;
  return createHash('sha256').update(place).digest('hex').slice(0, 20);
}

/** All that activation looks at: a file that lies there while the workspace has unfinished work. */
export const hasMarker = (globalDir: string, name: string): boolean => existsSync(pathOf(globalDir, name));

/** Small and synchronous: it must be there before anything else of the work is. */
export function setMarker(globalDir: string, name: string, isOpen: boolean): void {
  const path = pathOf(globalDir, name);
  if (!isOpen) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(join(globalDir, FOLDER), { recursive: true });
  writeFileSync(path, '');
}

const FOLDER = 'open';

const pathOf = (globalDir: string, name: string): string => join(globalDir, FOLDER, name);
