import { type ListOp, PAGE_ROWS, type Page, type Row } from '../src/shared/protocol';

/**
 * The part of one list that has been loaded, by position: what is not there is asked for when it comes into sight.
 * Heights are those that were seen, 0 where none was.
 */
export class RowCache {
  readonly keys: (string | undefined)[] = [];
  readonly heights: number[] = [];
  readonly #rows = new Map<string, Row>();
  readonly #asked = new Set<number>();

  get total(): number {
    return this.keys.length;
  }

  reset(total: number): void {
    this.keys.length = 0;
    this.heights.length = 0;
    this.#rows.clear();
    this.#asked.clear();
    this.resize(total);
  }

  /** The list's length as the host says it; it only differs before the first page. */
  resize(total: number): void {
    while (this.keys.length < total) {
      this.keys.push(undefined);
      this.heights.push(0);
    }
    this.keys.length = total;
    this.heights.length = total;
  }

  at(index: number): Row | undefined {
    const key = this.keys[index];
    return key === undefined ? undefined : this.#rows.get(key);
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  indexOf(key: string): number {
    return this.keys.lastIndexOf(key);
  }

  put(page: Page): void {
    this.resize(page.total);
    page.rows.forEach((row, i) => {
      this.keys[page.from + i] = row.key;
      this.#rows.set(row.key, row);
    });
    this.#asked.delete(page.from);
  }

  apply(op: ListOp): void {
    switch (op.op) {
      case 'set':
        if (this.#rows.has(op.row.key)) this.#rows.set(op.row.key, op.row);
        return;
      case 'insert':
        this.keys.splice(op.index, 0, op.row?.key);
        this.heights.splice(op.index, 0, 0);
        if (op.row !== null) this.#rows.set(op.row.key, op.row);
        return;
      case 'remove':
        this.keys.splice(op.index, 1);
        this.heights.splice(op.index, 1);
        this.#rows.delete(op.key);
        return;
    }
  }

  /** Where pages have to be asked for so that the rows from..to are there; each is answered once. */
  missing(from: number, to: number): readonly number[] {
    const starts: number[] = [];
    for (let index = from; index < to; index++) {
      if (this.keys[index] !== undefined) continue;
      const start = Math.floor(index / PAGE_ROWS) * PAGE_ROWS;
      if (this.#asked.has(start)) continue;
      this.#asked.add(start);
      starts.push(start);
    }
    return starts;
  }

  measured(index: number, height: number): void {
    if (index < this.heights.length) this.heights[index] = height;
  }

  /** Another width: every height is another one. */
  forgetHeights(): void {
    this.heights.fill(0);
  }
}

/**
 * Pixels of a row that was never drawn. Always the same: a better guess on the way would move every row that is
 * above what is in sight.
 */
const GUESS = 72;

export const heightAt = (heights: readonly number[], index: number): number => heights[index] || GUESS;

export interface WindowOfRows {
  readonly from: number;
  readonly to: number;
  /** Pixels above and below the rows that are drawn. */
  readonly above: number;
  readonly below: number;
}

/** The rows that are to be drawn for what is in sight, with some more on both sides. */
export function windowOf(heights: readonly number[], top: number, sight: number, more: number): WindowOfRows {
  let y = 0;
  let from = -1;
  let above = 0;
  let to = heights.length;
  let bottomOfLast = 0;
  for (let i = 0; i < heights.length; i++) {
    const height = heightAt(heights, i);
    if (from < 0 && y + height > top - more) {
      from = i;
      above = y;
    }
    y += height;
    if (from >= 0 && to === heights.length && y >= top + sight + more) {
      to = i + 1;
      bottomOfLast = y;
    }
  }
  if (from < 0) return { from: heights.length, to: heights.length, above: y, below: 0 };
  return { from, to, above, below: to === heights.length ? 0 : y - bottomOfLast };
}

/** Pixels above a row. */
export function offsetOf(heights: readonly number[], index: number): number {
  let y = 0;
  for (let i = 0; i < index && i < heights.length; i++) y += heightAt(heights, i);
  return y;
}
