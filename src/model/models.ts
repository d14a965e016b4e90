import type { Clock } from '../base/clock';
import type { ModelAttempts, ModelNotice } from './attempt';
import { keyOrigin } from './catalog';
import { EndpointGate } from './endpointGate';
import { LateModel } from './late';
import type { OpenAiAdapter } from './openai/adapter';
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

/** The models that a host can use. Entries of one origin share the back-off. */
export class Models {
  readonly #options: ModelsOptions;
  readonly #gates = new Map<string, EndpointGate>();
  #openAi: Promise<OpenAiAdapter> | null = null;

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
    // One that was never loaded, or could not be, has asked for no key.
    this.#openAi?.then(
      (adapter) => adapter.keyChanged(origin),
      () => undefined,
    );
  }

  #attempts(entry: ModelEntry): ModelAttempts {
    switch (entry.provider) {
      case 'openai':
        return new LateModel(async () => (await this.#adapter()).attempts(entry));
      case 'rehearsal':
        return new RehearsalModel(this.#options.clock, this.#options.rehearsalPaceMs);
    }
  }

  /** A bundle of its own, loaded with the first request; tried again by the next one if that failed. */
  #adapter(): Promise<OpenAiAdapter> {
    const loading = this.#openAi ?? this.#load();
    this.#openAi = loading;
    return loading;
  }

  async #load(): Promise<OpenAiAdapter> {
    try {
      const { OpenAiAdapter } = await import('./openai/adapter');
      return new OpenAiAdapter(this.#options);
    } catch (error) {
      this.#openAi = null;
      throw error;
    }
  }

  #gate(origin: string): EndpointGate {
    const gate = this.#gates.get(origin) ?? new EndpointGate(this.#options.clock, this.#options.random);
    this.#gates.set(origin, gate);
    return gate;
  }
}
