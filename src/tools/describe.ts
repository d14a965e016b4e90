/**
 * A text with its `{{name}}` placeholders filled in. Throws if a placeholder has no value or a value no placeholder:
 * both are mistakes in our own files, found when the module is loaded. The final line break is dropped.
 */
export function describe(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const unused = new Set(Object.keys(values));
  const filled = text.replace(/\{\{(\w+)\}\}/gu, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for {{${name}}}`);
    unused.delete(name);
    return String(value);
  });
  if (unused.size > 0) throw new Error(`no placeholder for ${[...unused].join(', ')}`);
  return filled.trimEnd();
}
