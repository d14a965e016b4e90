import type { AgentId } from '../ids';

/**
 * One line of the timeline before it is worked out: what it is about and where it stands. Kinds in the order in
 * which things of the same moment are shown.
 */
export interface RoomEntry {
  readonly key: string;
  readonly kind: RoomEntryKind;
  /** Position in its table (steps, messages, asks, agents, runs). */
  readonly index: number;
  readonly at: number;
  /** Whom it concerns, for the filter. */
  readonly agents: readonly AgentId[];
}

export const roomEntryKinds = [
  'said',
  'joined',
  'message',
  'ask',
  'interrupted',
  'halted',
  'left',
  'compacted',
] as const;
export type RoomEntryKind = (typeof roomEntryKinds)[number];

const letters: Readonly<Record<RoomEntryKind, string>> = {
  said: 's',
  joined: 'j',
  message: 'm',
  ask: 'q',
  interrupted: 'i',
  halted: 'h',
  left: 'x',
  compacted: 'k',
};

export const entryKey = (kind: RoomEntryKind, index: number): string => `${letters[kind]}${index}`;

/** The kind and position that a key names, or null. */
export function readEntryKey(key: string): { readonly kind: RoomEntryKind; readonly index: number } | null {
  const match = /^([sjmqihxk])(\d{1,9})$/.exec(key);
  if (match === null) return null;
  const kind = roomEntryKinds.find((kind) => letters[kind] === match[1]);
  return kind === undefined ? null : { kind, index: Number(match[2]) };
}

/** Order of the timeline: by time, then kind, then position; the same however an entry came into the list. */
function compare(a: RoomEntry, b: RoomEntry): number {
  return a.at - b.at || roomEntryKinds.indexOf(a.kind) - roomEntryKinds.indexOf(b.kind) || a.index - b.index;
}

/** The timeline's order. A new entry is nearly always the last one, so adding costs the same at any length. */
export class RoomList {
  #entries: RoomEntry[] = [];
  readonly #byKey = new Map<string, RoomEntry>();

  get size(): number {
    return this.#entries.length;
  }

  /** Replaces all; for opening and for a new filter. */
  fill(entries: readonly RoomEntry[]): void {
    this.#entries = [...entries].sort(compare);
    this.#byKey.clear();
    for (const entry of this.#entries) this.#byKey.set(entry.key, entry);
  }

  /** The index it got; -1 if it was there before. */
  insert(entry: RoomEntry): number {
    if (this.#byKey.has(entry.key)) return -1;
    const index = this.#position(entry);
    this.#entries.splice(index, 0, entry);
    this.#byKey.set(entry.key, entry);
    return index;
  }

  /** The index it had; -1 if it was not there. */
  remove(key: string): number {
    const index = this.indexOf(key);
    if (index < 0) return -1;
    this.#entries.splice(index, 1);
    this.#byKey.delete(key);
    return index;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  get(key: string): RoomEntry | undefined {
    return this.#byKey.get(key);
  }

  indexOf(key: string): number {
    const entry = this.#byKey.get(key);
    return entry === undefined ? -1 : this.#position(entry);
  }

  slice(from: number, to: number): readonly RoomEntry[] {
    return this.#entries.slice(Math.max(0, from), Math.max(0, to));
  }

  entries(): readonly RoomEntry[] {
    return this.#entries;
  }

  /** Where an entry stands or would stand. */
  #position(entry: RoomEntry): number {
    const last = this.#entries[this.#entries.length - 1];
    if (last === undefined || compare(last, entry) < 0) return this.#entries.length;
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = this.#entries[middle];
      if (found !== undefined && compare(found, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
