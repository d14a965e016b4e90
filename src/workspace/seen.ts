import type { Actor } from './port';

/** That an agent has seen a file in this state: by reading it or by writing it. */
export interface SeenEntry {
  readonly session: string;
  readonly agent: string;
  /** Real path. */
  readonly real: string;
  readonly hash: string;
}

export const SOMETHING_OUTSIDE = 'something outside';

/** Who changed a file last, as far as we know, and in which state it was left (null: removed). */
interface LastWriter {
  readonly name: string;
  readonly left: string | null | 'anything';
}

/**
 * What every agent of the workspace last saw of every file, and who wrote each file last. Kept in memory: after a
 * restart nothing is seen until `restore` says so, and an agent that goes on has to read again before it writes.
 */
export class Seen {
  readonly #hashes = new Map<string, Map<string, string>>();
  readonly #writers = new Map<string, LastWriter>();

  note(actor: Pick<Actor, 'session' | 'agent'>, real: string, hash: string): void {
    const key = agentKey(actor);
    const files = this.#hashes.get(key) ?? new Map<string, string>();
    files.set(real, hash);
    this.#hashes.set(key, files);
  }

  forget(actor: Actor, real: string): void {
    this.#hashes.get(agentKey(actor))?.delete(real);
  }

  /** The state in which the agent last saw the file; undefined: never. */
  hash(actor: Actor, real: string): string | undefined {
    return this.#hashes.get(agentKey(actor))?.get(real);
  }

  noteWriter(real: string, name: string, left: LastWriter['left']): void {
    this.#writers.set(real, { name, left });
  }

  /** Who brought the file into this state (null: gone); something outside if it isn't a state that we know of. */
  writerOf(real: string, hash: string | null): string {
    const writer = this.#writers.get(real);
    if (writer === undefined) return SOMETHING_OUTSIDE;
    return writer.left === 'anything' || writer.left === hash ? writer.name : SOMETHING_OUTSIDE;
  }

  restore(entries: Iterable<SeenEntry>): void {
    for (const entry of entries) this.note(entry, entry.real, entry.hash);
  }
}

const agentKey = (actor: Pick<Actor, 'session' | 'agent'>): string =>
  JSON.stringify([actor.session, actor.agent]);
