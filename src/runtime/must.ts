/** For what must be there: an absent one is a fault of ours, not of the input. */
export function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is not in the state`);
  return value;
}
