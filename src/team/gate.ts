import { values } from '../base/table';
import type { AgentId } from '../shared/ids';
import { agentOf, callOf, runOf, stepOf } from '../shared/lookup';
import type { Agent, Call, Run, State } from '../shared/state';
import { isManager, type RosterFacts } from './roster';

/** A tool's risk class, as the tools declare it. */
export type RiskClass = 'read' | 'write' | 'execute' | 'interact';

/** Why a call is answered without being carried out, before anybody is asked. */
export type GateRefusal = 'manager' | 'repetition' | 'errors';

export interface GatedCall {
  readonly call: Call;
  readonly risk: RiskClass;
  /** Identical calls may answer differently by nature: exempt from the repetition brake (X23). */
  readonly volatile: boolean;
  /** Hash of tool and canonical arguments. */
  readonly argsHash: string;
  /** It runs a command that the default rules alone allow in mode `ask` (L-69). */
  readonly reading: boolean;
}

type GateFacts = RosterFacts;

/** Managing what runs is not work (L-69). */
const MANAGING = 'job_stop';

/** Every check that comes before the question of permission, in this order. */
export function gateCall(state: State, gated: GatedCall, facts: GateFacts): GateRefusal | null {
  const { call, risk, volatile, reading } = gated;
  if (managerRefuses(state, call.agentId, { risk, reading, tool: call.tool }, facts)) return 'manager';
  const { errors, repetition } = facts.policy;
  if (errors !== null && risk !== 'interact' && (state.session?.executionErrors ?? 0) >= errors)
    return 'errors';
  if (repetition && !volatile && isRepeated(state, gated)) return 'repetition';
  return null;
}

export interface Work {
  readonly risk: RiskClass;
  readonly reading: boolean;
  readonly tool: string;
}

/** X4: whether the style keeps this work from this agent (L-67..L-71). */
export function managerRefuses(state: State, id: AgentId, work: Work, facts: GateFacts): boolean {
  switch (facts.policy.leaderWork) {
    case 'free':
      return false;
    case 'refuse_by_risk':
      return isWork(work) && isManager(state, id, facts);
    case 'delegate_only':
      return work.risk !== 'interact' && agentOf(state, id)?.kind === 'lead';
  }
}

const isWork = ({ risk, reading, tool }: Work): boolean =>
  (risk === 'write' || risk === 'execute') && tool !== MANAGING && !reading;

/** The tools that an agent is shown; a manager's stay as they are where the list is fixed (L-72, X4). */
export function listedTools(
  state: State,
  agent: Agent,
  riskOf: (tool: string) => RiskClass,
  facts: GateFacts,
): readonly string[] {
  if (facts.policy.toolList !== 'filtered') return agent.tools;
  return agent.tools.filter(
    (tool) => !managerRefuses(state, agent.id, { risk: riskOf(tool), reading: false, tool }, facts),
  );
}

/** O-33: the same call with the same arguments in this run, and nothing written or run since. */
function isRepeated(state: State, { call, argsHash }: GatedCall): boolean {
  const run = runOf(state, call.runId);
  if (run === undefined) return false;
  for (const earlier of callsBackwards(state, run)) {
    if (earlier.id === call.id || earlier.phase.status !== 'finished') continue;
    if (earlier.effects.some((effect) => effect.intent.type !== 'team') || startedJob(state, earlier))
      return false;
    if (earlier.tool !== call.tool) continue;
    if (earlier.argsHash === argsHash || sameText(earlier, call)) return true;
  }
  return false;
}

/** A command in the background is run too, though it is no effect of its call. */
function startedJob(state: State, { id }: Call): boolean {
  for (const { callId } of values(state.jobs)) if (callId === id) return true;
  return false;
}

function* callsBackwards(state: State, run: Run): Generator<Call> {
  for (const entry of run.entries.toReversed()) {
    if (entry.type !== 'step') continue;
    for (const id of (stepOf(state, entry.step)?.calls ?? []).toReversed()) {
      const call = callOf(state, id);
      if (call !== undefined) yield call;
    }
  }
}

const sameText = (a: Call, b: Call): boolean => JSON.stringify(a.args) === JSON.stringify(b.args);
