import type { ModelEntry } from '../../model/port';

export const DEFAULT_WINDOW = 128_000;
export const LEAST_WINDOW = 1024;

/** An id that no other entry has, made from what the person called the model. */
export function freeId(label: string, taken: ReadonlySet<string>): string {
  const base =
    label
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'model';
  if (!taken.has(base)) return base;
  let n = 2;
  while (taken.has(`${base}-${n}`)) n++;
  return `${base}-${n}`;
}

export type PricesProblem = 'form' | 'number';

/**
 * Reads prices as typed: "input output" or "input cached output", USD per million tokens.
 * @returns null for an empty text: unknown, so money is not counted
 */
export function readPrices(text: string): ModelEntry['price'] | PricesProblem {
  const parts = text
    .trim()
    .split(/[\s/;,]+/)
    .filter((part) => part !== '');
  if (parts.length === 0) return null;
  if (parts.length !== 2 && parts.length !== 3) return 'form';
  const numbers = parts.map(Number);
  if (numbers.some((number) => !Number.isFinite(number) || number < 0)) return 'number';
  const [input = 0, second = 0, third] = numbers;
  return third === undefined
    ? { input, cachedInput: input, output: second }
    : { input, cachedInput: second, output: third };
}

/** A whole number of at least `least`, as typed ("128000", "128k", "1M"); null where it is none. */
export function readCount(text: string, least: number): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([kKmM]?)$/.exec(text.trim());
  if (match === null) return null;
  const unit = match[2]?.toLowerCase() === 'k' ? 1000 : match[2]?.toLowerCase() === 'm' ? 1_000_000 : 1;
  const count = Number(match[1]) * unit;
  return Number.isInteger(count) && count >= least ? count : null;
}
