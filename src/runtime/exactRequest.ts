import { replaceAt } from '../base/table';
import { indexOf, type RunId, type StepId } from '../shared/ids';
import { agentOf, runOf, stepOf } from '../shared/lookup';
import type { State } from '../shared/state';
import { must } from './must';
import { cacheKeyOf, offeredTools } from './offeredTools';
import type { EngineOptions } from './ports';
import type { SessionHost } from './sessionHost';
import { buildContext } from './transcript';

/**
 * The body of the request that a step answered, written anew from the state by the code that writes what is sent.
 * @returns null for a step that is not there, or whose model is not set up any more
 */
export async function exactRequest(
  host: SessionHost,
  options: EngineOptions,
  id: StepId,
): Promise<string | null> {
  const { runtime, style } = host;
  const step = stepOf(runtime.state, id);
  const model = step === undefined ? null : options.models.client(step.model);
  if (step === undefined || model === null) return null;
  const agent = must(agentOf(runtime.state, step.agentId), `agent ${step.agentId}`);
  const before = asBefore(runtime.state, step.runId, id);
  const context = await buildContext(before, agent, step.runId, style, (text) => runtime.store.read(text));
  return model.written({
    messages: [context.system, ...context.parts.flatMap((part) => part.messages)],
    tools: offeredTools({ runtime, options, style }, agent).modelTools,
    cacheKey: cacheKeyOf(runtime.id, agent),
  });
}

/** The state with the run as it was when the step was asked for. */
function asBefore(state: State, runId: RunId, step: StepId): State {
  const run = must(runOf(state, runId), `run ${runId}`);
  const end = run.entries.findIndex((entry) => entry.type === 'step' && entry.step === step);
  const entries = end < 0 ? run.entries : run.entries.slice(0, end);
  return { ...state, runs: replaceAt(state.runs, indexOf(runId), { ...run, entries }) };
}
