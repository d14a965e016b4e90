/** Public registries of schemas: nobody reads there what a model puts into an address. */
const KNOWN = /^https:\/\/(?:json\.schemastore\.org|www\.schemastore\.org|json-schema\.org)\//u;
const GAP = String.raw`(?:\s|/\*[^*]*\*/|//[^\n]*\n)*`;
const SCHEMA = new RegExp(String.raw`"\$schema"${GAP}:${GAP}"((?:https?:)?//[^"]*)"`, 'giu');

/**
 * The address of a JSON schema that `after` names and `before` doesn't: an editor fetches it as soon as it shows the
 * file (A20). null: there is none. Escapes are read as JSON reads them.
 */
export function newRemoteSchema(before: string | null, after: string | null): string | null {
  if (after === null) return null;
  const had = new Set(before === null ? [] : schemasOf(before));
  return schemasOf(after).find((url) => !had.has(url) && !KNOWN.test(url)) ?? null;
}

function schemasOf(text: string): readonly string[] {
  const plain = text
    .replace(/\\u([0-9a-f]{4})/giu, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\\/', '/');
  return [...plain.matchAll(SCHEMA)].flatMap((match) => match[1] ?? []);
}
