import type { Host, Surfaces } from './surfaces';

/** Loads the engine's bundle the first time it is needed, and only once. */
export class LazyHost {
  readonly #surfaces: () => Surfaces;
  #host: Promise<Host> | null = null;
  #ready: Host | null = null;
  #disposed = false;

  constructor(surfaces: () => Surfaces) {
    this.#surfaces = surfaces;
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
      surfaces.log.error('the engine could not start', error instanceof Error ? error : String(error));
      throw error;
    }
  }
}
