import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SAMPLE_TASK, sampleFiles } from '../../../src/model/rehearsal/sample';

export { makeSampleFolder } from '../../../src/vscode/sampleFolder';
export { SAMPLE_TASK };

/** What in a sample folder is no longer as it was made: "new src/csv.js", sorted by path. */
export async function changedSampleFiles(folder: string): Promise<readonly string[]> {
  const before = new Map(sampleFiles.map((file) => [file.path, file.text]));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const now = new Map<string, string>();
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name);
    now.set(path.slice(folder.length + 1), await readFile(path, 'utf8'));
  }
  const what = (path: string) => (!before.has(path) ? 'new' : now.has(path) ? 'changed' : 'deleted');
  const paths = [...new Set([...before.keys(), ...now.keys()])].sort();
  return paths.filter((path) => before.get(path) !== now.get(path)).map((path) => `${what(path)} ${path}`);
}
