import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { type FilePort, writeFully } from './files';
import { lazyPage } from './lazyPage';

/**
 * The reduced state is nearly as large as the journal, so a checkpoint doesn't write it whole. Its tables consist of
 * pages that are never changed in place (base/table): a page that was written once is referred to by the next
 * checkpoint, and one that isn't looked at after opening is never parsed. Pages lie in `pages/<seq>-<epoch>`, one
 * file per checkpoint with those that were new then.
 */
const placeSchema = z.tuple([z.number().int(), z.number().int(), z.number().int(), z.number().int()]);
const bodySchema = z.object({
  files: z.array(z.string().regex(/^[0-9]{12}-[0-9]+$/)),
  /** Tables by their name in the state, each page as [file, offset, bytes, crc]. */
  tables: z.record(z.string(), z.object({ size: z.number().int(), pages: z.array(placeSchema) })),
  /** The state with null in the place of each table. */
  rest: z.unknown(),
});

interface Place {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
}

/** A state as it was read: which of its pages lie where, so that they needn't be written again. */
export interface LoadedState {
  readonly state: unknown;
  readonly places: ReadonlyMap<object, Place>;
}

export interface WrittenState {
  readonly body: Buffer;
  /** Bytes written for it, the body included. */
  readonly bytes: number;
  readonly files: ReadonlySet<string>;
}

interface Table {
  readonly size: number;
  readonly pages: readonly (readonly unknown[])[];
}

/** Pages written at once; one is some ten kilobytes. */
const PAGES_AT_ONCE = 8;
/** All pages are written anew when more than half of what lies there is no longer referred to, and more than this. */
const GARBAGE_BYTES = 4 * 1024 * 1024;

const pagesFolder = (sessionFolder: string): string => join(sessionFolder, 'pages');

/** Writes states, each against the one before. */
export class StatePages {
  readonly #files: FilePort;
  readonly #folder: string;
  readonly #session: string;
  readonly #places = new WeakMap<object, Place>();
  /** Files that may be referred to, with their sizes. */
  readonly #sizes = new Map<string, number>();
  /** Files of the two generations on the disk. */
  #generations: readonly ReadonlySet<string>[] = [];

  constructor(files: FilePort, sessionFolder: string, loaded: LoadedState | null) {
    this.#files = files;
    this.#session = sessionFolder;
    this.#folder = pagesFolder(sessionFolder);
    const places = loaded === null ? [] : [...loaded.places];
    for (const [page, place] of places) {
      this.#places.set(page, place);
      // Its own size isn't known; what is referred to will do.
      this.#sizes.set(place.file, Math.max(this.#sizes.get(place.file) ?? 0, place.offset + place.bytes));
    }
    if (loaded !== null) this.#generations = [new Set(places.map(([, { file }]) => file))];
  }

