import type { Clock } from '../../base/clock';
import type { ModelAttempts, ModelNotice } from '../attempt';
import { keyOrigin } from '../catalog';
import { OpenAiModel } from '../openai';
import type { ModelEntry } from '../port';
import { OpenAiEndpoint } from './endpoint';

export interface OpenAiOptions {
  readonly clock: Clock;
  /** The key that is bound to this origin; null: there is none. */
  readonly keyFor: (origin: string) => Promise<string | null>;
  readonly onNotice: (notice: ModelNotice) => void;
}

/** All OpenAI-compatible servers. Entries of one base URL share their connections and what was learned of the server. */
export class OpenAiAdapter {
  readonly #options: OpenAiOptions;
  readonly #endpoints = new Map<string, OpenAiEndpoint>();

  constructor(options: OpenAiOptions) {
    this.#options = options;
  }

  attempts(entry: ModelEntry): ModelAttempts {
    return new OpenAiModel(this.#endpoint(entry.baseUrl), entry, this.#options.onNotice);
  }

  keyChanged(origin: string): void {
    for (const [baseUrl, endpoint] of this.#endpoints) if (keyOrigin(baseUrl) === origin) endpoint.forget();
  }

  #endpoint(baseUrl: string): OpenAiEndpoint {
    const { clock, keyFor } = this.#options;
    const origin = keyOrigin(baseUrl);
    const key = () => (origin === null ? Promise.resolve(null) : keyFor(origin));
    const endpoint = this.#endpoints.get(baseUrl) ?? new OpenAiEndpoint({ baseUrl, key, clock });
    this.#endpoints.set(baseUrl, endpoint);
    return endpoint;
  }
}
