import { join } from 'node:path';
import type { FilePort } from './files';

/**
 * Bodies lie in append-only pack files, `pack-<number>-<epoch>.bin`, each body as
 *
 *     B <sha256, hex> <bytes>\n<body>\n
 *
 * A pack has one writer and is never continued after a restart, so a torn end needs no mending: it is passed over.
 */
export interface Place {
  readonly pack: string;
  readonly offset: number;
  readonly bytes: number;
}

const NAME = /^pack-([0-9]{6})-[0-9]+\.bin$/;
const HEAD = /^B ([0-9a-f]{64}) ([0-9]{1,12})\n/;
const LONGEST_HEAD = 2 + 64 + 1 + 12 + 1;
const LINE_FEED = 10;

export const packName = (number: number, epoch: number): string =>
  `pack-${String(number).padStart(6, '0')}-${epoch}.bin`;

export const packHead = (id: string, bytes: number): Buffer => Buffer.from(`B ${id} ${bytes}\n`);

/** The highest number among the packs of a folder; 0 when there is none. */
export const newestPack = (names: readonly string[]): number =>
  names.reduce((newest, name) => Math.max(newest, Number(NAME.exec(name)?.[1] ?? 0)), 0);

/** Where each body lies, from all packs of the folder but those in `known`. */
export async function scanPacks(
  files: FilePort,
  folder: string,
  known: ReadonlySet<string>,
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  for (const name of await files.list(folder)) {
    if (!NAME.test(name) || known.has(name)) continue;
    const bytes = Buffer.from(await files.read(join(folder, name)));
    for (const [id, place] of scanPack(name, bytes)) places.set(id, place);
  }
  return places;
}

function* scanPack(pack: string, bytes: Buffer): Generator<[string, Place]> {
  let at = 0;
  while (at >= 0 && at < bytes.length) {
    const head = HEAD.exec(bytes.toString('latin1', at, at + LONGEST_HEAD));
    const offset = at + (head?.[0].length ?? 0);
    const size = Number(head?.[2]);
    if (head !== null && bytes[offset + size] === LINE_FEED) {
      yield [head[1] as string, { pack, offset, bytes: size }];
      at = offset + size + 1;
    } else {
      // Damaged: go on at the next thing that looks like a body's first line. A body is checked against its hash
      // when it is read, so one that merely holds such a line can't pass for another.
      const next = bytes.indexOf('\nB ', at);
      at = next < 0 ? -1 : next + 1;
    }
  }
}
