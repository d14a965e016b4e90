import type { Readable } from 'node:stream';
import type { ModelAttempts, ModelNotice } from './attempt';
import { asObject } from './lenient';
import { Assembler } from './openai/assembler';
import { BodyReader } from './openai/bodyReader';
import type { Connection, OpenAiEndpoint } from './openai/endpoint';
import {
  brokenOffFault,
  faultOfStatus,
  networkFault,
  redactFault,
  redirectFault,
  retryAfterMs,
} from './openai/faults';
import { needsWholeAnswer, type Profile } from './openai/profile';
import { RedirectRefused } from './openai/transport';
import { WireWriter } from './openai/wire';
import type { ModelEnd, ModelEntry, ModelEvent, ModelFault, ModelRequest } from './port';
import { estimateRequest } from './price';
import { wireIds } from './wireIds';

/** How long a finished answer's connection may take to become free for the next request. */
const DRAIN_MS = 1000;
/** The only origin known to take a cache key; others refuse the whole request. */
const TAKES_CACHE_KEY = 'api.openai.com';

type Opened =
  | { readonly type: 'body'; readonly body: Readable }
  | { readonly type: 'fault'; readonly fault: ModelFault }
  | { readonly type: 'aborted' };

/** What sending once came to; `again`: something was learned and the same request is worth sending once more. */
type Sent = Opened | { readonly type: 'again'; readonly stream: boolean };

/**
 * Any OpenAI-compatible endpoint: chat completions, streaming. The `openai` package makes the request and its errors;
 * the body is read by our own reader and assembler, because the package's stream helpers throw on, merge or silently
 * drop what compatible servers send. Its `post` is used with the body already written: `create` walks every value of
 * the transcript on each request.
 */
export class OpenAiModel implements ModelAttempts {
  readonly #endpoint: OpenAiEndpoint;
  readonly #entry: ModelEntry;
  readonly #onNotice: (notice: ModelNotice) => void;
  readonly #writer = new WireWriter();
  readonly #profile: Profile;

  constructor(endpoint: OpenAiEndpoint, entry: ModelEntry, onNotice: (notice: ModelNotice) => void) {
    this.#endpoint = endpoint;
    this.#entry = entry;
    this.#onNotice = onNotice;
    this.#profile = endpoint.profileOf(entry.model);
  }

  async written(request: ModelRequest): Promise<string> {
    return this.#body(request, true);
  }

  async *attempt(
    request: ModelRequest,
    signal: AbortSignal,
    onProgress: () => void,
  ): AsyncGenerator<ModelEvent, void> {
    const assembler = new Assembler({
      tools: new Set(request.tools.map((tool) => tool.name)),
      inputTokens: estimateRequest(request),
      nextWireId: wireIds(request.messages),
    });
    let connection: Connection;
    try {
      connection = await this.#endpoint.connection();
    } catch (error) {
      yield faultEnd(assembler, unprepared(error));
      return;
    }
    const opened = await this.#open(connection, request, signal);
    if (opened.type === 'aborted') yield assembler.abortedEnd();
    else if (opened.type === 'fault') yield faultEnd(assembler, opened.fault);
    else {
      yield* this.#read(opened.body, assembler, signal, onProgress);
      yield this.#end(assembler, signal, connection.key);
    }
  }

