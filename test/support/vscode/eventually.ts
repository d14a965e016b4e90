/** How long a thing that must come may take, in milliseconds: the machine may be busy with others' work. */
const COMES_MS = 60_000;
const LOOK_EVERY_MS = 50;

/**
 * Looks again and again until `look` answers something else than undefined.
 * @param what is said, with what was seen last, when it does not come
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  last: () => unknown = () => '',
  limitMs = COMES_MS,
): Promise<T> {
  const until = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) {
      const seen = last();
      const text = typeof seen === 'string' ? seen : JSON.stringify(seen, null, 1);
      throw new Error(`${what}: not within ${limitMs} ms${text === '' ? '' : `; seen last:\n${text}`}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Resolves when `look` answers what satisfies `holds`, with that; says what was seen last when it never does. */
export async function until<T>(
  what: string,
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
  limitMs = COMES_MS,
): Promise<T> {
  let seen: T | undefined;
  return await eventually(
    what,
    async () => {
      seen = await look();
      return holds(seen) ? seen : undefined;
    },
    () => seen,
    limitMs,
  );
}
