import type { ModelEnd, ModelMessage } from '../model/port';
import type { CutResult, EntryRef, StepUsage } from '../shared/state';
import { chooseCuts, chooseKept, type PartShape, type Room } from './choice';
import { type ContextPart, type ContextWindow, messageSize, partSize } from './context';
import type { RunHost } from './port';
import { streamAnswer } from './stream';

/** Parts of the model's window: when it counts as nearly full, how full it is afterwards, what a summary may take. */
const NEARLY_FULL = 0.8;
const AFTERWARDS = 0.6;
const SUMMARY = 0.1;
/** What must be won by leaving it out; else each step would make a summary. */
const LEAST = 0.1;

export type Compacted = 'made' | 'nothing' | 'gone';

export const isNearlyFull = (host: RunHost, window: ContextWindow): boolean =>
  window.tokens > host.contextWindow * NEARLY_FULL;

/**
 * Makes room in the context: what came before the newest steps is put into words by a model call of its own. If that
 * fails, the oldest results are cut, and if that is not enough, the steps are left out without a summary. Whatever is
 * done is recorded before the next request, which is made from the record.
 * @param forced the server has refused the transcript: whatever can be won is taken
 */
export async function compact(
  host: RunHost,
  window: ContextWindow,
  signal: AbortSignal,
  forced: boolean,
): Promise<Compacted> {
  const shapes = shapesOf(window);
  const choice = chooseKept(shapes, await roomIn(host, window, forced));
  if (choice === null) return 'nothing';
  if (choice.from === 0) return record(host, window, { text: null, from: null, cut: choice.cut });
  const began = host.now();
  const answer = await askForSummary(host, window, choice.from, signal);
  await host.flushed();
  const usage = host.usage(answer.usage, host.now() - began);
  if (signal.aborted || answer.reason === 'aborted') {
    host.recordAbort('', usage, null);
    return 'gone';
  }
  const fault = faultOf(answer);
  const from = window.parts[choice.from]?.ref ?? null;
  if (fault === null) {
    const text = await host.wordsFor(summaryOf(host, answer.text), from);
    return record(host, window, { text, from, cut: choice.cut, usage });
  }
  return withoutSummary(host, window, shapes, { from, cut: choice.cut, fault, usage, forced });
}

interface Made {
  readonly text: string | null;
  readonly from: EntryRef | null;
  readonly cut: readonly CutResult[];
  readonly fault?: string;
  readonly usage?: StepUsage;
}

async function record(host: RunHost, window: ContextWindow, made: Made): Promise<'made'> {
  host.recordCompaction({ fault: null, usage: null, ...made });
  await host.flushed();
  window.replace(await host.context());
  return 'made';
}

/** The oldest results are cut; where that does not make enough room, the oldest steps are gone. */
async function withoutSummary(
  host: RunHost,
  window: ContextWindow,
  shapes: readonly PartShape[],
  made: Pick<Required<Made>, 'from' | 'cut' | 'fault' | 'usage'> & { readonly forced: boolean },
): Promise<'made'> {
  const { from, cut, fault, usage, forced } = made;
  const save = window.tokens - host.contextWindow * AFTERWARDS;
  const older = chooseCuts(shapes, save);
  const won = saving(shapes, [...older, ...cut]);
  if (!forced && won > 0 && won >= Math.min(save, host.contextWindow * LEAST)) {
    return record(host, window, { text: null, from: null, cut: [...older, ...cut], fault, usage });
  }
  return record(host, window, { text: await host.wordsFor(null, from), from, cut, fault, usage });
}

function saving(shapes: readonly PartShape[], cut: readonly CutResult[]): number {
  const chars = new Map(cut.map((each) => [each.callId, each.chars]));
  return shapes
    .flatMap((shape) => shape.results)
    .reduce((sum, result) => {
      const left = chars.get(result.callId);
      return left === undefined ? sum : sum + result.tokens * (1 - left / result.chars);
    }, 0);
}

