import type { ModelAttempts } from './attempt';
import type { ModelEvent, ModelRequest } from './port';

/** A model whose adapter is loaded with its first request. */
export class LateModel implements ModelAttempts {
  readonly #load: () => Promise<ModelAttempts>;
  #loaded: Promise<ModelAttempts> | null = null;

  constructor(load: () => Promise<ModelAttempts>) {
    this.#load = load;
  }

  async written(request: ModelRequest): Promise<string> {
    return (await this.#model()).written(request);
  }

  async *attempt(
    request: ModelRequest,
    signal: AbortSignal,
    onProgress: () => void,
  ): AsyncGenerator<ModelEvent, void> {
    yield* (await this.#model()).attempt(request, signal, onProgress);
  }

  /** What could not be loaded is tried again by the next request. */
  #model(): Promise<ModelAttempts> {
    const loading = this.#loaded ?? this.#load();
    this.#loaded = loading;
    loading.catch(() => {
      this.#loaded = null;
    });
    return loading;
  }
}
