import { createHash } from 'node:crypto';
import type { PermissionAnswer, ReadyCall, Resolution } from '../agent/port';
import { values } from '../base/table';
import { askOf, callOf } from '../shared/lookup';
import type { Agent, Ask, AskAbout, AskPreview, AskWhy, Call, Change, State } from '../shared/state';
import type { SessionStore } from '../store/port';
import type { OpenedCall, Tool } from '../tools/defineTool';
import type { PermissionVerdict } from '../workspace/port';
import type { Preview } from './toolPorts';
import { deniedBefore, deniedByPerson, deniedByRule, replyText, withdrawnText } from './wording';

/** SHA-256 of a tool and its canonical arguments: what the person's answer is bound to (A22, A23). */
export const argsHashOf = (tool: Tool, opened: OpenedCall): string =>
  createHash('sha256').update(`${tool.name}\n${opened.canonicalArgs}`).digest('hex');

/**
 * Turns the workspace's verdict into what the loop does, with what the person has said before in this run: the same
 * call after a denial is denied without asking; what was allowed "for this run" is not asked again.
 */
export function permissionAnswer(
  state: State,
  agent: Agent,
  call: Call,
  tool: Tool,
  argsHash: string,
  verdict: PermissionVerdict,
  changedSince: ChangedSince,
): PermissionAnswer {
  const stale = staleSince(state, call, argsHash, verdict, changedSince);
  switch (verdict.type) {
    case 'allow':
      if (stale === null) return { type: 'allow', by: verdict.by, argsHash: null };
      break;
    case 'deny':
      return { type: 'deny', text: deniedByRule(verdict.rule) };
    case 'ask':
      break;
  }
  const why = stale ?? whyOf(verdict);
  // The person's word on this very call counts before what they said of others like it.
  if (ownAllowance(state, call, argsHash) !== null)
    return { type: 'ask', why, argsHash, anew: stale !== null };
  for (const ask of asksOfRun(state, call, agent)) {
    if (ask.about.type !== 'permission' || ask.phase.status !== 'answered' || ask.callId === call.id)
      continue;
    const same = ask.about.argsHash === argsHash;
    if (same && ask.phase.answer.type === 'deny') return { type: 'deny', text: deniedBefore };
    if (ask.phase.answer.type !== 'allow' || ask.phase.answer.scope !== 'run') continue;
    // Writes asked for by the mode alone are allowed as a kind; anything careful only for the very same arguments.
    const sameKind =
      tool.risk === 'write' &&
      why.code === 'mode' &&
      ask.about.tool === tool.name &&
      ask.about.why.code === 'mode';
    if (sameKind) return { type: 'allow', by: 'person', argsHash };
    if (!same) continue;
    const path = changedSince(ask.phase.at);
    if (path === null) return { type: 'allow', by: 'person', argsHash };
    return { type: 'ask', why: { code: 'changed_since', path }, argsHash, anew: false };
  }
  return { type: 'ask', why, argsHash, anew: false };
}

/** A file, changed by an agent after that time, which decides what the call at hand would do; null: none. */
export type ChangedSince = (since: number) => string | null;

/**
 * What the very same call did before is no reason to ask again: that is what was allowed.
 * @param steers whether a file decides what the command does
 */
export function changesSteering(state: State, call: Call, steers: (path: string) => boolean): ChangedSince {
  const isOwn = (change: Change) => change.sharedWith === undefined && isSameCommand(state, change, call);
  return (since) => {
    for (const change of values(state.changes)) {
      if (change.at <= since || change.undone !== null) continue;
      if (steers(change.path) && !isOwn(change)) return change.path;
    }
    return null;
  };
}

function isSameCommand(state: State, change: Change, { tool, args }: Call): boolean {
  const other = change.by === 'command' ? callOf(state, change.callId) : undefined;
  return other?.tool === tool && JSON.stringify(other.args) === JSON.stringify(args);
}