  /**
   * Writes what of a state isn't on the disk yet, durably; answers the body that finds it all. The state must never
   * be changed, also not while this runs.
   * @param name of the file of new pages, unused so far
   */
  async write(state: unknown, name: string): Promise<WrittenState> {
    const { tables, rest } = split(state);
    const pages = tables.flatMap(([, table]) => table.pages);
    const anew = this.#isWasteful(pages);
    const fresh = anew ? pages : pages.filter((page) => this.#placeOf(page) === undefined);
    const bytes = await this.#writePages(fresh, name);
    const files: string[] = [];
    const refer = (page: object): [number, number, number, number] => {
      const place = this.#placeOf(page);
      if (place === undefined) throw new Error('a page was not written');
      if (!files.includes(place.file)) files.push(place.file);
      return [files.indexOf(place.file), place.offset, place.bytes, place.crc];
    };
    const referred = tables.map(([key, { size, pages }]) => [key, { size, pages: pages.map(refer) }]);
    const body = Buffer.from(JSON.stringify({ files, tables: Object.fromEntries(referred), rest }));
    return { body, bytes: bytes + body.length, files: new Set(files) };
  }

  /** A written state is in its place: removes the files that neither it nor the one before refers to. */
  async keep({ files }: WrittenState): Promise<void> {
    this.#generations = [files, ...this.#generations.slice(0, 1)];
    const live = new Set(this.#generations.flatMap((files) => [...files]));
    for (const name of await this.#files.list(this.#folder)) {
      if (live.has(name)) continue;
      this.#sizes.delete(name);
      await this.#files.remove(join(this.#folder, name));
    }
  }

  #placeOf(page: object): Place | undefined {
    const place = this.#places.get(page);
    // A page of a state long past: its file has been removed since.
    return place !== undefined && this.#sizes.has(place.file) ? place : undefined;
  }

  #isWasteful(pages: readonly object[]): boolean {
    const total = [...this.#sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const live = pages.reduce((sum, page) => sum + (this.#placeOf(page)?.bytes ?? 0), 0);
    return total - live > Math.max(live, GARBAGE_BYTES);
  }

  async #writePages(pages: readonly object[], name: string): Promise<number> {
    if (pages.length === 0) return 0;
    await this.#files.makeFolder(this.#folder);
    const path = join(this.#folder, name);
    await this.#files.remove(path);
    const file = await this.#files.create(path);
    const places: [object, Place][] = [];
    let offset = 0;
    try {
      // Group by group, so that a large state neither holds up the host nor lies in memory a second time.
      for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
        const parts: Buffer[] = [];
        const start = offset;
        for (const page of pages.slice(from, from + PAGES_AT_ONCE)) {
          const part = Buffer.from(JSON.stringify(page));
          parts.push(part);
          places.push([page, { file: name, offset, bytes: part.length, crc: crc32(part) }]);
          offset += part.length;
        }
        await writeFully(file, Buffer.concat(parts), start);
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    await this.#files.syncFolder(this.#folder);
    await this.#files.syncFolder(this.#session);
    this.#sizes.set(name, offset);
    for (const [page, place] of places) this.#places.set(page, place);
    return offset;
  }
}

/** Finds a state again from its body. Rejects with Node's errors; null: the body or a page is damaged. */
export async function loadState(
  files: FilePort,
  sessionFolder: string,
  body: Buffer,
): Promise<LoadedState | null> {
  const parsed = bodySchema.safeParse(parseJson(body.toString()));
  if (!parsed.success) return null;
  const { tables, rest } = parsed.data;
  const names = parsed.data.files;
  const contents = new Map<string, Buffer>();
  for (const name of names)
    contents.set(name, Buffer.from(await files.read(join(pagesFolder(sessionFolder), name))));
  const places = new Map<object, Place>();
  const found: [string, Table][] = [];
  for (const [key, { size, pages }] of Object.entries(tables)) {
    const read: (readonly unknown[])[] = [];
    for (const [index, offset, bytes, crc] of pages) {
      const file = names[index] ?? '';
      const json = contents.get(file)?.subarray(offset, offset + bytes);
      if (json === undefined || json.length !== bytes || crc32(json) !== crc) return null;
      const page = lazyPage(json);
      places.set(page, { file, offset, bytes, crc });
      read.push(page);
    }
    found.push([key, { size, pages: read }]);
  }
  return { state: found.length === 0 ? rest : { ...Object(rest), ...Object.fromEntries(found) }, places };
}

/** The tables of a state, and the rest of it with null in their places, so that the order of its keys is kept. */
function split(state: unknown): { readonly tables: [string, Table][]; readonly rest: unknown } {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return { tables: [], rest: state };
  const tables: [string, Table][] = [];
  const rest = Object.entries(state).map(([key, value]: [string, unknown]) => {
    if (!isTable(value)) return [key, value];
    tables.push([key, value]);
    return [key, null];
  });
  return { tables, rest: Object.fromEntries(rest) };
}

function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  return 'size' in value && typeof value.size === 'number' && 'pages' in value && Array.isArray(value.pages);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
