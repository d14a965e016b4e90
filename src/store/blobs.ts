import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { BlobId } from '../shared/ids';
import { HEAD_CHARS, INLINE_BYTES, inline, type Text } from '../shared/text';
import { asFailure, type FilePort, type StoreFile, writeFully } from './files';
import { newestPack, type Place, packHead, packName, scanPacks } from './packs';
import { StoreFailure } from './port';

const PACK_BYTES = 16 * 1024 * 1024;
/** Bodies lately put or read that are kept in memory, bytes together, and the longest that is. */
const CACHE_BYTES = 4 * 1024 * 1024;
const CACHED_BODY_BYTES = 1024 * 1024;

/** The body as it lies in an event: itself up to 1 KiB, else a reference that `put` has taken care of. */
export function asText(text: string, put: (bytes: Uint8Array) => BlobId): Text {
  const bytes = Buffer.from(text);
  if (bytes.length <= INLINE_BYTES) return inline(text);
  return { type: 'blob', blob: put(bytes), bytes: bytes.length, head: headOfBody(text) };
}

export const blobIdOf = (bytes: Uint8Array): BlobId =>
  createHash('sha256').update(bytes).digest('hex') as BlobId;

/** The first characters of a body; a surrogate pair is not cut in two. */
function headOfBody(text: string): string {
  const head = text.slice(0, HEAD_CHARS);
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
}

/** One session's bodies, addressed by hash. */
export class Blobs {
  readonly #files: FilePort;
  readonly #folder: string;
  readonly #epoch: number;
  readonly #places = new Map<string, Place>();
  readonly #own = new Set<string>();
  /** Put, not yet on the disk. */
  readonly #pending = new Map<BlobId, Uint8Array>();
  readonly #cache = new Map<string, Uint8Array>();
  #cachedBytes = 0;
  #scanned: Promise<void> | null = null;
  #file: StoreFile | null = null;
  #pack = '';
  #offset = 0;

  constructor(files: FilePort, sessionFolder: string, epoch: number) {
    this.#files = files;
    this.#folder = join(sessionFolder, 'blobs');
    this.#epoch = epoch;
  }

  /** Keeps bytes; the next `flush` makes them durable. */
  put(bytes: Uint8Array): BlobId {
    const id = blobIdOf(bytes);
    if (!this.#places.has(id) && !this.#pending.has(id)) this.#pending.set(id, bytes.slice());
    return id;
  }

  /** @throws StoreFailure 'missing_blob', 'damaged_blob' or 'io' */
  async get(id: BlobId): Promise<Uint8Array> {
    const near = this.#pending.get(id) ?? this.#cache.get(id);
    if (near !== undefined) return near.slice();
    const place = this.#places.get(id) ?? (await this.#find(id));
    if (place === undefined) throw new StoreFailure('missing_blob', `no body ${id}`);
    const bytes = await this.#readPlace(place);
    if (blobIdOf(bytes) !== id) {
      // Forgotten, so that the same body put again is written again.
      this.#places.delete(id);
      throw new StoreFailure('damaged_blob', `${id} in ${place.pack} is damaged`);
    }
    this.#remember(id, bytes);
    return bytes.slice();
  }

  /** Writes and flushes what was put since the last call; nothing was: no disk access. Rejects with StoreFailure. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const batch = [...this.#pending];
    try {
      const file = await this.#openPack();
      const isNew = this.#offset === 0;
      const places: [BlobId, Place][] = [];
      const parts: Uint8Array[] = [];
      let end = this.#offset;
      for (const [id, bytes] of batch) {
        const head = packHead(id, bytes.length);
        places.push([id, { pack: this.#pack, offset: end + head.length, bytes: bytes.length }]);
        parts.push(head, bytes, Buffer.from('\n'));
        end += head.length + bytes.length + 1;
      }
      await writeFully(file, Buffer.concat(parts), this.#offset);
      await file.datasync();
      if (isNew) await this.#files.syncFolder(this.#folder);
      this.#offset = end;
      for (const [id, place] of places) this.#places.set(id, place);
    } catch (error) {
      throw asFailure(error);
    }
    for (const [id, bytes] of batch) {
      this.#pending.delete(id);
      this.#remember(id, bytes);
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #openPack(): Promise<StoreFile> {
    if (this.#file !== null && this.#offset < PACK_BYTES) return this.#file;
    await this.#files.makeFolder(this.#folder);
    const newest = newestPack(await this.#files.list(this.#folder));
    if (newest === 0) await this.#files.syncFolder(dirname(this.#folder));
    const name = packName(newest + 1, this.#epoch);
    const file = await this.#files.create(join(this.#folder, name));
    const previous = this.#file;
    this.#file = file;
    this.#pack = name;
    this.#own.add(name);
    this.#offset = 0;
    await previous?.close();
    return file;
  }

  /** Packs of earlier openings are read once, when something is asked for that isn't in memory. */
  async #find(id: BlobId): Promise<Place | undefined> {
    this.#scanned ??= this.#scan();
    await this.#scanned;
    return this.#places.get(id);
  }

  async #scan(): Promise<void> {
    try {
      const found = await scanPacks(this.#files, this.#folder, this.#own);
      for (const [id, place] of found) if (!this.#places.has(id)) this.#places.set(id, place);
    } catch (error) {
      this.#scanned = null;
      throw asFailure(error);
    }
  }

  async #readPlace({ pack, offset, bytes }: Place): Promise<Uint8Array> {
    try {
      return await this.#files.read(join(this.#folder, pack), offset, offset + bytes);
    } catch (error) {
      throw asFailure(error);
    }
  }

  #remember(id: string, bytes: Uint8Array): void {
    if (bytes.length > CACHED_BODY_BYTES) return;
    const known = this.#cache.get(id);
    this.#cache.delete(id);
    this.#cache.set(id, bytes);
    if (known === undefined) this.#cachedBytes += bytes.length;
    for (const [oldest, body] of this.#cache) {
      if (this.#cachedBytes <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cachedBytes -= body.length;
    }
  }
}
