import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SAMPLE_MARKER, sampleFiles } from '../model/rehearsal/sample';

/** Whether Teamroom made this folder for a rehearsal: the rehearsal model runs in no other. */
export const isSampleFolder = (root: string): boolean => existsSync(join(root, SAMPLE_MARKER));

/**
 * Writes the sample into a new folder under `home` and answers its path. An older sample is never touched: the
 * person may still want what a team did there.
 * @throws what the file system says
 */
export async function makeSampleFolder(home: string): Promise<string> {
  await mkdir(home, { recursive: true });
  const taken = new Set(await readdir(home));
  let name = BASE_NAME;
  for (let n = 2; taken.has(name); n++) name = `${BASE_NAME}-${n}`;
  const root = join(home, name);
  await mkdir(root);
  for (const file of sampleFiles) {
    const path = join(root, file.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file.text);
  }
  return root;
}

const BASE_NAME = 'teamroom-sample';
