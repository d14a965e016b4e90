import type { Content } from './contents';

/** A content of which perhaps only the identity is at hand. */
export interface Held {
  readonly bytes: Uint8Array | null;
  readonly hash: string;
}

/** A write that we know who made: a tool of an agent, or an undo. null: no file. */
export interface Noted {
  readonly real: string;
  readonly before: Held | null;
  readonly after: Content | null;
}

interface Note extends Noted {
  readonly id: number;
  /** Whether it was done; null: it is being done. */
  done: boolean | null;
  /** It is in what a look has found, though it hadn't been told as done yet. */
  found: boolean;
}

/** What else than commands has changed files since the last look. */
export class KnownWrites {
  readonly #notes = new Map<string, Note[]>();
  /** When the editor told that the person had saved a file. */
  readonly #saves = new Map<string, number>();

  writing(id: number, write: Noted): void {
    const notes = this.#notes.get(write.real) ?? [];
    this.#notes.set(write.real, [...notes, { ...write, id, done: null, found: false }]);
  }

  settled(id: number, done: boolean): void {
    for (const notes of this.#notes.values()) for (const note of notes) if (note.id === id) note.done = done;
  }

  saved(real: string, at: number): void {
    this.#saves.set(real, at);
  }

  savedAt(real: string): number | null {
    return this.#saves.get(real) ?? null;
  }

  /** The writes that have happened to a file, in their order, given what it holds now. */
  of(real: string, now: Content | null): readonly Noted[] {
    return (this.#notes.get(real) ?? []).filter((note) => {
      if (note.done === null && note.after?.hash === now?.hash) note.found = true;
      return note.done === true || note.found;
    });
  }

  /** The look is over: what had happened by then is in it. */
  looked(): void {
    this.#saves.clear();
    for (const [real, notes] of this.#notes) {
      const left = notes.filter((note) => note.done === null && !note.found);
      if (left.length === 0) this.#notes.delete(real);
      else this.#notes.set(real, left);
    }
  }
}
