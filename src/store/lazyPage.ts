/**
 * A list that is parsed when something first looks into it. Most pages of a long history never are: opening then
 * costs what is needed, not the whole state. To all who use it it is an ordinary array.
 * @param json a JSON array that has been checked to be whole
 */
export function lazyPage(json: Buffer): readonly unknown[] {
  let unread: Buffer | null = json;
  const items: unknown[] = [];
  const read = (): unknown[] => {
    if (unread === null) return items;
    const parsed: unknown = JSON.parse(unread.toString());
    unread = null;
    if (Array.isArray(parsed)) for (const item of parsed) items.push(item);
    return items;
  };
  return new Proxy(items, {
    get: (_, key) => Reflect.get(read(), key),
    has: (_, key) => Reflect.has(read(), key),
    ownKeys: () => Reflect.ownKeys(read()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(read(), key),
    set: (_, key, value) => Reflect.set(read(), key, value),
    defineProperty: (_, key, descriptor) => Reflect.defineProperty(read(), key, descriptor),
    deleteProperty: (_, key) => Reflect.deleteProperty(read(), key),
    preventExtensions: () => Reflect.preventExtensions(read()),
  });
}
