import type { ModelNotice } from '../attempt';

const UNKNOWN =
  /unknown|unrecogni[sz]ed|unsupported|not support|not (been )?permitted|not allowed|unexpected|extra (field|input)|invalid (field|parameter|argument)|no such|cannot be used|does not exist/i;
const WANTS_REASONING = /reasoning_content/i;
const TEMPLATE_FAILED = /XML syntax error/i;

/**
 * What a server has shown about one of its models, learned from its refusals and kept while the process lives: which
 * optional fields it refuses, and whether it wants its reasoning back (fault 24). Only optional fields are ever
 * dropped, and only when the server's words name the field and call it unknown.
 */
export class Profile {
  readonly #model: string;
  readonly #dropped = new Set<string>();
  #replayReasoning = false;

  constructor(model: string) {
    this.#model = model;
  }

  get replayReasoning(): boolean {
    return this.#replayReasoning;
  }

  sends(field: string): boolean {
    return !this.#dropped.has(field);
  }

  /** Learns from a refusal of a request that had the optional fields `sent`; undefined: nothing to change. */
  learn(status: number, words: string, sent: readonly string[]): ModelNotice | undefined {
    if (status !== 400 && status !== 422) return undefined;
    const field = sent.find((name) => this.sends(name) && mentions(words, name));
    if (field !== undefined && UNKNOWN.test(words)) {
      this.#dropped.add(field);
      return { type: 'field_dropped', model: this.#model, field };
    }
    if (!this.#replayReasoning && WANTS_REASONING.test(words)) {
      this.#replayReasoning = true;
      return { type: 'reasoning_replayed', model: this.#model };
    }
    return undefined;
  }
}

/** Whether a server's own tool-call parser failed on its stream, so that a whole answer may still work (fault 27). */
export const needsWholeAnswer = (status: number, words: string): boolean =>
  status >= 500 && TEMPLATE_FAILED.test(words);

const mentions = (words: string, field: string): boolean =>
  new RegExp(`(^|[^\\w])${field.replace(/[^\w]/g, '\\$&')}($|[^\\w])`).test(words);
