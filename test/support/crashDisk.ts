import { dirname, join } from 'node:path';
import type { FilePort, StoreFile } from '../../src/store/files';
import { fault } from './storeFixture';

type ContentOp =
  | { readonly type: 'write'; readonly bytes: Buffer; readonly position: number }
  | { readonly type: 'truncate'; readonly length: number };

interface Inode {
  /** What a running process reads. */
  content: Buffer;
  durable: Buffer;
  pending: ContentOp[];
}

type NameOp = (names: Map<string, Inode>) => void;

/** Numbers in [0, 1), the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A disk that loses power, after SQLite's test6.c: what was written but not flushed survives in any combination, each
 * write whole, torn or not at all; names that weren't flushed survive up to some point, in their order. From the
 * operation at which the power goes on, nothing answers any more.
 */
export class CrashDisk implements FilePort {
  readonly #names: Map<string, Inode>;
  /** What the last crash, or the last flush of a folder, is known to have kept. */
  #durableNames: Map<string, Inode>;
  #nameOps: { readonly folder: string; readonly apply: NameOp }[] = [];
  #left: number;
  #onPowerLoss: () => void = () => undefined;
  readonly powerLoss: Promise<void>;

  constructor(operations: number, names: ReadonlyMap<string, Buffer> = new Map()) {
    this.#left = operations;
    const inodes = [...names].map(([path, content]) => [path, inodeOf(content)] as const);
    this.#names = new Map(inodes);
    this.#durableNames = new Map(inodes);
    this.powerLoss = new Promise((resolve) => {
      this.#onPowerLoss = resolve;
    });
  }

  /** The power goes now, if it hasn't gone yet. */
  cutPower(): void {
    this.#left = -1;
    this.#onPowerLoss();
  }

  /** What is found when the power is back. */
  survivors(random: () => number): Map<string, Buffer> {
    const names = new Map(this.#durableNames);
    const kept = Math.floor(random() * (this.#nameOps.length + 1));
    for (const { apply } of this.#nameOps.slice(0, kept)) apply(names);
    return new Map([...names].map(([path, inode]) => [path, survivingContent(inode, random)]));
  }

  async create(path: string): Promise<StoreFile> {
    await this.#operation();
    if (this.#names.has(path)) throw fault('EEXIST');
    const inode = inodeOf(Buffer.alloc(0));
    this.#change(dirname(path), (names) => names.set(path, inode));
    return this.#fileOf(inode);
  }

  async open(path: string): Promise<StoreFile> {
    await this.#operation();
    return this.#fileOf(this.#inode(path));
  }

  async read(path: string, from = 0, to = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
    await this.#operation();
    return Buffer.from(
      this.#inode(path).content.subarray(from, Math.min(to, this.#inode(path).content.length)),
    );
  }

  async size(path: string): Promise<number> {
    await this.#operation();
    return this.#inode(path).content.length;
  }

  /** Folders are taken to be durable: what is in one shows that it is there. */
  async list(folder: string): Promise<readonly string[]> {
    await this.#operation();
    const prefix = join(folder, '/');
    const inside = [...this.#names.keys()].filter((path) => path.startsWith(prefix));
    return [...new Set(inside.map((path) => path.slice(prefix.length).split('/')[0] ?? ''))].sort();
  }

  async makeFolder(): Promise<void> {
    await this.#operation();
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#operation();
    const inode = this.#inode(from);
    this.#change(dirname(to), (names) => {
      names.delete(from);
      names.set(to, inode);
    });
  }

  async remove(path: string): Promise<void> {
    await this.#operation();
    this.#change(dirname(path), (names) => names.delete(path));
  }

  async syncFolder(folder: string): Promise<void> {
    await this.#operation();
    for (const { folder: changed, apply } of this.#nameOps) if (changed === folder) apply(this.#durableNames);
    this.#nameOps = this.#nameOps.filter((op) => op.folder !== folder);
  }

  #fileOf(inode: Inode): StoreFile {
    const change = (op: ContentOp) => {
      inode.content = applyTo(inode.content, op);
      inode.pending.push(op);
    };
    return {
      write: async (bytes, position) => {
        // Also the write at which the power goes may have reached the disk.
        change({ type: 'write', bytes: Buffer.from(bytes), position });
        await this.#operation();
        return bytes.length;
      },
      datasync: async () => {
        const flushed = inode.content;
        const pending = inode.pending;
        await this.#operation();
        inode.durable = flushed;
        inode.pending = inode.pending.filter((op) => !pending.includes(op));
      },
      truncate: async (length) => {
        await this.#operation();
        change({ type: 'truncate', length });
      },
      close: async () => undefined,
    };
  }

  #inode(path: string): Inode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw fault('ENOENT');
    return inode;
  }

  #change(folder: string, apply: NameOp): void {
    apply(this.#names);
    this.#nameOps.push({ folder, apply });
  }

  /** Passes once for each operation that the power lasts; then never. */
  async #operation(): Promise<void> {
    this.#left -= 1;
    if (this.#left < 0) {
      this.#onPowerLoss();
      await new Promise(() => undefined);
    }
    // As a real disk, not at once.
    await new Promise(setImmediate);
    if (this.#left < 0) await new Promise(() => undefined);
  }
}

const inodeOf = (content: Buffer): Inode => ({ content, durable: content, pending: [] });

function applyTo(content: Buffer, op: ContentOp): Buffer {
  if (op.type === 'truncate') return Buffer.concat([content, Buffer.alloc(op.length)]).subarray(0, op.length);
  const size = Math.max(content.length, op.position + op.bytes.length);
  const next = Buffer.concat([content, Buffer.alloc(size - content.length)]);
  op.bytes.copy(next, op.position);
  return next;
}

function survivingContent(inode: Inode, random: () => number): Buffer {
  let content = inode.durable;
  for (const op of inode.pending) {
    const fate = random();
    if (fate < 0.3) continue;
    if (op.type === 'write' && fate < 0.7) {
      // Torn: the beginning, or the end with the length grown before the bytes came.
      const cut = Math.floor(random() * op.bytes.length);
      const isHead = random() < 0.5;
      const bytes = isHead ? op.bytes.subarray(0, cut) : op.bytes.subarray(cut);
      content = applyTo(content, { type: 'write', bytes, position: op.position + (isHead ? 0 : cut) });
    } else content = applyTo(content, op);
  }
  return content;
}
