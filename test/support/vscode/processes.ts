import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes of the machine, from /proc; those that end while it looks are left out. */
export async function processes(): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '');
    const stat = await read('stat');
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (afterName[1] === undefined) continue;
    rows.push({ pid: Number(name), parent: Number(afterName[1]), command: await read('cmdline') });
  }
  return rows;
}

/** The processes under `pid`, nearest first. */
export async function descendants(pid: number): Promise<readonly ProcessRow[]> {
  const all = await processes();
  const found: ProcessRow[] = [];
  const parents = [pid];
  for (const parent of parents) {
    for (const row of all.filter((row) => row.parent === parent)) {
      found.push(row);
      parents.push(row.pid);
    }
  }
  return found;
}

/** Kills the hard way; a process that has ended by itself is fine. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process is there and more than a name that its parent has not yet asked about. */
export function isThere(pid: number): boolean {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ESRCH'
    )
      return false;
    throw error;
  }
  return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
}
