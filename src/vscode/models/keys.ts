import { Emitter, type Event } from '../../base/event';

/** The part of the editor's secret storage that is used. */
export interface Secrets {
  get(key: string): Thenable<string | undefined>;
  store(key: string, value: string): Thenable<void>;
  delete(key: string): Thenable<void>;
}

/**
 * Keys by the origin they were given for. An entry whose base URL was changed to another origin finds none there and
 * the person is asked again: a key is never sent to a server that it was not typed in for.
 */
export class ModelKeys {
  readonly #secrets: Secrets;
  readonly #changes: Emitter<string>;

  /** @param onError of a listener */
  constructor(secrets: Secrets, onError: (error: unknown) => void) {
    this.#secrets = secrets;
    this.#changes = new Emitter(onError);
  }

  /** The origin whose key was set. */
  get onDidChange(): Event<string> {
    return this.#changes.event;
  }

  /** The key; an empty one where the person said that this server wants none; null: never asked. */
  async get(origin: string): Promise<string | null> {
    const stored = await this.#secrets.get(nameOf(origin));
    return stored === undefined ? null : stored.slice(MARK.length);
  }

  async set(origin: string, key: string): Promise<void> {
    await this.#secrets.store(nameOf(origin), `${MARK}${key}`);
    this.#changes.fire(origin);
  }

  async forget(origin: string): Promise<void> {
    await this.#secrets.delete(nameOf(origin));
  }
}

/** Before every stored key, so that an empty one is not taken for none by any keychain. */
const MARK = '=';

const nameOf = (origin: string): string => `key:${origin}`;
