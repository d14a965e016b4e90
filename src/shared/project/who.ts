import { type AgentId, indexOf, type ModelId } from '../ids';
import { agentOf, runOf } from '../lookup';
import type { Banner, Body, HeadSession, Speaker, Who } from '../protocol';
import type { Agent, Message, Principal, Run, State } from '../state';
import type { Text } from '../text';

/** What rows need to know beyond the session's state. */
export interface Surroundings {
  readonly models: ReadonlyMap<ModelId, ModelFacts>;
  readonly banner: Banner | null;
  readonly sessions: readonly HeadSession[];
}

export interface ModelFacts {
  readonly label: string;
  /** Requests that it serves at once; null: no bound of its own. */
  readonly parallel: number | null;
  readonly rehearsal: boolean;
  /** Models of one group exclude one another; left out or null: none. */
  readonly capacityGroup?: string | null;
}

export const noSurroundings: Surroundings = { models: new Map(), banner: null, sessions: [] };

export const DOTS = 8;

/** One of 0 to 7, the same for an agent wherever it is shown. */
export const dotOf = (agent: AgentId): number => Math.max(0, indexOf(agent)) % DOTS;

/** Theme colours of the dots, for places that take a colour's name. */
export const dotColours: readonly string[] = [
  'charts.blue',
  'charts.green',
  'charts.purple',
  'charts.yellow',
  'charts.orange',
  'charts.red',
  'charts.foreground',
  'charts.lines',
];

export const dotColour = (agent: AgentId): string => dotColours[dotOf(agent)] ?? 'charts.foreground';

export const whoIs = (state: State, id: AgentId): Who => ({
  id,
  name: agentOf(state, id)?.name ?? id,
  dot: dotOf(id),
});

export function speaker(state: State, principal: Principal): Speaker {
  return principal.type === 'agent' ? whoIs(state, principal.id) : principal.type;
}

/** The sender under the name it had then: names are used again. */
export function sender(message: Message): Speaker {
  const { from } = message;
  if (from.type !== 'agent') return from.type;
  return { id: from.id, name: message.fromName, dot: dotOf(from.id) };
}

export function bodyOf(text: Text): Body {
  return text.type === 'inline' ? { text: text.text, bytes: null } : { text: text.head, bytes: text.bytes };
}

/** The run that an agent is in, or the last one it had; a waiting run behind an active one is not it. */
export function currentRun(state: State, agent: Agent): Run | undefined {
  let found: Run | undefined;
  for (let i = agent.runs.length - 1; i >= 0; i--) {
    const id = agent.runs[i];
    const run = id === undefined ? undefined : runOf(state, id);
    if (run === undefined) continue;
    if (run.phase.status === 'ended') return found ?? run;
    if (run.phase.status !== 'queued') return run;
    found = run;
  }
  return found;
}
