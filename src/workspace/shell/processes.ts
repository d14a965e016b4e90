import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock';
import { errorCode } from '../ioProblem';

/** After SIGTERM a group has this long before SIGKILL. */
export const TERM_GRACE_MS = 150;
const POLL_MS = 10;
const KILL_WAIT_MS = 2000;
const onLinux = process.platform === 'linux';
/** A variable of every command of ours that holds its group's number: how leftovers of a dead host are known. */
export const GROUP_MARK = 'TEAMROOM_COMMAND_GROUP';

/**
 * When a process began, as text that no other process of the same number has: on Linux the boot and the ticks since
 * it (field 22 of `stat`), elsewhere what `ps` says. null: there is no such process.
 */
export async function startTime(pid: number): Promise<string | null> {
  if (!onLinux) {
    const text = (await ps(['-o', 'lstart=', '-p', String(pid)])).trim();
    return text === '' ? null : text;
  }
  const [fields, boot] = await Promise.all([statFields(pid), bootId()]);
  const ticks = fields?.[19];
  return ticks === undefined ? null : `${boot}:${ticks}`;
}

/** Fields of /proc/PID/stat from the third (state) on: the second may hold spaces and brackets. */
async function statFields(pid: number | string): Promise<readonly string[] | null> {
  const text = await textOf(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const bootId = async (): Promise<string> => (await textOf('/proc/sys/kernel/random/boot_id'))?.trim() ?? '';

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return null;
  }
}

/** Processes of a group that still run; the dead that nobody has collected yet don't count. */
export async function groupMembers(pgid: number): Promise<readonly number[]> {
  if (!groupExists(pgid)) return [];
  if (!onLinux) return membersByPs(pgid);
  const members: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    const fields = await statFields(name);
    if (fields?.[2] === String(pgid) && fields[0] !== 'Z' && fields[0] !== 'X') members.push(Number(name));
  }
  return members;
}

async function membersByPs(pgid: number): Promise<readonly number[]> {
  const rows = (await ps(['-A', '-o', 'pid=,pgid=,stat=']))
    .split('\n')
    .map((row) => row.trim().split(/\s+/u));
  return rows
    .filter((row) => row[1] === String(pgid) && !row[2]?.startsWith('Z'))
    .map((row) => Number(row[0]));
}

const ps = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile('/bin/ps', args, { timeout: 5000 }, (error, stdout) => resolve(error === null ? stdout : ''));
  });

/** Whether any process of the group exists, collected or not. */
function groupExists(pgid: number): boolean {
  return signalGroup(pgid, 0);
}

/** Sends a signal to a whole group; false: there is nobody. */
export function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    // macOS says so of a group in which only the dead are left.
    if (errorCode(error) === 'EPERM') return signal === 0;
    throw error;
  }
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });

/** Ends a group: SIGTERM, and what is left after 150 ms SIGKILL. Resolves when nobody runs any more. */
export async function endGroup(pgid: number, clock: Clock): Promise<void> {
  if (!signalGroup(pgid, 'SIGTERM')) return;
  // A stopped process takes SIGTERM only when it goes on.
  signalGroup(pgid, 'SIGCONT');
  if (await isGoneWithin(pgid, clock, TERM_GRACE_MS)) return;
  signalGroup(pgid, 'SIGKILL');
  await isGoneWithin(pgid, clock, KILL_WAIT_MS);
}

async function isGoneWithin(pgid: number, clock: Clock, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += POLL_MS) {
    if ((await groupMembers(pgid)).length === 0) return true;
    await pause(clock, POLL_MS);
  }
  return (await groupMembers(pgid)).length === 0;
}

/**
 * Whether the group is still the one that was recorded: its leader lives and began at that time, or the leader is
 * gone and a member carries the mark that we gave the group. A number that was given to somebody else is neither.
 */
export async function isSameGroup(pgid: number, startedAt: string): Promise<boolean> {
  const now = await startTime(pgid);
  if (now !== null) return now === startedAt && (await groupMembers(pgid)).length > 0;
  if (!onLinux || !startedAt.startsWith(`${await bootId()}:`)) return false;
  for (const pid of await groupMembers(pgid)) {
    const environment = await textOf(`/proc/${pid}/environ`);
    if (environment?.split('\0').includes(`${GROUP_MARK}=${pgid}`)) return true;
  }
  return false;
}
