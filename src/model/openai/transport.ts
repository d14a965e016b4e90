import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Headers that go out. All others that the package adds (its platform, the environment's extras) stay here. */
const SENT = ['accept', 'authorization', 'content-type', 'user-agent'] as const;
/** Longest body of an error that is read, in bytes. */
const LONGEST_ERROR = 65_536;
const LONGEST_CHAIN = 3;
const RESET = new Set(['ECONNRESET', 'EPIPE']);

/** The server sends us to another origin, where neither the key nor the transcript may go (A27). */
export class RedirectRefused extends Error {
  readonly target: string;
  constructor(target: string) {
    super('redirect refused');
    this.name = 'RedirectRefused';
    this.target = target;
  }
}

/**
 * The package's `fetch` on node:http: half the time per request of the global one, no redirect followed that the
 * person has not chosen, only the headers listed above, and the editor's proxy and certificate settings hold. The
 * body of an answer is read as a node stream through `bodyOf`, not through the Response.
 */
export class Transport {
  readonly #bodies = new WeakMap<Response, Readable>();
  readonly #sendsKey: boolean;

  /** `sendsKey` false: no Authorization header at all, for local servers without a key. */
  constructor(sendsKey: boolean) {
    this.#sendsKey = sendsKey;
  }

  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!this.#sendsKey) headers.delete('authorization');
    const body = Buffer.from(typeof init.body === 'string' ? init.body : '');
    let url = new URL(input instanceof Request ? input.url : input);
    for (let hops = 0; ; hops++) {
      const incoming = await send(url, init.method ?? 'POST', headers, body, init.signal ?? undefined);
      const status = incoming.statusCode ?? 0;
      if (status < 300 || status >= 400) return await this.#response(incoming, status);
      incoming.destroy();
      url = nextHop(url, incoming, hops);
    }
  };

  /** The body of an answer that this transport fetched; undefined for errors, whose text the Response has. */
  bodyOf(response: Response): Readable | undefined {
    return this.#bodies.get(response);
  }

  async #response(incoming: IncomingMessage, status: number): Promise<Response> {
    const headers = new Headers();
    for (const name of ['content-type', 'retry-after', 'retry-after-ms', 'x-request-id']) {
      const value = incoming.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const body = decoded(incoming);
    // A body that breaks while nobody reads it must not end the process; its reader sees the error itself.
    body.on('error', () => undefined);
    if (status >= 400) return new Response(await readText(body), { status, headers });
    const response = new Response(null, { status: status === 0 ? 502 : status, headers });
    this.#bodies.set(response, body);
    return response;
  }
}

/** Sends one request; resolves with the headers. A connection that was kept and died meanwhile is replaced once. */
async function send(
  url: URL,
  method: string,
  headers: Headers,
  body: Buffer,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const open = (again: boolean): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        method,
        headers: headersOf(headers, body),
        ...(signal !== undefined && { signal }),
      });
      outgoing.once('response', resolve);
      outgoing.once('error', (error) => {
        if (again && isStale(outgoing, error)) resolve(open(false));
        else reject(error);
      });
      outgoing.end(body);
    });
  return open(true);
}

function isStale(outgoing: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return outgoing.reusedSocket && error.code !== undefined && RESET.has(error.code);
}

function headersOf(headers: Headers, body: Buffer): Record<string, string | number> {
  const sent: Record<string, string | number> = { 'content-length': body.length };
  for (const name of SENT) {
    const value = headers.get(name);
    if (value !== null) sent[name] = value;
  }
  return sent;
}

/** Only a redirect that keeps method and body, within the same origin, is followed. */
function nextHop(url: URL, incoming: IncomingMessage, hops: number): URL {
  const location = incoming.headers.location ?? '';
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const kept = incoming.statusCode === 307 || incoming.statusCode === 308;
  if (target?.origin === url.origin && kept && hops < LONGEST_CHAIN) return target;
  throw new RedirectRefused(target === undefined ? 'an unreadable address' : target.origin + target.pathname);
}

function decoded(incoming: IncomingMessage): Readable {
  const decoder = decoderOf(incoming.headers['content-encoding']);
  if (decoder === undefined) return incoming;
  incoming.once('error', (error) => decoder.destroy(error));
  decoder.once('close', () => incoming.destroy());
  return incoming.pipe(decoder);
}

function decoderOf(encoding: string | undefined) {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return undefined;
}

async function readText(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      parts.push(part);
      bytes += part.length;
      if (bytes > LONGEST_ERROR) break;
    }
  } catch {
    // What had arrived of the error's text is worth more than a second error about its loss.
    body.destroy();
  }
  return Buffer.concat(parts).toString('utf8').slice(0, LONGEST_ERROR);
}
