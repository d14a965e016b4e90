import { never } from '../../base/never';
import { at } from '../../base/table';
import { indexOf } from '../ids';
import { agentOf, openCallsOf, openJobs, openRuns, runOf, taskOf } from '../lookup';
import type { Agent, AskAbout, Call, Run, State } from '../state';
import { headOf, type Text } from '../text';
import { say } from '../texts';
import type { Activity } from './activity';
import { currentRun, type ModelFacts, type Surroundings } from './who';

/** What an agent does now, from the state alone. Costs the open runs at most, never the history. */
export function activityOf(state: State, agent: Agent, around: Surroundings): Activity {
  const run = currentRun(state, agent);
  // A helper that has ended tells how, as everybody else does.
  if (agent.left?.reason === 'ended' && run?.phase.status === 'ended')
    return endedActivity(state, agent, run.phase);
  if (agent.left !== null) return leftActivity(state, agent.left);
  if (run === undefined) return { type: 'new' };
  const { phase } = run;
  switch (phase.status) {
    case 'queued':
      return queuedActivity(state, run, around);
    case 'running':
      return runningActivity(state, run);
    case 'parked':
      return parkedActivity(state, run, phase.on);
    case 'interrupted':
      return { type: 'interrupted' };
    case 'ended':
      return endedActivity(state, agent, phase);
    default:
      return never(phase);
  }
}

function leftActivity(state: State, left: NonNullable<Agent['left']>): Activity {
  const by =
    left.by.type === 'agent'
      ? ({ type: 'agent', name: agentOf(state, left.by.id)?.name ?? left.by.id } as const)
      : ({ type: left.by.type } as const);
  return { type: 'left', at: left.at, by, reason: left.reason };
}

function queuedActivity(state: State, run: Run, around: Surroundings): Activity {
  if (state.session?.paused === true) return { type: 'paused' };
  const before = run.startAfter === null ? undefined : runOf(state, run.startAfter);
  if (before !== undefined && before.phase.status !== 'ended')
    return { type: 'waits_turn', of: agentOf(state, before.agentId)?.name ?? before.agentId };
  const model = around.models.get(run.model);
  const holders = slotHolders(state);
  const own = holders.filter((each) => each.model === run.model);
  if (model?.parallel != null && own.length >= model.parallel)
    return { type: 'waits_slot', model: model.label, names: namesOf(state, own) };
  const group = holders.filter(
    (each) => each.model !== run.model && inOneGroup(model, around.models.get(each.model)),
  );
  const [other] = group;
  if (other !== undefined) {
    const label = around.models.get(other.model)?.label ?? other.model;
    return { type: 'waits_group', model: label, names: namesOf(state, group) };
  }
  return { type: 'waits_slot', model: null, names: [] };
}

const inOneGroup = (a: ModelFacts | undefined, b: ModelFacts | undefined): boolean =>
  a?.capacityGroup != null && a.capacityGroup === b?.capacityGroup;

/** Runs that hold a slot of their model. */
const slotHolders = (state: State): readonly Run[] =>
  openRuns(state).filter(
    ({ phase }) => phase.status === 'running' || (phase.status === 'parked' && phase.slot === 'kept'),
  );

const namesOf = (state: State, runs: readonly Run[]): readonly string[] => [
  ...new Set(runs.map((run) => agentOf(state, run.agentId)?.name ?? run.agentId)),
];

function runningActivity(state: State, run: Run): Activity {
  const open = openCallsOf(state, run.id);
  const first = open[0];
  if (first === undefined) return { type: 'thinking', step: run.steps + 1 };
  return {
    type: 'calling',
    tool: first.tool,
    what: subjectOf(first),
    others: open.length - 1,
    step: run.steps,
  };
}

function parkedActivity(
  state: State,
  run: Run,
  on: Extract<Run['phase'], { status: 'parked' }>['on'],
): Activity {
  switch (on) {
    case 'permission':
    case 'question':
    case 'limit':
      return askActivity(state, run) ?? { type: 'continues' };
    case 'collect':
      return { type: 'collects' };
    case 'delegate':
      return { type: 'delegates', to: delegatedTo(state, run) };
    case 'pause':
      return { type: state.session?.paused === true ? 'paused' : 'continues' };
    case 'helper':
      return { type: 'waits_helper', names: helpersOf(state, run) };
    default:
      return never(on);
  }
}

/** The helpers that its calls wait for. */
function helpersOf(state: State, run: Run): readonly string[] {
  return openCallsOf(state, run.id).flatMap(({ phase }) => {
    if (phase.status !== 'suspended' || phase.on.type !== 'helper') return [];
    const helper = agentOf(state, phase.on.agentId);
    return helper === undefined || helper.left !== null ? [] : [helper.name];
  });
}

