/**
 * Reads JSON of unknown shape without ever throwing: compatible servers send numbers for strings, objects for text
 * and leave out what the protocol demands (faults 1 to 34), so a strict schema would refuse answers that are usable.
 */
export type Json = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string with something in it, or a number written as one; anything else is absent. */
export function asWord(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const word = value.trim();
  return word === '' ? undefined : word;
}

export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}

/** The parsed text, or undefined where it is no JSON (`undefined` itself can't be written in JSON). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
