import type { APIError, OpenAI } from 'openai';
import type { Clock } from '../../base/clock';
import { Profile } from './profile';
import { Transport } from './transport';

/** The names that are used of the package; it is its own bundle and loaded with the first request. */
type Package = Pick<typeof import('openai'), 'OpenAI' | 'APIError'>;

export interface Connection {
  readonly client: OpenAI;
  readonly transport: Transport;
  readonly key: string | null;
  readonly isApiError: (error: unknown) => error is APIError;
}

export interface EndpointOptions {
  /** As the person set it, e.g. "https://api.example.com/v1". */
  readonly baseUrl: string;
  /** The key for this endpoint's origin; null: none is needed. Asked for once, and again after it was refused. */
  readonly key: () => Promise<string | null>;
  readonly clock: Clock;
}

/** What all models of one base URL share: client, key, connections, and what was learned about each model. */
export class OpenAiEndpoint {
  readonly host: string;
  readonly clock: Clock;
  readonly #options: EndpointOptions;
  readonly #profiles = new Map<string, Profile>();
  #connection: Promise<Connection> | undefined;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.host = URL.canParse(options.baseUrl) ? new URL(options.baseUrl).host : options.baseUrl;
  }

  /** Rejects where the key can't be had or the package not be loaded; the next call tries again. */
  connection(): Promise<Connection> {
    if (this.#connection === undefined) {
      this.#connection = this.#connect();
      this.#connection.catch(() => this.forget());
    }
    return this.#connection;
  }

  /** Asks for the key again with the next request. */
  forget(): void {
    this.#connection = undefined;
  }

  profileOf(model: string): Profile {
    const profile = this.#profiles.get(model) ?? new Profile(model);
    this.#profiles.set(model, profile);
    return profile;
  }

  async #connect(): Promise<Connection> {
    const [key, sdk]: [string | null, Package] = await Promise.all([this.#options.key(), import('openai')]);
    const transport = new Transport(key !== null);
    const client = new sdk.OpenAI({
      // The package wants one; without a key the transport sends no Authorization header.
      apiKey: key ?? 'none',
      baseURL: this.#options.baseUrl,
      maxRetries: 0,
      timeout: LONGEST_TIMEOUT_MS,
      fetch: transport.fetch,
      logLevel: 'off',
      // Null, not absent: absent ones are read from the environment and would go to whatever server this is.
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
    });
    const isApiError = (error: unknown): error is APIError => error instanceof sdk.APIError;
    return { client, transport, key, isApiError };
  }
}

/** Deadlines are ours (`retry`), the package's must not come first. */
const LONGEST_TIMEOUT_MS = 24 * 3_600_000;
