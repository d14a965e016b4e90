import type { Clock } from '../base/clock';
import type { ModelAttempts, ModelNotice } from './attempt';
import { keyOrigin } from './catalog';
import { EndpointGate } from './endpointGate';
import { OpenAiModel } from './openai';
import { OpenAiEndpoint } from './openai/endpoint';
import type { ModelEntry, ModelPort } from './port';
import { RehearsalModel } from './rehearsal';
import { RetryingModel, type RetryOptions } from './retry';

export interface ModelsOptions {
  readonly clock: Clock;
  /** Answers in [0, 1). */
  readonly random: () => number;
  /** The key that is bound to this origin; null: there is none. */
  readonly keyFor: (origin: string) => Promise<string | null>;
  readonly onNotice: (notice: ModelNotice) => void;
  /** Other limits than the defaults of `retry`. */
  readonly limits?: Pick<RetryOptions, 'attempts' | 'firstEventMs' | 'idleMs'>;
  /** Pause between two pieces of the rehearsal's answers, in ms. Default 40. */
  readonly rehearsalPaceMs?: number;
}

/**
 * The models that a host can use. Entries of one base URL share their connections and what was learned of the server;
 * those of one origin share the back-off.
 */
export class Models {
  readonly #options: ModelsOptions;
  readonly #endpoints = new Map<string, OpenAiEndpoint>();
  readonly #gates = new Map<string, EndpointGate>();

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /** A port for an entry; to be kept, and asked for anew when the entry's settings have changed. */
  port(entry: ModelEntry): ModelPort {
    const { clock, limits } = this.#options;
    const gate = this.#gate(entry.provider === 'openai' ? (keyOrigin(entry.baseUrl) ?? '') : entry.provider);
    return new RetryingModel(this.#attempts(entry), { clock, gate, ...limits });
  }

  /** After a key was set, changed or removed: the next request asks for it. */
  keyChanged(origin: string): void {
    for (const [baseUrl, endpoint] of this.#endpoints) if (keyOrigin(baseUrl) === origin) endpoint.forget();
  }

  #attempts(entry: ModelEntry): ModelAttempts {
    switch (entry.provider) {
      case 'openai':
        return new OpenAiModel(this.#endpoint(entry.baseUrl), entry, this.#options.onNotice);
      case 'rehearsal':
        return new RehearsalModel(this.#options.clock, this.#options.rehearsalPaceMs);
    }
  }

  #endpoint(baseUrl: string): OpenAiEndpoint {
    const { clock, keyFor } = this.#options;
    const origin = keyOrigin(baseUrl);
    const key = () => (origin === null ? Promise.resolve(null) : keyFor(origin));
    const endpoint = this.#endpoints.get(baseUrl) ?? new OpenAiEndpoint({ baseUrl, key, clock });
    this.#endpoints.set(baseUrl, endpoint);
    return endpoint;
  }

  #gate(origin: string): EndpointGate {
    const gate = this.#gates.get(origin) ?? new EndpointGate(this.#options.clock, this.#options.random);
    this.#gates.set(origin, gate);
    return gate;
  }
}
