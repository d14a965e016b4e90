import { join } from 'node:path';
import { asFailure, errorCode, type FilePort } from './files';
import { StoreFailure, type StoreNotice } from './port';
import { generationsOf, readSealed, type SealedRead } from './sealedFile';
import { chainOf, freeName, isReachable, type Position, type Segment } from './segments';
import { type LoadedState, loadState } from './statePages';

export interface LoadedCheckpoint {
  readonly seq: number;
  readonly loaded: LoadedState;
  readonly position: Position;
}

/**
 * The newest reduced state that is whole and that the journal leads on from, or null: then the whole journal is
 * replayed. One that can't be used is put aside (with `repair`) and told. One of an older format is passed over.
 * @throws StoreFailure 'newer_schema'
 */
export async function loadCheckpoint(
  files: FilePort,
  folder: string,
  options: { readonly schema: number; readonly repair: boolean },
): Promise<{ readonly checkpoint: LoadedCheckpoint | null; readonly notices: readonly StoreNotice[] }> {
  const names = await files.list(folder);
  const chain = chainOf(names);
  const notices: StoreNotice[] = [];
  for (const { name } of generationsOf(names, 'state')) {
    const read = await readOne(files, folder, name, options.schema);
    // Removed since it was listed: the holder has written a newer one.
    if (read === null) continue;
    if (read.type === 'newer')
      throw new StoreFailure(
        'newer_schema',
        `${name} has format ${read.schema}, this version knows ${options.schema}`,
      );
    if (read.type === 'good' && read.head.schema < options.schema) continue;
    const found = read.type === 'good' ? await usable(files, folder, chain, read) : read.reason;
    if (typeof found !== 'string') return { checkpoint: found, notices };
    let putAside = name;
    if (options.repair) {
      putAside = await freeName(files, folder, name);
      await files.rename(join(folder, name), putAside);
    }
    notices.push({ type: 'checkpoint_unusable', reason: found, putAside });
  }
  return { checkpoint: null, notices };
}

/** The checkpoint if all of it is there, else why it can't be used. */
async function usable(
  files: FilePort,
  folder: string,
  chain: readonly Segment[],
  { head: { seq, position }, body }: SealedRead & { readonly type: 'good' },
): Promise<LoadedCheckpoint | string> {
  if (position === null || !(await isReachable(files, folder, chain, position)))
    return 'the journal does not reach as far as it';
  try {
    const loaded = await loadState(files, folder, body);
    return loaded === null ? 'a page of it is damaged' : { seq, loaded, position };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'a page of it is missing';
    throw error;
  }
}

async function readOne(
  files: FilePort,
  folder: string,
  name: string,
  schema: number,
): Promise<SealedRead | null> {
  try {
    return await readSealed(files, join(folder, name), 'state', schema);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return null;
    if (code === 'EIO' || code === 'EISDIR') return { type: 'unusable', reason: asFailure(error).message };
    throw asFailure(error);
  }
}
