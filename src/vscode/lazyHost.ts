import type { Host, Surfaces } from './surfaces';

/** Loads the engine's bundle the first time it is needed, and only once. */
export class LazyHost {
  readonly #surfaces: () => Surfaces;
  readonly #onFailure: (error: unknown) => void;
  #host: Promise<Host> | null = null;
  #ready: Host | null = null;
  #disposed = false;

  /** @param onFailure told of each start that failed, whoever wanted it */
  constructor(surfaces: () => Surfaces, onFailure: (error: unknown) => void) {
    this.#surfaces = surfaces;
    this.#onFailure = onFailure;
  }

  /** The engine if it is loaded already. */
  get ready(): Host | null {
    return this.#ready;
  }

  /** @throws when the extension is being shut down, or the engine can't start: then the next call tries again */
  get(): Promise<Host> {
    if (this.#disposed) return Promise.reject(new Error('Teamroom is shutting down.'));
    this.#host ??= this.#load();
    return this.#host;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    if (this.#host === null) return;
    const host = await this.#host;
    await host.dispose();
  }

  async #load(): Promise<Host> {
    const surfaces = this.#surfaces();
    try {
      const { startHost } = await import('./engineHost');
      this.#ready = await startHost(surfaces);
      return this.#ready;
    } catch (error) {
      this.#host = null;
      this.#onFailure(error);
      throw error;
    }
  }
}
