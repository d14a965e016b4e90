import { createHash } from 'node:crypto';
import type { PermissionAnswer, ReadyCall, Resolution } from '../agent/port';
import { values } from '../base/table';
import { askOf } from '../shared/lookup';
import type { Agent, Ask, AskAbout, AskPreview, AskWhy, Call, State } from '../shared/state';
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
): PermissionAnswer {
  switch (verdict.type) {
    case 'allow':
      return { type: 'allow', by: verdict.by, argsHash: null };
    case 'deny':
      return { type: 'deny', text: deniedByRule(verdict.rule) };
    case 'ask':
      break;
  }
  const why: AskWhy = verdict.why.code === 'rule' ? { code: 'rule' } : verdict.why;
  // The person's word on this very call counts before what they said of others like it.
  if (isAllowedItself(state, call, argsHash)) return { type: 'ask', why, argsHash };
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
    if (same || sameKind) return { type: 'allow', by: 'person', argsHash };
  }
  return { type: 'ask', why, argsHash };
}

function isAllowedItself(state: State, call: Call, argsHash: string): boolean {
  if (call.phase.status !== 'suspended' || call.phase.on.type !== 'permission') return false;
  const ask = askOf(state, call.phase.on.ask);
  if (ask?.about.type !== 'permission' || ask.about.argsHash !== argsHash) return false;
  return ask.phase.status === 'answered' && ask.phase.answer.type === 'allow';
}

function* asksOfRun(state: State, call: Call, agent: Agent): Generator<Ask> {
  for (const ask of values(state.asks)) if (ask.runId === call.runId && ask.agentId === agent.id) yield ask;
}

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
