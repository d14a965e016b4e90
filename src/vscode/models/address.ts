import { fail, ok, type Result } from '../../base/result';
import { endpointWarnings, isLoopback } from '../../model/catalog';

/** Where a model is served. */
export interface Address {
  /** As it is kept in the settings: no trailing slash. */
  readonly url: string;
  /** Scheme, host and port: what a key is bound to. */
  readonly origin: string;
  /** The key and all texts would cross a network unencrypted. */
  readonly exposed: boolean;
}

export type AddressProblem = 'empty' | 'not_url' | 'not_http' | 'userinfo' | 'query';

/**
 * Reads a base URL as a person types it. Only the parser's own idea of the host counts: a name that merely looks
 * like a known one, or hides behind `user@`, is refused (A28).
 */
export function readAddress(text: string): Result<Address, AddressProblem> {
  const typed = text.trim();
  if (typed === '') return fail('empty');
  let url: URL;
  try {
    url = new URL(typed);
  } catch {
    return fail('not_url');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return fail('not_http');
  if (url.username !== '' || url.password !== '') return fail('userinfo');
  if (url.search !== '' || url.hash !== '') return fail('query');
  const path = url.pathname.replace(/\/+$/, '');
  return ok({
    url: `${url.origin}${path}`,
    origin: url.origin,
    exposed: endpointWarnings(url.href).length > 0,
  });
}

/** Served by this machine itself, where a key is seldom needed. */
export const isLocal = (baseUrl: string): boolean => {
  const address = readAddress(baseUrl);
  return address.ok && isLoopback(new URL(address.value.url).hostname);
};
