import { english } from './english';

/**
 * Every string that a person sees, by key. The English table is the source; a translation is another table with the
 * same keys, given once by the host at its start and posted to the webview with the first message. Placeholders in
 * braces are part of the key's type, so that a forgotten one does not compile.
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
  const next: Record<string, string> = { ...english };
  for (const key of Object.keys(english)) {
    const word = Object.hasOwn(strings, key) ? strings[key] : undefined;
    if (word !== undefined && word !== '') next[key] = word;
  }
  table = next as Record<TextKey, string>;
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

function fill(template: string, values: Readonly<Record<string, string | number>> | undefined): string {
  if (values === undefined) return template;
  return template.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
