import type { ModelEntry } from './port';

type Capacity = Pick<ModelEntry, 'parallel' | 'singleSession'>;

/** L-19: whether a model serves at least two requests at once, so that a team can be offered on it. */
export function servesTwo({ parallel, singleSession }: Capacity): boolean {
  return parallel === null ? !singleSession : parallel >= 2;
}

/** L-101: how many agents may use a model at once; null: no bound of its own (a hosted API). */
export function slotsOf({ parallel, singleSession }: Capacity): number | null {
  if (parallel !== null) return parallel;
  return singleSession ? 1 : null;
}

/**
 * The origin that a key is bound to (A27, A28), e.g. "https://api.example.com"; null where the address can't be one:
 * no http(s), unreadable, or with a user name in it, which hides the real host.
 */
export function keyOrigin(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return null;
  const url = new URL(baseUrl);
  const web = url.protocol === 'http:' || url.protocol === 'https:';
  return web && url.username === '' && url.password === '' ? url.origin : null;
}

export type EndpointWarning =
  /** Key and transcript go over the network in the clear. */
  { readonly type: 'plain_http'; readonly host: string };

/** What a person should know about an address before a key is sent there. */
export function endpointWarnings(baseUrl: string): readonly EndpointWarning[] {
  if (!URL.canParse(baseUrl)) return [];
  const url = new URL(baseUrl);
  return url.protocol === 'http:' && !isLoopback(url.hostname)
    ? [{ type: 'plain_http', host: url.host }]
    : [];
}

/** The URL parser has already turned other spellings of these addresses ("127.1", "0x7f000001") into this one. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
