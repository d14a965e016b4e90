/** What is kept of a command's output, in characters: its end. */
export const KEPT_CHARS = 1_000_000;

export interface OutputPart {
  readonly text: string;
  /** Where it begins, in characters from the beginning of all output. */
  readonly from: number;
}

/** The output of a command in the background as it comes: bounded, read by offset. */
export class JobOutput {
  readonly #most: number;
  readonly #chunks: string[] = [];
  #kept = 0;
  #dropped = 0;

  constructor(most = KEPT_CHARS) {
    this.#most = most;
  }

  /** Characters that have come so far. */
  get total(): number {
    return this.#dropped + this.#kept;
  }

  add(chunk: string): void {
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    for (let first = this.#chunks[0]; first !== undefined; first = this.#chunks[0]) {
      if (this.#kept - first.length < this.#most) return;
      this.#chunks.shift();
      this.#kept -= first.length;
      this.#dropped += first.length;
    }
  }

  /** All that is kept. */
  whole(): OutputPart {
    const all = this.#chunks.join('');
    const over = Math.max(0, all.length - this.#most);
    return { text: all.slice(over).toWellFormed(), from: this.#dropped + over };
  }
}

/** At most so many characters of what is kept, from an offset on. */
export function partFrom(kept: OutputPart, since: number, most: number): OutputPart {
  const from = Math.min(Math.max(since, kept.from), kept.from + kept.text.length);
  const start = from - kept.from;
  return { text: kept.text.slice(start, start + most), from };
}
