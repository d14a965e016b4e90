import * as z from 'zod';
import type { ModelEntry } from '../../model/port';
import { readAddress } from './address';

export const DEFAULT_WINDOW = 128_000;
export const LEAST_WINDOW = 1024;

const priceSchema = z.object({
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
});

const entrySchema = z.object({
  id: z.string().min(1),
  provider: z.literal('openai'),
  label: z.string().optional(),
  baseUrl: z.string(),
  model: z.string().min(1),
  parallel: z.int().min(1).nullish(),
  singleSession: z.boolean().optional(),
  capacityGroup: z.string().min(1).nullish(),
  contextWindow: z.int().min(LEAST_WINDOW).optional(),
  price: priceSchema.nullish(),
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export interface ReadEntries {
  readonly entries: readonly ModelEntry[];
  /** What in the setting can't be used, with its position; the other entries still can. */
  readonly problems: readonly string[];
}

/** Reads the setting `teamroom.models`, which a person may have written by hand. */
export function readEntries(setting: unknown): ReadEntries {
  const list: readonly unknown[] = Array.isArray(setting) ? setting : [];
  const entries: ModelEntry[] = [];
  const problems: string[] = [];
  if (!Array.isArray(setting)) problems.push('it is not a list');
  for (const [index, item] of list.entries()) {
    const problem = readEntry(item, entries);
    if (problem !== null) problems.push(`entry ${index + 1}: ${problem}`);
  }
  return { entries, problems };
}

/** Appends the entry, or answers why it can't be used. */
function readEntry(item: unknown, entries: ModelEntry[]): string | null {
  const parsed = entrySchema.safeParse(item);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const address = readAddress(parsed.data.baseUrl);
  if (!address.ok) return `the base URL "${parsed.data.baseUrl}" can't be used`;
  if (entries.some((entry) => entry.id === parsed.data.id))
    return `a second model has the id "${parsed.data.id}"`;
  const { id, model, price } = parsed.data;
  entries.push({
    id,
    provider: 'openai',
    label: parsed.data.label ?? id,
    baseUrl: address.value.url,
    model,
    parallel: parsed.data.parallel ?? null,
    singleSession: parsed.data.singleSession ?? false,
    capacityGroup: parsed.data.capacityGroup ?? null,
    contextWindow: parsed.data.contextWindow ?? DEFAULT_WINDOW,
    price: price == null ? null : { ...price, cachedInput: price.cachedInput ?? price.input },
    parameters: parsed.data.parameters ?? {},
  });
  return null;
}

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
