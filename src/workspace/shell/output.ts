import { StringDecoder } from 'node:string_decoder';

/** Live output of one command beyond this isn't passed on any more; the outcome still has its beginning and end. */
const LIVE_CHARS = 1_000_000;
/** Beyond this the command is slowed down, so that reading what nobody will see doesn't take the host's time. */
export const FLOOD_BYTES = 16_000_000;

/** Gathers a command's output: what fits, else its beginning and its end. Bytes that aren't UTF-8 are replaced. */
export class OutputGatherer {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onOutput: (chunk: string) => void;
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #inHead = 0;
  #inTail = 0;
  #total = 0;
  #live = 0;

  constructor(maxBytes: number, onOutput: (chunk: string) => void) {
    this.#onOutput = onOutput;
    this.#headBytes = Math.floor(maxBytes * 0.4);
    this.#tailBytes = maxBytes - this.#headBytes;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const room = this.#headBytes - this.#inHead;
    const head = chunk.subarray(0, Math.max(0, room));
    const tail = chunk.subarray(head.length);
    if (head.length > 0) this.#head.push(head);
    this.#inHead += head.length;
    if (tail.length > 0) this.#addTail(tail);
    this.#passOn(chunk);
  }

  /** Whether so much has come that the command should be slowed down. */
  get floods(): boolean {
    return this.#total > FLOOD_BYTES;
  }

  #addTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#inTail += chunk.length;
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#inTail - first.length < this.#tailBytes) return;
      this.#tail.shift();
      this.#inTail -= first.length;
    }
  }

  #passOn(chunk: Buffer): void {
    if (this.#live > LIVE_CHARS) return;
    const text = this.#decoder.write(chunk);
    this.#live += text.length;
    if (text !== '') this.#onOutput(text);
    if (this.#live > LIVE_CHARS) this.#onOutput('\n[more output is not shown live]\n');
  }

  result(): { readonly output: string; readonly truncated: boolean } {
    const tail = Buffer.concat(this.#tail);
    const kept = tail.subarray(Math.max(0, tail.length - this.#tailBytes));
    const left = this.#total - this.#inHead - kept.length;
    if (left === 0)
      return { output: Buffer.concat([...this.#head, kept]).toString('utf8'), truncated: false };
    const head = Buffer.concat(this.#head).toString('utf8');
    return {
      output: `${cleanEnd(head)}\n[… ${left} bytes of output left out …]\n${cleanStart(kept.toString('utf8'))}`,
      truncated: true,
    };
  }
}

/** A cut may go through a character: its halves would show as replacement characters. */
const cleanEnd = (text: string): string => text.replace(/\ufffd{1,3}$/u, '');
const cleanStart = (text: string): string => text.replace(/^\ufffd{1,3}/u, '');
