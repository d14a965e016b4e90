import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { errorCode } from '../ioProblem';
import type { FileStat } from './tree';

/** What git's index says of one file. */
interface IndexEntry {
  readonly object: string;
  readonly size: number;
  readonly ino: number;
  readonly mtimeMs: number;
}

const HEAD = 12;
/** Fixed part of an entry, up to and with its flags, in an index of 20-byte names. */
const FIXED = 62;
const NAME_LENGTH = 0xfff;
const EXTENDED = 0x4000;
const STAGE = 0x3000;

/**
 * The index of the repository around a workspace folder: it vouches that a file whose numbers are those of its entry
 * holds what the entry's object holds. Not so where git changes contents on their way out (filters, encodings,
 * keywords, line ends): such repositories are not used. What slips through (a setting of the person's own) mostly shows
 * in the size.
 */
export class GitIndex {
  /** Folder of the repository's own data. */
  readonly gitFolder: string;
  readonly #entries: ReadonlyMap<string, IndexEntry>;
  /** From the repository's root to the workspace folder, with `/` at its end, or ''. */
  readonly #inside: string;
  readonly #writtenMs: number;

  private constructor(
    gitFolder: string,
    inside: string,
    entries: ReadonlyMap<string, IndexEntry>,
    writtenMs: number,
  ) {
    this.gitFolder = gitFolder;
    this.#inside = inside;
    this.#entries = entries;
    this.#writtenMs = writtenMs;
  }

  /** null: no repository, or one that can't be used. */
  static async read(root: string): Promise<GitIndex | null> {
    const found = await repositoryOf(root);
    if (found === null) return null;
    const config = await textOf(join(found.common, 'config'));
    if (/^\s*(?:objectformat\s*=\s*sha256|autocrlf\s*=\s*true)/imu.test(config)) return null;
    const attributes = await Promise.all(
      [join(found.common, 'info', 'attributes'), join(found.top, '.gitattributes')].map(textOf),
    );
    if (attributes.some(changesContent)) return null;
    const path = join(found.folder, 'index');
    const written = await stampOf(path);
    if (written === null) return null;
    const entries = parseIndex(await bytesOf(path));
    if (entries === null) return null;
    const inside = relative(found.top, root).split(sep).join('/');
    return new GitIndex(found.folder, inside === '' ? '' : `${inside}/`, entries, written);
  }

  /** Whether the index on the disk is still this one. */
  async isCurrent(): Promise<boolean> {
    return (await stampOf(join(this.gitFolder, 'index'))) === this.#writtenMs;
  }

  /** The object that holds what the file held in this state; null: git can't tell. */
  objectOf(path: string, seen: FileStat): string | null {
    const entry = this.#entries.get(this.#inside + path);
    if (entry === undefined || entry.size !== seen.size) return null;
    if (entry.ino !== seen.ino % 2 ** 32 || Math.abs(entry.mtimeMs - seen.mtimeMs) > 0.002) return null;
    // Changed again in the tick in which the index was written: git itself would look into such a file.
    return entry.mtimeMs < this.#writtenMs - TICK_MS ? entry.object : null;
  }
}

/** Whether git attributes let git change what it checks out. */
export const changesContent = (attributes: string): boolean => CHANGES_CONTENT.test(attributes);
const CHANGES_CONTENT = /^[^#\n]*\s(?:filter\s*=|working-tree-encoding\s*=|eol\s*=\s*crlf|ident\b)/mu;
const TICK_MS = 20;

interface Repository {
  readonly top: string;
  readonly folder: string;
  /** Of a worktree: the folder of the repository that it belongs to. */
  readonly common: string;
}

async function repositoryOf(root: string): Promise<Repository | null> {
  for (let top = root; ; top = dirname(top)) {
    const at = join(top, '.git');
    try {
      if ((await stat(at)).isDirectory()) return { top, folder: at, common: at };
      const named = /^gitdir: (.+)$/mu.exec(await textOf(at))?.[1];
      if (named === undefined) return null;
      const folder = resolve(top, named);
      const common = (await textOf(join(folder, 'commondir'))).trim();
      return { top, folder, common: common === '' ? folder : resolve(folder, common) };
    } catch (error) {
      if (errorCode(error) === '') throw error;
    }
    if (dirname(top) === top) return null;
  }
}

async function textOf(path: string): Promise<string> {
  return (await bytesOf(path)).toString('utf8');
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return Buffer.alloc(0);
  }
}

async function stampOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (errorCode(error) === '') throw error;
    return null;
  }
}

/** The entries of an index of version 2 to 4; null: it is something else. Those of an unfinished merge are left out. */
export function parseIndex(bytes: Buffer): ReadonlyMap<string, IndexEntry> | null {
  if (bytes.length < HEAD || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  const entries = new Map<string, IndexEntry>();
  const count = bytes.readUInt32BE(8);
  let at = HEAD;
  let name = '';
  for (let n = 0; n < count; n++) {
    if (at + FIXED > bytes.length) return null;
    const flags = bytes.readUInt16BE(at + 60);
    const start = at + FIXED + ((flags & EXTENDED) === 0 ? 0 : 2);
    const read = version === 4 ? shortened(bytes, start, name) : plainName(bytes, start, flags);
    if (read === null) return null;
    name = read.name;
    if ((flags & STAGE) === 0) entries.set(name, entryAt(bytes, at));
    // Versions before 4 fill up with 1 to 8 NULs to a multiple of 8.
    at = version === 4 ? read.end + 1 : at + (Math.floor((read.end - at) / 8) + 1) * 8;
  }
  return entries;
}

function entryAt(bytes: Buffer, at: number): IndexEntry {
  return {
    mtimeMs: bytes.readUInt32BE(at + 8) * 1000 + bytes.readUInt32BE(at + 12) / 1e6,
    ino: bytes.readUInt32BE(at + 20),
    size: bytes.readUInt32BE(at + 36),
    object: bytes.toString('hex', at + 40, at + 60),
  };
}

interface ReadName {
  readonly name: string;
  /** Position of the NUL after it. */
  readonly end: number;
}

function plainName(bytes: Buffer, start: number, flags: number): ReadName | null {
  const length = flags & NAME_LENGTH;
  const end = length < NAME_LENGTH ? start + length : bytes.indexOf(0, start);
  return end < 0 || end > bytes.length ? null : { name: bytes.toString('utf8', start, end), end };
}

/** Version 4: how much of the last name's end to leave off, then what to put there. */
function shortened(bytes: Buffer, start: number, last: string): ReadName | null {
  let at = start;
  let byte = bytes[at++] ?? 0;
  let cut = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes[at++] ?? 0;
    cut = ((cut + 1) << 7) | (byte & 127);
  }
  const end = bytes.indexOf(0, at);
  if (end < 0) return null;
  const kept = Buffer.from(last, 'utf8');
  const name = Buffer.concat([kept.subarray(0, kept.length - cut), bytes.subarray(at, end)]);
  return { name: name.toString('utf8'), end };
}
