import type { ModelMessage } from '../model/port';
import { compact, isNearlyFull } from './compaction';
import { ContextWindow } from './context';
import type { RunHost } from './port';
import { streamAnswer } from './stream';
import { settleCalls } from './toolCall';

/** Why the loop gave the run back: it has ended, it is parked, or it was stopped from outside. */
export type LoopEnd = 'ended' | 'parked' | 'gone';

/**
 * One agent's run from its present state to its end or its next park. A fresh run and one that goes on (an answered
 * question, a restart) enter here alike: unfinished calls of the last step are settled first.
 */
export async function runLoop(host: RunHost, signal: AbortSignal): Promise<LoopEnd> {
  const last = host.lastStep();
  if (last !== null) {
    const settled = await settleCalls(host, last.calls, signal);
    if (settled === 'gone') return 'gone';
    if (settled === 'suspended') return park(host);
  }
  return runSteps(host, new ContextWindow(await host.context(), host.modelTools), signal);
}

/** Between two steps: what is still too long then is for the server to judge. */
const MOST_COMPACTIONS = 3;

async function runSteps(host: RunHost, window: ContextWindow, signal: AbortSignal): Promise<LoopEnd> {
  // A transcript that the server has refused is made shorter once; the next refusal ends the run.
  let mayShorten = true;
  let compactions = 0;
  for (;;) {
    if (signal.aborted) return 'gone';
    // The step is over: where the person has paused, no other begins, and nothing is taken in that it would answer.
    if (host.isPaused()) {
      host.pause();
      return 'parked';
    }
    await takeIn(host, window);
    if (signal.aborted) return 'gone';
    const verdict = host.checkLimits(window.tokens);
    if (verdict.type === 'end') return end(host, verdict.reason, await lastWords(host), verdict.detail);
    if (verdict.type === 'ask') {
      host.askLimit(verdict);
      return 'parked';
    }
    if (compactions < MOST_COMPACTIONS && isNearlyFull(host, window)) {
      compactions += 1;
      const made = await compact(host, window, signal, false);
      if (made === 'gone') return 'gone';
      // It has cost something too.
      if (made === 'made') continue;
    }
    const step = await takeStep(host, window, signal, mayShorten);
    if (typeof step === 'object') {
      mayShorten = false;
      window.tooLong(host.contextWindow);
      const made = await compact(host, window, signal, true);
      if (made === 'gone') return 'gone';
      if (made === 'nothing') return end(host, 'error', '', step.tooLong);
      continue;
    }
    if (step !== 'next') return step;
    mayShorten = true;
    compactions = 0;
  }
}

/** What has come meanwhile. The entries that it made are known by the state. */
async function takeIn(host: RunHost, window: ContextWindow): Promise<void> {
  for (const part of await host.takeInput()) window.push(part);
}

async function takeStep(
  host: RunHost,
  window: ContextWindow,
  signal: AbortSignal,
  mayShorten: boolean,
): Promise<LoopEnd | 'next' | { readonly tooLong: string }> {
  const began = host.now();
  const answer = await streamAnswer(host, window.messages, signal);
  // Nothing that the model answers is acted on before all that led to it is durable.
  await host.flushed();
  const usage = host.usage(answer.usage, host.now() - began);
  if (signal.aborted || answer.reason === 'aborted') {
    host.recordAbort(answer.text, usage, null);
    return 'gone';
  }
  if (answer.reason === 'error') {
    host.recordAbort(answer.text, usage, answer.fault.message);
    if (answer.fault.kind === 'too_long' && mayShorten) return { tooLong: answer.fault.message };
    return end(host, 'error', answer.text, answer.fault.message);
  }
  if (!usage.estimated) window.counted(usage.inputTokens);
  const { text, reasoning, calls } = answer;
  host.recordStep({ text, reasoning, calls, usage });
  if (calls.length === 0) {
    if (answer.reason === 'length') {
      return end(host, 'error', text, "the answer was cut off at the model's output limit");
    }
    return end(host, 'final', text, null);
  }
  const ids = host.lastStep()?.calls ?? [];
  const settled = await settleCalls(host, ids, signal);
  if (settled === 'gone') return 'gone';
  if (settled === 'suspended') return park(host);
  const said: ModelMessage = {
    role: 'assistant',
    text,
    calls,
    ...(reasoning === '' ? {} : { reasoning }),
  };
  const results = await Promise.all(ids.map((id) => toolMessage(host, id)));
  window.push({ ref: host.lastEntry(), messages: [said, ...results], calls: ids });
  return 'next';
}

async function toolMessage(host: RunHost, id: Parameters<RunHost['call']>[0]): Promise<ModelMessage> {
  const call = host.call(id);
  const text = call.phase.status === 'finished' ? await host.read(call.phase.result.text) : '';
  return { role: 'tool', wireId: call.wireId, tool: call.tool, text };
}

function park(host: RunHost): 'parked' {
  host.park();
  return 'parked';
}

function end(
  host: RunHost,
  reason: 'final' | 'steps' | 'budget' | 'error',
  text: string,
  detail: string | null,
): 'ended' {
  host.end(reason, text, detail);
  return 'ended';
}

/** What the agent had last said, for a run that is ended by a limit. */
async function lastWords(host: RunHost): Promise<string> {
  const step = host.lastStep();
  return step === null ? '' : host.read(step.text);
}