  /** Sends, and sends again for each thing learned from a refusal: one field fewer each time, so it ends. */
  async #open(connection: Connection, request: ModelRequest, signal: AbortSignal): Promise<Opened> {
    let stream = true;
    for (;;) {
      const sent = await this.#send(connection, request, signal, stream);
      if (sent.type !== 'again') return sent;
      stream = sent.stream;
    }
  }

  async #send(
    connection: Connection,
    request: ModelRequest,
    signal: AbortSignal,
    stream: boolean,
  ): Promise<Sent> {
    const { client, transport, key } = connection;
    try {
      const response = await client
        .post('/chat/completions', {
          body: this.#body(request, stream),
          headers: { 'content-type': 'application/json' },
          stream: true,
          signal,
        })
        .asResponse();
      const body = transport.bodyOf(response);
      if (body !== undefined) return { type: 'body', body };
      return { type: 'fault', fault: faultOfStatus(response.status, 'an answer without a body') };
    } catch (error) {
      if (signal.aborted) return { type: 'aborted' };
      return this.#judge(error, connection, request, stream, key);
    }
  }

  #body(request: ModelRequest, stream: boolean): string {
    const profile = this.#profile;
    const parameters = Object.entries(this.#entry.parameters).filter(([name]) => profile.sends(name));
    return this.#writer.body(request, {
      model: this.#entry.model,
      parameters: Object.fromEntries(parameters),
      stream,
      streamOptions: profile.sends('stream_options'),
      cacheKey: this.#sendsCacheKey(request) ? request.cacheKey : undefined,
      replayReasoning: profile.replayReasoning,
    });
  }

  #sendsCacheKey(request: ModelRequest): boolean {
    return (
      request.cacheKey !== undefined &&
      this.#endpoint.host === TAKES_CACHE_KEY &&
      this.#profile.sends('prompt_cache_key')
    );
  }

  #judge(
    error: unknown,
    connection: Connection,
    request: ModelRequest,
    stream: boolean,
    key: string | null,
  ): Sent {
    const refused = causeOf(error, (cause) => cause instanceof RedirectRefused);
    if (refused instanceof RedirectRefused) {
      return this.#fault(redirectFault(this.#endpoint.host, refused.target), key);
    }
    if (!connection.isApiError(error) || error.status === undefined) {
      const coded = causeOf(error, (cause) => typeof asObject(cause)?.['code'] === 'string');
      const code = asObject(coded)?.['code'];
      const message = coded instanceof Error ? coded.message : messageOf(error);
      const known = typeof code === 'string' ? code : undefined;
      return this.#fault(networkFault(this.#endpoint.host, known, message), key);
    }
    const words = `${error.code ?? ''} ${error.type ?? ''} ${error.param ?? ''} ${error.message}`;
    const notice = this.#profile.learn(error.status, words, this.#optionalFields(request));
    if (notice !== undefined) {
      this.#onNotice(notice);
      return { type: 'again', stream };
    }
    if (stream && needsWholeAnswer(error.status, words)) return { type: 'again', stream: false };
    if (error.status === 401 || error.status === 403) this.#endpoint.forget();
    const waitMs = error.headers && retryAfterMs(error.headers, this.#endpoint.clock.now());
    const message = error.message.replace(/^\d{3} /, '').replace('status code (no body)', '');
    return this.#fault(faultOfStatus(error.status, message, { words, retryAfterMs: waitMs }), key);
  }

  #optionalFields(request: ModelRequest): string[] {
    const cacheKey = this.#sendsCacheKey(request) ? ['prompt_cache_key'] : [];
    return ['stream_options', ...cacheKey, ...Object.keys(this.#entry.parameters)];
  }

  #fault(fault: ModelFault, key: string | null): Sent {
    return { type: 'fault', fault: redactFault(fault, key) };
  }

  async *#read(
    body: Readable,
    assembler: Assembler,
    signal: AbortSignal,
    onProgress: () => void,
  ): AsyncGenerator<ModelEvent, void> {
    const reader = new BodyReader(assembler, this.#endpoint.host);
    // The package hears the same signal, but promises nothing about it once it has handed over the response.
    const abort = () => body.destroy();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    let whole = false;
    try {
      for await (const bytes of body.iterator({ destroyOnReturn: false })) {
        const { events, moved } = reader.push(bytes);
        if (moved) onProgress();
        yield* events;
        if (assembler.closed) break;
      }
      yield* reader.close();
      whole = assembler.complete;
    } catch (error) {
      if (!signal.aborted) assembler.fail(brokenOff(error));
    } finally {
      signal.removeEventListener('abort', abort);
      if (whole) this.#drain(body);
      else body.destroy();
    }
  }

  /** Lets the connection be used again: a step must not cost a new one. */
  #drain(body: Readable): void {
    if (body.destroyed) return;
    const timer = this.#endpoint.clock.after(DRAIN_MS, () => body.destroy());
    body.once('close', () => timer.dispose());
    // The answer is complete; what happens to the rest of the connection concerns nobody.
    body.on('error', () => timer.dispose());
    body.resume();
  }

  #end(assembler: Assembler, signal: AbortSignal, key: string | null): ModelEnd {
    if (signal.aborted && !assembler.complete) return assembler.abortedEnd();
    if (assembler.badLines > 0) {
      this.#onNotice({ type: 'lines_skipped', model: this.#entry.model, lines: assembler.badLines });
    }
    const end = assembler.end();
    return end.reason === 'error' ? { ...end, fault: redactFault(end.fault, key) } : end;
  }
}

function faultEnd(assembler: Assembler, fault: ModelFault): ModelEnd {
  assembler.fail(fault);
  return assembler.end();
}

function brokenOff(error: unknown): ModelFault {
  const code = asObject(error)?.['code'];
  return brokenOffFault(typeof code === 'string' ? code : undefined, messageOf(error));
}

/** The key could not be read, or the package not be loaded. */
const unprepared = (error: unknown): ModelFault => ({
  kind: 'auth',
  message: `No request could be prepared: ${messageOf(error)}`,
  retryable: false,
});

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The first error in the chain of causes for which `test` holds. */
function causeOf(error: unknown, test: (cause: unknown) => boolean): unknown {
  let cause = error;
  for (let depth = 0; depth < 5 && cause !== undefined && cause !== null; depth++) {
    if (test(cause)) return cause;
    cause = asObject(cause)?.['cause'];
  }
  return undefined;
}
