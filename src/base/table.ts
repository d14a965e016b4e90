/**
 * A persistent (never mutated) list addressed by position. Changing or appending one item copies one page and the
 * list of pages, not the whole list, so that reducing an event costs the same with 100 items and with 100,000.
 * Plain JSON: it lies in the checkpoint and in the API's `state` as it is.
 */
export interface Table<T> {
  readonly size: number;
  readonly pages: readonly (readonly T[])[];
}

const PAGE = 128;

export const emptyTable = <T>(): Table<T> => ({ size: 0, pages: [] });

export function at<T>(table: Table<T>, index: number): T | undefined {
  if (index < 0 || index >= table.size) return undefined;
  return table.pages[Math.floor(index / PAGE)]?.[index % PAGE];
}

export function append<T>(table: Table<T>, item: T): Table<T> {
  const pages = table.pages.slice();
  const last = pages.length - 1;
  const page = pages[last];
  if (page !== undefined && page.length < PAGE) pages[last] = [...page, item];
  else pages.push([item]);
  return { size: table.size + 1, pages };
}

/** Replaces the item at `index`; a position that doesn't exist leaves the table as it is. */
export function replaceAt<T>(table: Table<T>, index: number, item: T): Table<T> {
  const pageIndex = Math.floor(index / PAGE);
  const page = table.pages[pageIndex];
  if (page === undefined || index < 0 || index >= table.size) return table;
  const pages = table.pages.slice();
  const copy = page.slice();
  copy[index % PAGE] = item;
  pages[pageIndex] = copy;
  return { size: table.size, pages };
}

export function* values<T>(table: Table<T>): Generator<T> {
  for (const page of table.pages) yield* page;
}

/** Items from `index` on, without walking those before it. */
export function* valuesFrom<T>(table: Table<T>, index: number): Generator<T> {
  const from = Math.max(0, index);
  for (let i = Math.floor(from / PAGE); i < table.pages.length; i++) {
    const page = table.pages[i] ?? [];
    for (let j = i * PAGE < from ? from % PAGE : 0; j < page.length; j++) yield page[j] as T;
  }
}
