const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/**
 * Fills the placeholders of a prompt file. Strict: an unknown placeholder in the text, and a value that the text has
 * no place for, both throw, so that no prompt goes out with a hole. What is filled in is not looked at again.
 */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(values));
  const filled = template.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt has a placeholder that nothing fills: ${name}`);
    unused.delete(name);
    return value;
  });
  if (unused.size > 0) throw new Error(`the prompt has no place for: ${[...unused].join(', ')}`);
  return filled;
}
