import type { ModelMessage, ModelToolCall } from '../model/port';
import type { RunId } from '../shared/ids';
import { callOf, runOf, stepOf } from '../shared/lookup';
import type { Agent, Run, RunEntry, State, Step } from '../shared/state';
import type { Text } from '../shared/text';
import type { StyleFacade } from '../styles/style';
import { contextRuns } from '../team/visibility';
import { must } from './must';

type Read = (text: Text) => Promise<string>;

/**
 * What the model is sent for a run: the system prompt, then those of the agent's runs that the style's policy counts
 * to its context (X15), built from the state and never from memory.
 */
export async function buildTranscript(
  state: State,
  agent: Agent,
  runId: RunId,
  style: StyleFacade,
  read: Read,
): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = [{ role: 'system', text: await read(agent.system) }];
  for (const id of contextRuns(state, runId, style.policy)) {
    const run = must(runOf(state, id), `run ${id}`);
    for (const entry of run.entries) messages.push(...(await entryMessages(state, run, entry, style, read)));
  }
  return messages;
}

async function entryMessages(
  state: State,
  run: Run,
  entry: RunEntry,
  style: StyleFacade,
  read: Read,
): Promise<ModelMessage[]> {
  switch (entry.type) {
    case 'input':
      return [{ role: 'user', text: await renderInput(state, entry.parts, style, read) }];
    case 'step':
      return stepMessages(state, must(stepOf(state, entry.step), `step ${entry.step} of ${run.id}`), read);
  }
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

async function stepMessages(state: State, step: Step, read: Read): Promise<ModelMessage[]> {
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
    results.push({ role: 'tool', wireId: call.wireId, tool: call.tool, text: result });
  }
  const reasoning = step.reasoning === null ? {} : { reasoning: await read(step.reasoning) };
  return [{ role: 'assistant', text, calls, ...reasoning }, ...results];
}
