import type { Actor } from './port';

export const SOMETHING_OUTSIDE = 'something outside';

/** Who changed a file last, as far as we know, and in which state it was left (null: removed). */
interface LastWriter {
  readonly by: string | Actor;
  readonly left: string | null | 'anything';
}

/**
 * What every agent of the workspace last saw of every file, and who wrote each file last. Kept in memory: after a
 * restart nothing is seen, and an agent that goes on has to read again before it writes.
 */
export class Seen {
  readonly #hashes = new Map<string, Map<string, string>>();
  readonly #writers = new Map<string, LastWriter>();

  /** The agent has seen the file in this state: by reading it or by writing it. */
  note(actor: Actor, real: string, hash: string): void {
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

  noteWriter(real: string, by: LastWriter['by'], left: LastWriter['left']): void {
    this.#writers.set(real, { by, left });
  }

  /**
   * Who brought the file into this state (null: gone), in words for the reader; something outside if it isn't a state
   * that we know of.
   */
  writerOf(real: string, hash: string | null, reader: Actor | null): string {
    const writer = this.#writers.get(real);
    if (writer === undefined || (writer.left !== 'anything' && writer.left !== hash))
      return SOMETHING_OUTSIDE;
    if (typeof writer.by === 'string') return writer.by;
    // What its tools write an agent has seen.
    if (reader !== null && agentKey(writer.by) === agentKey(reader)) return 'a command of yours';
    return nameFor(writer.by, reader);
  }
}

/** An agent's name as another one knows it: each session has its own `lead`. */
export const nameFor = (actor: Actor, reader: Actor | null): string =>
  reader !== null && reader.session !== actor.session
    ? `${actor.agentName} of another session`
    : actor.agentName;

const agentKey = (actor: Actor): string => JSON.stringify([actor.session, actor.agent]);
