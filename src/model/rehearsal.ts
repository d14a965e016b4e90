import type { Clock } from '../base/clock';
import { estimateTokens } from '../base/tokens';
import type { ModelAttempts } from './attempt';
import type { ModelEnd, ModelEvent, ModelRequest, ModelUsage } from './port';
import { estimateRequest } from './price';
import { wireIds } from './wireIds';

/** Pause between two pieces of an answer, in ms, so that a person can watch. */
const PACE_MS = 40;
/** Words shown at once. */
const WORDS_PER_PIECE = 3;

/**
 * A model without a network that plays one prepared task in the sample folder. It is labelled everywhere as what it
 * is, and decides from each request alone: nothing is remembered between two of them.
 */
export class RehearsalModel implements ModelAttempts {
  readonly #clock: Clock;
  readonly #paceMs: number;

  /** `paceMs` 0: no pauses at all. */
  constructor(clock: Clock, paceMs = PACE_MS) {
    this.#clock = clock;
    this.#paceMs = paceMs;
  }

  /** Nothing is sent; this is what the script decides from. */
  async written(request: ModelRequest): Promise<string> {
    return JSON.stringify(request);
  }

  async *attempt(
    request: ModelRequest,
    signal: AbortSignal,
    onProgress: () => void,
  ): AsyncGenerator<ModelEvent, void> {
    // The script is a bundle of its own: only sample folders need it.
    const { rehearse } = await import('./rehearsal/script');
    const part = rehearse(request);
    const nextWireId = wireIds(request.messages);
    let text = '';
    for (const piece of pieces(part.text)) {
      await this.#pause(signal);
      if (signal.aborted) return yield aborted(text, usageOf(request, text));
      text += piece;
      onProgress();
      yield { type: 'text', text: piece };
    }
    const calls = part.calls.map(({ tool, args }) => ({
      wireId: nextWireId(),
      tool,
      args: JSON.stringify(args),
    }));
    for (const { tool } of calls) {
      await this.#pause(signal);
      if (signal.aborted) return yield aborted(text, usageOf(request, text));
      onProgress();
      yield { type: 'call_started', tool };
    }
    const written = text + calls.map((call) => call.args).join('');
    yield {
      type: 'end',
      reason: calls.length === 0 ? 'stop' : 'tool_calls',
      text,
      reasoning: '',
      calls,
      usage: usageOf(request, written),
    };
  }

  #pause(signal: AbortSignal): Promise<void> {
    if (this.#paceMs === 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        timer.dispose();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = this.#clock.after(this.#paceMs, done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

const aborted = (text: string, usage: ModelUsage): ModelEnd => ({
  type: 'end',
  reason: 'aborted',
  text,
  usage,
});

const usageOf = (request: ModelRequest, written: string): ModelUsage => ({
  inputTokens: estimateRequest(request),
  cachedTokens: 0,
  outputTokens: estimateTokens(written),
  estimated: true,
});

/** The text in pieces of a few words each; joined they are the text. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`(?:\\S+\\s*){1,${WORDS_PER_PIECE}}`, 'g')) ?? [];
}
