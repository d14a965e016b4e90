import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { createWhole } from './atomicFile';
import { errorCode } from './files';

/**
 * One small file per epoch in the workspace's folder of leases; the highest number is the lease. A number is taken
 * by making its file, which the file system grants once. The newest file is never deleted, so numbers never fall.
 */
const leaseSchema = z.object({
  pid: z.number().int(),
  host: z.string(),
  epoch: z.number().int().positive(),
  /** Where the holder listens; null once it has given the lease back. */
  socket: z.string().nullable(),
});

export type LeaseRecord = z.infer<typeof leaseSchema>;

const NAME = /^([0-9]{1,15})\.json$/;

const epochsIn = (names: readonly string[]): number[] =>
  names.flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [Number(match[1])];
  });

/** The highest epoch that anyone has taken; 0 when none has. */
export async function newestEpoch(folder: string): Promise<number> {
  try {
    return Math.max(0, ...epochsIn(await fs.readdir(folder)));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** The lease of the newest epoch. `record` is null when its file can't be made sense of: nobody can be asked. */
export async function readLease(
  folder: string,
): Promise<{ readonly epoch: number; readonly record: LeaseRecord | null }> {
  const epoch = await newestEpoch(folder);
  if (epoch === 0) return { epoch, record: null };
  try {
    const text = await fs.readFile(join(folder, `${epoch}.json`), 'utf8');
    const parsed = leaseSchema.safeParse(JSON.parse(text));
    return { epoch, record: parsed.success ? parsed.data : null };
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return { epoch, record: null };
    throw error;
  }
}

/** Takes `record.epoch`, unless someone has taken it or a higher one meanwhile: then false. */
export async function takeEpoch(folder: string, record: LeaseRecord): Promise<boolean> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await createWhole(join(folder, `${record.epoch}.json`), JSON.stringify(record)))) return false;
  // A slow newcomer may have made a number again that was passed and cleaned up long ago.
  if ((await newestEpoch(folder)) > record.epoch) {
    await fs.rm(join(folder, `${record.epoch}.json`), { force: true });
    return false;
  }
  for (const epoch of epochsIn(await fs.readdir(folder)))
    if (epoch < record.epoch) await fs.rm(join(folder, `${epoch}.json`), { force: true });
  return true;
}

/** Replaces the content of our own lease's file (given back). */
export async function rewriteLease(folder: string, record: LeaseRecord): Promise<void> {
  const temporary = join(folder, `${randomUUID()}.tmp`);
  await fs.writeFile(temporary, JSON.stringify(record), { flag: 'wx', mode: 0o600 });
  await fs.rename(temporary, join(folder, `${record.epoch}.json`));
}
