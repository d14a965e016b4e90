/** The end of an exhaustive switch: a forgotten case is a compile error, an impossible value at run time throws. */
export function never(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