function whyOf(verdict: PermissionVerdict): AskWhy {
  if (verdict.type !== 'ask') return { code: 'mode' };
  return verdict.why.code === 'rule' ? { code: 'rule' } : verdict.why;
}

/**
 * What the person allowed by a rule or for this call is void when an agent has changed what it runs since they could
 * know of it (A15): a rule counts for the files as they were, an answer for what was there when it was asked.
 */
function staleSince(
  state: State,
  call: Call,
  argsHash: string,
  verdict: PermissionVerdict,
  changedSince: ChangedSince,
): AskWhy | null {
  const own = ownAllowance(state, call, argsHash);
  if (own === null && !(verdict.type === 'allow' && verdict.by === 'rule')) return null;
  const path = changedSince(own?.at ?? lastAllowedAt(state, argsHash));
  return path === null ? null : { code: 'changed_since', path };
}

/** The answered question of this very call that allows it. */
function ownAllowance(state: State, call: Call, argsHash: string): Ask | null {
  if (call.phase.status !== 'suspended' || call.phase.on.type !== 'permission') return null;
  const ask = askOf(state, call.phase.on.ask);
  return ask !== undefined && allows(ask, argsHash) ? ask : null;
}

/** When the person last allowed exactly this in the session; 0: never. */
function lastAllowedAt(state: State, argsHash: string): number {
  let at = 0;
  for (const ask of values(state.asks)) {
    if (ask.phase.status === 'answered' && allows(ask, argsHash)) at = Math.max(at, ask.phase.at);
  }
  return at;
}

const allows = ({ about, phase }: Ask, argsHash: string): boolean =>
  about.type === 'permission' &&
  about.argsHash === argsHash &&
  phase.status === 'answered' &&
  phase.answer.type === 'allow';

/** Newest first: the person's last word on the same call counts. */
const asksOfRun = (state: State, call: Call, agent: Agent): readonly Ask[] =>
  [...values(state.asks)].filter((ask) => ask.runId === call.runId && ask.agentId === agent.id).toReversed();

export function permissionAbout(
  tool: Tool,
  prepared: ReadyCall,
  answer: Extract<PermissionAnswer, { type: 'ask' }>,
  keep: SessionStore['keep'],
): Extract<AskAbout, { type: 'permission' }> {
  return {
    type: 'permission',
    tool: tool.name,
    argsHash: answer.argsHash,
    why: answer.why,
    preview: previewOf(prepared.preview, keep),
  };
}

function previewOf(preview: Preview | null, keep: SessionStore['keep']): AskPreview {
  if (preview === null) return { type: 'none' };
  if (preview.type !== 'diff') return preview;
  const { path, before, after } = preview;
  return {
    type: 'diff',
    path,
    before: before === null ? null : keep(before),
    after: after === null ? null : keep(after),
  };
}

/** What became of a suspended call; null while nobody has answered. Collect and delegate are resolved by the team. */
export function resolutionOf(state: State, call: Call, keep: SessionStore['keep']): Resolution | null {
  if (call.phase.status !== 'suspended') return null;
  const { on } = call.phase;
  if (on.type !== 'permission' && on.type !== 'question') return null;
  const ask = askOf(state, on.ask);
  if (ask === undefined || ask.phase.status === 'open') return null;
  if (ask.phase.status === 'withdrawn') {
    return { type: 'result', result: { status: 'stopped', text: keep(withdrawnText) } };
  }
  const { answer } = ask.phase;
  if (ask.about.type !== 'permission') {
    return { type: 'result', result: { status: 'ok', text: keep(replyText(answer)) } };
  }
  if (answer.type === 'allow') return { type: 'allowed', argsHash: ask.about.argsHash };
  const words = answer.type === 'deny' ? answer.words : '';
  return { type: 'result', result: { status: 'denied', text: keep(deniedByPerson(words)) } };
}
