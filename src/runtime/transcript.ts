import type { Context, ContextPart } from '../agent/context';
import type { ModelMessage, ModelToolCall } from '../model/port';
import type { CallId, RunId } from '../shared/ids';
import { callOf, runOf, stepOf } from '../shared/lookup';
import type { Agent, CompactedEntry, EntryRef, RunEntry, State, Step } from '../shared/state';
import type { Text } from '../shared/text';
import type { StyleFacade } from '../styles/style';
import { contextRuns } from '../team/visibility';
import { must } from './must';

type Read = (text: Text) => Promise<string>;

/** An entry of the context and where it stands. */
interface Placed {
  readonly ref: EntryRef;
  readonly entry: RunEntry;
}

/**
 * What the model is sent for a run: the system prompt, then those of the agent's runs that the style's policy counts
 * to its context (X15), built from the state and never from memory. What was compacted is seen as it was recorded.
 */
export async function buildContext(
  state: State,
  agent: Agent,
  runId: RunId,
  style: StyleFacade,
  read: Read,
): Promise<Context> {
  const placed = placedEntries(state, runId, style);
  const { words, seen } = afterCompaction(placed);
  const cut = cutsOf(placed);
  const parts: ContextPart[] = [];
  if (words !== null)
    parts.push({ ref: null, messages: [{ role: 'user', text: await read(words) }], calls: [] });
  let measured: Context['measured'] = null;
  // A count from before a compaction is of another request.
  const counts = seen.findLastIndex(({ entry }) => entry.type === 'compacted');
  for (const [i, each] of seen.entries()) {
    const { ref, entry } = each;
    if (entry.type === 'compacted') continue;
    const step = entry.type === 'step' ? must(stepOf(state, entry.step), `step ${entry.step}`) : null;
    if (step !== null && i > counts && isCounted(step)) {
      measured = { tokens: step.usage.inputTokens, parts: parts.length };
    }
    const messages =
      step === null
        ? await inputMessages(state, entry, style, read)
        : await stepMessages(state, step, cut, read);
    if (messages.length > 0)
      parts.push({ ref, messages, calls: step?.status === 'answered' ? step.calls : [] });
  }
  return { system: { role: 'system', text: await read(agent.system) }, parts, measured };
}

const isCounted = (step: Step): boolean =>
  step.status === 'answered' && !step.usage.estimated && step.usage.inputTokens > 0;

function placedEntries(state: State, runId: RunId, style: StyleFacade): readonly Placed[] {
  return contextRuns(state, runId, style.policy).flatMap((id) => {
    const run = must(runOf(state, id), `run ${id}`);
    return run.entries.map((entry, at): Placed => ({ ref: { runId: id, entry: at }, entry }));
  });
}

/** What is still seen: of the entries before the newest summary those that were kept, and all after it. */
function afterCompaction(placed: readonly Placed[]): {
  readonly words: Text | null;
  readonly seen: readonly Placed[];
} {
  const last = placed.findLastIndex(({ entry }) => entry.type === 'compacted' && entry.text !== null);
  const made = placed[last]?.entry;
  if (made?.type !== 'compacted') return { words: null, seen: placed };
  const { from } = made;
  const first =
    from === null ? -1 : placed.findIndex(({ ref }) => ref.runId === from.runId && ref.entry === from.entry);
  return { words: made.text, seen: placed.slice(first < 0 ? last : first) };
}

/** How much is still seen of results that were cut. */
function cutsOf(placed: readonly Placed[]): ReadonlyMap<CallId, number> {
  const made = placed.flatMap(({ entry }) => (entry.type === 'compacted' ? [entry] : []));
  return new Map(made.flatMap((each: CompactedEntry) => each.cut.map((cut) => [cut.callId, cut.chars])));
}

async function inputMessages(
  state: State,
  entry: RunEntry,
  style: StyleFacade,
  read: Read,
): Promise<ModelMessage[]> {
  if (entry.type !== 'input') return [];
  return [{ role: 'user', text: await renderInput(state, entry.parts, style, read) }];
}

/** Loads the texts that the style will read, then lets it word the message. */
export async function renderInput(
  state: State,
  parts: Extract<RunEntry, { type: 'input' }>['parts'],
  style: StyleFacade,
  read: Read,
): Promise<string> {
  const bodies = new Map<Text, string>();
  for (const text of style.textsOf(state, parts)) bodies.set(text, await read(text));
  return style.renderInput(state, parts, (text) => must(bodies.get(text), 'a text of the input'));
}

async function stepMessages(
  state: State,
  step: Step,
  cut: ReadonlyMap<CallId, number>,
  read: Read,
): Promise<ModelMessage[]> {
  const text = await read(step.text);
  if (step.status !== 'answered') {
    // Partial words are shown to the model as cut off, so that it neither repeats nor trusts them blindly.
    return text.trim() === ''
      ? []
      : [{ role: 'assistant', text: `${text}\n[This answer was cut off.]`, calls: [] }];
  }
  const calls: ModelToolCall[] = [];
  const results: ModelMessage[] = [];
  for (const id of step.calls) {
    const call = must(callOf(state, id), `call ${id}`);
    calls.push({ wireId: call.wireId, tool: call.tool, args: await read(call.args) });
    // Every call has exactly one result before the next request; an unfinished one can only be in the last step.
    const result = call.phase.status === 'finished' ? await read(call.phase.result.text) : '';
    results.push({ role: 'tool', wireId: call.wireId, tool: call.tool, text: shown(result, cut.get(id)) });
  }
  const reasoning = step.reasoning === null ? {} : { reasoning: await read(step.reasoning) };
  return [{ role: 'assistant', text, calls, ...reasoning }, ...results];
}

/** A result of which only the beginning is still seen says so. */
function shown(result: string, chars: number | undefined): string {
  if (chars === undefined || result.length <= chars) return result;
  const head = result.slice(0, chars).replace(/[\ud800-\udbff]$/, '');
  const left = result.length - head.length;
  return `${head}\n[${left} more characters were left out to make room: if you need them, make the call again.]`;
}
