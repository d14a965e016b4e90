import { english } from './english';

/**
 * Every string that a person sees, by key. The English table is the source; a translation is another table with the
 * same keys, given once by the host at its start. The webview's bundle has no table: it gets the one in use with the
 * host's first post. Placeholders in braces are part of the key's type, so that a forgotten one does not compile.
 */
export type TextKey = keyof typeof english;

type Placeholders<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Values<K extends TextKey> = [Placeholders<(typeof english)[K]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<(typeof english)[K]>, string | number>>];

/** Keys that come in two forms, `.one` and `.many`, both with `{n}`. */
export type CountKey = {
  [K in TextKey]: K extends `${infer Base}.one` ? (`${Base}.many` extends TextKey ? Base : never) : never;
}[TextKey];

let table: Readonly<Record<TextKey, string>> = english;

/** Replaces the words; keys that are missing keep their English ones. */
export function useStrings(strings: Readonly<Record<string, string>>): void {
  const given = Object.entries(strings).filter(([, words]) => words !== '');
  table = { ...english, ...Object.fromEntries(given) };
}

/** The table in use, to be posted to the webview. */
export const currentStrings = (): Readonly<Record<TextKey, string>> => table;

export function say<K extends TextKey>(key: K, ...[values]: Values<K>): string {
  return fill(table[key], values);
}

/** `sayCount('files', 2)` is "2 files". */
export function sayCount(key: CountKey, n: number): string {
  const form = `${key}.${n === 1 ? 'one' : 'many'}` as TextKey;
  return fill(table[form], { n });
}

function fill(
  template: string | undefined,
  values: Readonly<Record<string, string | number>> | undefined,
): string {
  // Before the table has come nothing is shown that has words.
  if (values === undefined || template === undefined) return template ?? '';
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