async function roomIn(host: RunHost, window: ContextWindow, forced: boolean): Promise<Room> {
  const size = host.contextWindow;
  const words = window.sizeOfText(await host.wordsFor('', null)) + size * SUMMARY;
  // A server that refuses may count in a way that is not known here.
  const afterwards = size * (forced ? AFTERWARDS / 2 : AFTERWARDS);
  const keep = Math.max(0, Math.floor(afterwards - window.fixed - words));
  return { keep, least: forced ? 1 : Math.floor(size * LEAST) };
}

function shapesOf(window: ContextWindow): readonly PartShape[] {
  return window.parts.map((part): PartShape => {
    const [first] = part.messages;
    const kind = part.ref === null ? 'words' : first?.role === 'assistant' ? 'step' : 'input';
    const results = part.messages.flatMap((message) => (message.role === 'tool' ? [message] : []));
    return {
      tokens: window.sizeOf([part]),
      kind,
      results: results.flatMap((message, i) => {
        const callId = part.calls[i];
        const tokens = Math.ceil(messageSize(message) * window.rate);
        return callId === undefined ? [] : [{ callId, tokens, chars: message.text.length }];
      }),
    };
  });
}

/** The transcript up to what stays, so that a server that remembers it has read it already, and the question. */
function askForSummary(
  host: RunHost,
  window: ContextWindow,
  from: number,
  signal: AbortSignal,
): Promise<ModelEnd> {
  const question: ModelMessage = { role: 'user', text: host.summaryPrompt(summaryWords(host)) };
  const room = host.contextWindow * (1 - SUMMARY) - window.fixed - messageSize(question);
  const parts = fitted(window.parts.slice(0, from), room / window.rate);
  const messages = [window.system, ...parts.flatMap((part) => part.messages), question];
  return streamAnswer(host, messages, signal, false);
}

const WORDS_PER_TOKEN = 0.7;
const summaryWords = (host: RunHost): number =>
  Math.max(100, Math.min(2000, Math.floor(host.contextWindow * SUMMARY * WORDS_PER_TOKEN)));

/** What is too long even to be summarised is shortened for that: long results first, then the oldest parts. */
function fitted(parts: readonly ContextPart[], room: number): readonly ContextPart[] {
  const sizes = parts.map(partSize);
  let over = sizes.reduce((sum, size) => sum + size, 0) - room;
  const fit: ContextPart[] = [];
  for (const [i, part] of parts.entries()) {
    const size = sizes[i] ?? 0;
    if (over <= 0) fit.push(part);
    else {
      const short = shortened(part);
      const won = size - partSize(short);
      fit.push(won > 0 ? short : part);
      over -= won;
    }
  }
  while (over > 0 && fit.length > 1) {
    const [oldest] = fit.splice(0, 1);
    over -= oldest === undefined ? 0 : partSize(oldest);
  }
  return fit;
}

const LONGEST_SHORTENED = 2000;

const shortened = (part: ContextPart): ContextPart => ({
  ...part,
  messages: part.messages.map((message) =>
    message.role === 'tool' && message.text.length > LONGEST_SHORTENED
      ? { ...message, text: `${message.text.slice(0, LONGEST_SHORTENED).replace(/[\ud800-\udbff]$/, '')}…` }
      : message,
  ),
});

function faultOf(answer: ModelEnd): string | null {
  if (answer.reason === 'error') return answer.fault.message;
  return answer.text.trim() === '' ? 'the model gave no summary' : null;
}

const CHARS_PER_TOKEN = 4;

/** Not longer than it may be, whatever the model has written. */
function summaryOf(host: RunHost, text: string): string {
  const most = Math.max(1000, Math.floor(host.contextWindow * SUMMARY * CHARS_PER_TOKEN));
  const said = text.trim();
  return said.length <= most ? said : `${said.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}
