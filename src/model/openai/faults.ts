import type { ModelFault, ModelFaultKind } from '../port';
import type { ChunkError } from './chunk';
import { networkWords } from './networkWords';

/** Longest wait that a server can ask for, in milliseconds; a longer one is not obeyed (facts: a day was seen). */
export const LONGEST_RETRY_AFTER_MS = 120_000;
/** Longest part of a server's words that is shown, in characters. */
const LONGEST_WORDS = 500;

const TOO_LONG =
  /context.?length|maximum context|context.?window|context size|too many (input )?tokens|(prompt|input|request) is too (long|large)|reduce the length/i;
const NO_MONEY = /insufficient.?(quota|balance|credit|funds)|exceeded your current quota|billing/i;

/** An error that came inside a stream which began well (faults 18, 19). */
export function faultOfStreamError(error: ChunkError): ModelFault {
  const words = `${error.code ?? ''} ${error.message}`;
  const status = error.status ?? statusOfWords(words);
  return faultOfStatus(status, error.message, { words });
}

function statusOfWords(words: string): number {
  if (/rate.?limit|too many requests/i.test(words)) return 429;
  if (/overloaded|capacity|unavailable/i.test(words)) return 503;
  if (TOO_LONG.test(words) || /invalid.?request/i.test(words)) return 400;
  if (/auth|api.?key|permission/i.test(words)) return 401;
  return 500;
}

interface StatusDetails {
  /** Code, type and message together, for recognising. */
  readonly words?: string;
  readonly retryAfterMs?: number | undefined;
}

/** What a status means for us. `message` is what the server said, still to be redacted. */
export function faultOfStatus(status: number, message: string, details: StatusDetails = {}): ModelFault {
  const said = readable(message);
  const words = details.words ?? message;
  const fault = (kind: ModelFaultKind, retryable: boolean, sentence: string): ModelFault => ({
    kind,
    message: said === '' ? `${sentence}.` : `${sentence}: ${said}`,
    status,
    ...(retryable && details.retryAfterMs !== undefined && { retryAfterMs: details.retryAfterMs }),
    retryable,
  });
  if (status === 402 || (status === 429 && NO_MONEY.test(words))) {
    return fault('auth', false, 'The account at the model server has no credit left');
  }
  if (status === 401 || status === 403) return fault('auth', false, 'The model server refused the key');
  if (status === 413 || ((status === 400 || status === 422) && TOO_LONG.test(words))) {
    return fault('too_long', false, "The transcript does not fit the model's window");
  }
  if (status === 429) return fault('rate_limit', true, 'The model server asks to wait (rate limit)');
  if (status === 503 || status === 529) return fault('overloaded', true, 'The model server is overloaded');
  if (status === 404) return fault('bad_request', false, 'The model server knows no such model or address');
  if (status === 408 || status === 409 || status === 425) {
    return fault('server', true, `The model server could not answer (${status})`);
  }
  if (status >= 500) {
    return TOO_LONG.test(words)
      ? fault('too_long', false, "The transcript does not fit the model's window")
      : fault('server', true, `The model server failed (${status})`);
  }
  return fault('bad_request', false, `The model server refused the request (${status})`);
}

/** A connection that could not be made or broke. `code` is the system's, e.g. ECONNREFUSED. */
export function networkFault(host: string, code: string | undefined, message: string): ModelFault {
  return {
    kind: 'network',
    message: `${host} could not be reached: ${whyOf(code, message)}.`,
    retryable: true,
  };
}

/** The connection broke in the middle of an answer. `code` is the system's. */
export const brokenOffFault = (code: string | undefined, message: string): ModelFault => ({
  kind: 'incomplete',
  message: `The answer broke off before its end: ${whyOf(code, message)}.`,
  retryable: true,
});

const whyOf = (code: string | undefined, message: string): string =>
  code === undefined ? readable(message) : (networkWords[code] ?? `${readable(message)} (${code})`);

export const webPageFault = (host: string): ModelFault => ({
  kind: 'protocol',
  message: `${host} answered with a web page instead of a model's answer. Check the base URL.`,
  retryable: false,
});

export const redirectFault = (host: string, target: string): ModelFault => ({
  kind: 'protocol',
  message: `${host} redirects to ${target}. The key is not sent there: if that is right, change the base URL.`,
  retryable: false,
});

/** Reads Retry-After (seconds or a date) and its milliseconds variant; the answer is in 0..120,000 ms. */
export function retryAfterMs(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const exact = headers.get('retry-after-ms');
  const given = headers.get('retry-after');
  let wait = exact === null || exact.trim() === '' ? Number.NaN : Number(exact);
  if (Number.isNaN(wait) && given !== null && given.trim() !== '') {
    const seconds = Number(given);
    wait = Number.isNaN(seconds) ? Date.parse(given) - now : seconds * 1000;
  }
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, Math.ceil(wait)), LONGEST_RETRY_AFTER_MS);
}

/** A server's words made fit for one line: markup and line breaks gone, cut. */
function readable(text: string): string {
  if (/<(!doctype|html|head|body)\b/i.test(text)) {
    const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
    return title === undefined || title === '' ? 'a web page' : `a web page, "${title.slice(0, 100)}"`;
  }
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
}

/** Takes the key out of anything that is shown or stored (A26): servers echo it in error bodies. */
export function redact(text: string, key: string | null): string {
  let clean = text.replace(/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, '$1 [key]');
  if (key !== null && key.length >= SHORTEST_SECRET) {
    for (const form of new Set([key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])) {
      clean = clean.replaceAll(form, '[key]');
    }
  }
  return clean;
}

/** Local servers take any word for a key; hiding "x" everywhere would only hide the message. */
const SHORTEST_SECRET = 6;

export const redactFault = (fault: ModelFault, key: string | null): ModelFault => ({
  ...fault,
  message: redact(fault.message, key),
});