/** The run's oldest open ask; null: it has been answered and the run is about to go on. */
function askActivity(state: State, run: Run): Activity | null {
  for (const id of state.open.asks) {
    const ask = at(state.asks, indexOf(id));
    if (ask === undefined || ask.runId !== run.id) continue;
    const { about } = ask;
    if (about.type === 'limit') return { type: 'at_limit', limit: about.limit };
    if (about.type === 'question') return { type: 'asks_question', what: oneLine(headOf(about.text)) };
    return { type: 'asks_permission', tool: about.tool, what: previewSubject(about.preview) };
  }
  return null;
}

function previewSubject(preview: Extract<AskAbout, { type: 'permission' }>['preview']): string | null {
  switch (preview.type) {
    case 'command':
      return oneLine(preview.command);
    case 'diff':
      return preview.path;
    case 'paths':
      return preview.paths.join(', ');
    case 'none':
      return null;
    default:
      return never(preview);
  }
}

function endedActivity(
  state: State,
  agent: Agent,
  phase: Extract<Run['phase'], { status: 'ended' }>,
): Activity {
  const { reason, at: ended } = phase;
  if (reason === 'waiting') return { type: 'waits_answer', from: unanswered(state, agent) };
  if (reason !== 'final' && reason !== 'delivered')
    return { type: 'ended', at: ended, reason, detail: phase.detail };
  const names = workingMembers(state, agent);
  if (names.length > 0) return { type: 'waits_reports', names };
  const jobs = openJobs(state).filter((job) => job.agentId === agent.id).length;
  return jobs > 0 ? { type: 'waits_jobs', jobs } : { type: 'finished', at: ended };
}

/** Members of this agent with a run that has not ended. */
const workingMembers = (state: State, agent: Agent): readonly string[] =>
  namesOf(
    state,
    openRuns(state).filter((run) => agentOf(state, run.agentId)?.managerId === agent.id),
  );

/** The member whose answer a call of the run waits for. */
function delegatedTo(state: State, run: Run): string {
  for (const { phase } of openCallsOf(state, run.id)) {
    if (phase.status !== 'suspended' || phase.on.type !== 'delegate') continue;
    const task = taskOf(state, phase.on.taskId);
    const agent = task === undefined ? undefined : agentOf(state, task.agentId);
    if (agent !== undefined) return agent.name;
  }
  return say('doing.aMember');
}

function unanswered(state: State, agent: Agent): readonly string[] {
  const names = new Set<string>();
  for (const id of state.open.deliveries) {
    const delivery = at(state.deliveries, indexOf(id));
    const message = delivery === undefined ? undefined : at(state.messages, indexOf(delivery.messageId));
    if (delivery === undefined || message?.from.type !== 'agent' || message.from.id !== agent.id) continue;
    names.add(agentOf(state, delivery.to)?.name ?? delivery.to);
  }
  return [...names];
}

const SUBJECT_CHARS = 200;

export const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > SUBJECT_CHARS ? `${line.slice(0, SUBJECT_CHARS)}…` : line;
};

/** Arguments that say best what a call is about, most telling first. */
const telling = [
  'path',
  'from',
  'command',
  'description',
  'pattern',
  'question',
  'name',
  'job',
  'to',
  'url',
  'query',
  'file',
  'text',
] as const;

/** What a call is about, in a few words; null if its arguments don't say. */
export function subjectOf(call: Call): string | null {
  const values = readArgs(call.args);
  for (const key of telling) {
    const value = values[key];
    if (typeof value === 'string' && value.trim() !== '') return oneLine(value);
    if (Array.isArray(value)) {
      const names = value.filter((item) => typeof item === 'string');
      if (names.length > 0) return oneLine(names.join(', '));
    }
  }
  return null;
}

/** Arguments as the model wrote them: may be cut (only the head of a blob is here) or no JSON at all. */
function readArgs(args: Text): Readonly<Record<string, unknown>> {
  const raw = args.type === 'inline' ? args.text : args.head;
  if (args.type === 'inline') {
    const parsed = parseObject(raw);
    if (parsed !== null) return parsed;
  }
  const found: Record<string, unknown> = {};
  for (const [, key, value] of raw.matchAll(/"(\w{1,32})"\s*:\s*"((?:[^"\\]|\\.){0,400})"?/g))
    if (key !== undefined && value !== undefined && !Object.hasOwn(found, key))
      found[key] = unescapeJson(value);
  return found;
}

function parseObject(raw: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    // A model may write anything; the caller then looks for what can be read.
    return null;
  }
}

const unescapeJson = (value: string): string =>
  value.replace(/\\(.)/g, (_, char: string) => (char === 'n' || char === 't' ? ' ' : char));
