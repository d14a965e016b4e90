import { createParser, type EventSourceParser } from 'eventsource-parser';
import { parseJson } from '../lenient';
import type { ModelEvent, ModelFault } from '../port';
import type { Assembler } from './assembler';
import { webPageFault } from './faults';

/** Longest single event and longest whole document, in characters. */
const LONGEST_EVENT = 16_000_000;

type Form = 'unknown' | 'events' | 'document' | 'page' | 'unusable';

/**
 * Bytes of a response body → assembler. What the body is, is told by its first character and not by its content
 * type, which servers get wrong: an event stream, a JSON document (fault 31), or a web page.
 */
export class BodyReader {
  readonly #assembler: Assembler;
  readonly #host: string;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #form: Form = 'unknown';
  #head = '';
  #document: string[] = [];
  #documentChars = 0;
  #moved = false;

  /** `host` names the server in messages. */
  constructor(assembler: Assembler, host: string) {
    this.#assembler = assembler;
    this.#host = host;
    this.#parser = createParser({
      onEvent: ({ data, event }) => this.#event(data, event),
      onError: (error) => {
        // Unknown fields are ignored, as the protocol says; an endless event is not.
        if (error.type !== 'max-buffer-size-exceeded') return;
        assembler.fail(ENDLESS);
        this.#form = 'unusable';
      },
      maxBufferSize: LONGEST_EVENT,
    });
  }

  /** Feeds some bytes, split anywhere. `moved`: whether any of it was more than a keepalive. */
  push(bytes: Uint8Array): { readonly events: readonly ModelEvent[]; readonly moved: boolean } {
    this.#moved = false;
    if (!this.#assembler.closed) this.#text(this.#decoder.decode(bytes, { stream: true }));
    return { events: this.#assembler.takeEvents(), moved: this.#moved };
  }

  /** The body has ended by itself. */
  close(): readonly ModelEvent[] {
    if (!this.#assembler.closed) {
      this.#text(this.#decoder.decode());
      // The last event may lack its blank line.
      if (this.#form === 'events') this.#parser.feed('\n\n');
      if (this.#form === 'document') this.#closeDocument(this.#document.join(''));
    }
    return this.#assembler.takeEvents();
  }

  #text(text: string): void {
    if (text === '') return;
    if (this.#form === 'unknown') {
      this.#head += text;
      const first = this.#head.trimStart()[0];
      if (first === undefined) return;
      this.#form = first === '{' || first === '[' ? 'document' : first === '<' ? 'page' : 'events';
      this.#feed(this.#head.trimStart());
      this.#head = '';
    } else this.#feed(text);
  }

  #feed(text: string): void {
    if (this.#form === 'unusable') return;
    if (this.#form === 'page') this.#assembler.fail(webPageFault(this.#host));
    else if (this.#form === 'events') this.#parser.feed(text);
    else {
      this.#document.push(text);
      this.#documentChars += text.length;
      if (text.trim() !== '') this.#moved = true;
      if (this.#documentChars > LONGEST_EVENT) this.#assembler.fail(ENDLESS);
    }
  }

  #event(data: string, name: string | undefined): void {
    const word = data.trim();
    if (word === '') return;
    if (word.toLowerCase() === '[done]') {
      this.#assembler.markDone();
      this.#moved = true;
      return;
    }
    const chunk = parseJson(word);
    if (chunk !== undefined) this.#chunk(chunk, name);
    else if (word.includes('\n')) for (const line of word.split('\n')) this.#event(line, name);
    else if (name === 'error') this.#chunk({ error: word }, name);
    else this.#assembler.feedBadLine();
  }

  #chunk(chunk: unknown, name: string | undefined): void {
    if (this.#assembler.feed(chunk, name)) this.#moved = true;
  }

  /** One whole answer, or one chunk a line; what is neither was cut and stays incomplete. */
  #closeDocument(text: string): void {
    const whole = parseJson(text);
    if (whole !== undefined) {
      this.#assembler.feed(whole);
      this.#assembler.markDone();
      return;
    }
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (parseJson(lines[0] ?? '') === undefined) return;
    for (const line of lines) this.#event(line, undefined);
  }
}

const ENDLESS: ModelFault = {
  kind: 'protocol',
  message: 'The server sent an answer without end.',
  retryable: false,
};
