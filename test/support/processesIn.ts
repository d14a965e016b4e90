import { readdir, readFile, readlink } from 'node:fs/promises';

const PAUSE_MS = 20;

/** Command names of the processes that work in the folder or below it, from /proc. */
export async function processesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const cwd = await readlink(`/proc/${pid}/cwd`);
      if (cwd === folder || cwd.startsWith(`${folder}/`))
        names.push((await readFile(`/proc/${pid}/comm`, 'utf8')).trim());
    } catch (error) {
      // It ended while it was looked at, or is somebody else's.
      if (!['ENOENT', 'EACCES', 'ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
  return names;
}

/** Resolves when exactly so many processes of this name work in the folder; the kernel announces no such thing. */
export async function runningIn(folder: string, name: string, count: number): Promise<void> {
  while ((await processesIn(folder)).filter((each) => each === name).length !== count) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
