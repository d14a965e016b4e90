import { never } from '../../base/never';
import { at } from '../../base/table';
import { type ChangeId, indexOf } from '../ids';
import { agentOf, callOf, runOf } from '../lookup';
import type {
  AskRow,
  AskRowAbout,
  CompactedRow,
  FileCount,
  HaltedRow,
  InterruptedRow,
  JoinedRow,
  LeftRow,
  MessageRow,
  Receipt,
  RetryOffer,
  RoomRow,
  SaidRow,
} from '../protocol';
import { mayRetry } from '../retry';
import type {
  Agent,
  Ask,
  AskAbout,
  AskWhy,
  Change,
  CompactedEntry,
  Delivery,
  Message,
  Run,
  State,
  Step,
} from '../state';
import { say } from '../texts';
import { subjectOf } from './doing';
import { mergeChanges } from './mergedFile';
import { reportReview } from './reviewMarks';
import { leftTogether } from './roomEntries';
import { entryKey, type RoomEntryKind } from './roomList';
import { callSentence } from './sentence';
import { bodyOf, sender, speaker, whoIs } from './who';

/** Changes that a report delivers: those of its run; null: it is not the run's last report, which delivers them. */
export type ChangesOfRun = (report: Message['id'], run: Run['id']) => readonly ChangeId[] | null;

/** The row of a timeline entry, or null if there is no such thing. Costs that one row only. */
export function roomRow(
  state: State,
  kind: RoomEntryKind,
  index: number,
  changesOf: ChangesOfRun,
): RoomRow | null {
  switch (kind) {
    case 'message': {
      const message = at(state.messages, index);
      return message === undefined ? null : messageRow(state, message, changesOf);
    }
    case 'said': {
      const step = at(state.steps, index);
      return step === undefined ? null : saidRow(state, step);
    }
    case 'ask': {
      const ask = at(state.asks, index);
      return ask === undefined ? null : askRow(state, ask);
    }
    case 'joined':
    case 'left': {
      const agent = at(state.agents, index);
      if (agent === undefined) return null;
      return kind === 'joined' ? joinedRow(state, agent) : leftRow(state, agent);
    }
    case 'interrupted':
    case 'compacted':
    case 'halted': {
      const run = at(state.runs, index);
      if (run === undefined) return null;
      if (kind === 'compacted') return compactedRow(state, run);
      return kind === 'interrupted' ? interruptedRow(state, run) : haltedRow(state, run);
    }
    default:
      return never(kind);
  }
}

function messageRow(state: State, message: Message, changesOf: ChangesOfRun): MessageRow {
  const deliveries = message.deliveries
    .map((id) => at(state.deliveries, indexOf(id)))
    .filter((delivery) => delivery !== undefined);
  const run = message.kind === 'report' ? message.runId : null;
  const delivered = run === null ? null : changesOf(message.id, run);
  return {
    type: 'message',
    key: entryKey('message', indexOf(message.id)),
    n: message.n,
    kind: message.kind,
    from: sender(message),
    to: deliveries.map((delivery) => whoIs(state, delivery.to)),
    all: message.to.includes('all'),
    at: message.at,
    body: bodyOf(message.text),
    receipts: deliveries.map((delivery) => receipt(state, delivery)),
    files: fileCounts(state, delivered ?? []),
    review: run === null || delivered === null ? null : reportReview(state, run),
    ended: message.ended,
    retry:
      message.ended === null || message.runId === null
        ? null
        : retryOffer(state, runOf(state, message.runId)),
    flagged: message.flagged,
  };
}

const saidRow = (state: State, step: Step): SaidRow => ({
  type: 'said',
  key: entryKey('said', indexOf(step.id)),
  agent: whoIs(state, step.agentId),
  at: step.at,
  body: bodyOf(step.text),
});

function receipt(state: State, delivery: Delivery): Receipt {
  const to = whoIs(state, delivery.to);
  const { attempt, phase } = delivery;
  switch (phase.status) {
    case 'pending':
      return { to, state: 'sent', at: delivery.sentAt, attempt };
    case 'delivered':
      return { to, state: 'read', at: phase.at, attempt };
    case 'processed':
      return { to, state: 'answered', at: phase.at, attempt };
    case 'dropped':
      return { to, state: 'dropped', at: phase.at, attempt };
    default:
      return never(phase);
  }
}

function fileCounts(state: State, ids: readonly ChangeId[]): readonly FileCount[] {
  const byPath = new Map<string, Change[]>();
  for (const id of ids) {
    const change = at(state.changes, indexOf(id));
    if (change === undefined || change.undone !== null) continue;
    const list = byPath.get(change.path);
    if (list === undefined) byPath.set(change.path, [change]);
    else list.push(change);
  }
  return [...byPath].map(([path, changes]) => {
    const { status, added, removed } = mergeChanges(changes);
    return { path, status, added, removed };
  });
}

function askRow(state: State, ask: Ask): AskRow {
  return {
    type: 'ask',
    key: entryKey('ask', indexOf(ask.id)),
    ask: ask.id,
    agent: whoIs(state, ask.agentId),
    at: ask.at,
    about: askAbout(ask.about),
    phase: ask.phase,
  };
}

/** The mode's own rule needs no words: the person chose it. */
function whyWords(why: AskWhy): string {
  switch (why.code) {
    case 'mode':
      return '';
    case 'rule':
      return say('ask.why.rule');
    case 'protected_path':
      return say('ask.why.protected', { path: why.path });
    case 'secret_path':
      return say('ask.why.secret', { path: why.path });
    case 'remote_schema':
      return say('ask.why.remoteSchema', { path: why.path, url: why.url });
    case 'changed_since':
      return say('ask.why.changedSince', { path: why.path });
    case 'unparsable_command':
      return say('ask.why.unparsable', { detail: why.detail });
    default:
      return never(why);
  }
}

function askAbout(about: AskAbout): AskRowAbout {
  switch (about.type) {
    case 'permission':
      return {
        type: 'permission',
        tool: about.tool,
        why: whyWords(about.why),
        argsHash: about.argsHash,
        preview: askPreview(about.preview),
      };
    case 'question':
      return { type: 'question', body: bodyOf(about.text), choices: about.choices };
    case 'limit':
      return {
        type: 'limit',
        limit: about.limit,
        used: about.used,
        allowed: about.allowed,
        // Enough that the run does not stand there again at once.
        next: Math.max(about.allowed * 2, Math.ceil(about.used * 1.5)),
      };
    default:
      return never(about);
  }
}

function askPreview(
  preview: Extract<AskAbout, { type: 'permission' }>['preview'],
): Extract<AskRowAbout, { type: 'permission' }>['preview'] {
  if (preview.type !== 'diff') return preview;
  const kind = preview.before === null ? 'new' : preview.after === null ? 'deleted' : 'changed';
  return { type: 'diff', path: preview.path, kind };
}

function joinedRow(state: State, agent: Agent): JoinedRow {
  return {
    type: 'joined',
    key: entryKey('joined', indexOf(agent.id)),
    agent: whoIs(state, agent.id),
    by: agent.managerId === null ? 'host' : whoIs(state, agent.managerId),
    role: agent.role,
    brief: agent.brief === null ? null : bodyOf(agent.brief),
    at: agent.addedAt,
  };
}

function leftRow(state: State, agent: Agent): LeftRow | null {
  if (agent.left === null) return null;
  const agents = leftTogether(state, agent);
  return {
    type: 'left',
    key: entryKey('left', indexOf(agent.id)),
    agents: agents.map((each) => whoIs(state, each.id)),
    by: speaker(state, agent.left.by),
    reason: agent.left.reason,
    at: agent.left.at,
    leadWaits: agent.left.by.type === 'person' && leadIsToBeTold(state, agent),
  };
}

function leadIsToBeTold(state: State, agent: Agent): boolean {
  return state.open.notes.some((id) => {
    const note = at(state.notes, indexOf(id));
    return (
      note !== undefined &&
      note.pressing !== true &&
      note.about.type === 'stopped' &&
      note.at >= (agent.left?.at ?? 0) &&
      note.about.names.includes(agent.name)
    );
  });
}

function interruptedRow(state: State, run: Run): InterruptedRow | null {
  if (run.phase.status !== 'interrupted') return null;
  return {
    type: 'interrupted',
    key: entryKey('interrupted', indexOf(run.id)),
    run: run.id,
    agent: whoIs(state, run.agentId),
    at: run.phase.at,
    unknown: unknownCalls(state, run),
  };
}

/** Calls of the last step that had begun when the host ended. */
function unknownCalls(state: State, run: Run): readonly string[] {
  const last = run.entries.findLast((entry) => entry.type === 'step');
  const step = last === undefined ? undefined : at(state.steps, indexOf(last.step));
  const words: string[] = [];
  for (const id of step?.calls ?? []) {
    const call = callOf(state, id);
    if (call === undefined) continue;
    const unknown =
      call.effects.some((effect) => effect.outcome === 'open' || effect.outcome === 'unknown') ||
      (call.phase.status === 'finished' && call.phase.result.status === 'unknown');
    if (unknown) words.push(callSentence(call.tool, subjectOf(call)));
  }
  return words;
}

function compactedRow(state: State, run: Run): CompactedRow | null {
  const made = run.entries.flatMap((each) => (each.type === 'compacted' ? [each] : []));
  const [first] = made;
  const last = made.at(-1);
  if (first === undefined || last === undefined) return null;
  return {
    type: 'compacted',
    key: entryKey('compacted', indexOf(run.id)),
    agent: whoIs(state, run.agentId),
    at: first.at,
    words: compactedWords(last, made.length),
  };
}

function compactedWords({ fault, text }: CompactedEntry, times: number): string {
  if (fault !== null) return say('row.notSummarised', { why: fault });
  if (text === null) return say('row.shortened');
  return times === 1 ? say('row.compacted') : say('row.compactedTimes', { n: times });
}

/** A turn's own limits count anew: they are what it gets more of. */
function retryOffer(state: State, run: Run | undefined): RetryOffer | null {
  if (run === undefined || run.phase.status !== 'ended' || !mayRetry(state, run)) return null;
  const limits = state.session?.settings.limits;
  const { reason } = run.phase;
  if (reason === 'steps' && limits?.steps != null)
    return { run: run.id, words: say('ask.continueSteps', { n: limits.steps }) };
  if (reason === 'budget' && limits?.activeMs != null && run.activeMs >= limits.activeMs)
    return { run: run.id, words: say('ask.continueMinutes', { n: Math.round(limits.activeMs / 60_000) }) };
  return { run: run.id, words: say('ask.continue') };
}

function haltedRow(state: State, run: Run): HaltedRow | null {
  if (run.phase.status !== 'ended' || agentOf(state, run.agentId) === undefined) return null;
  return {
    type: 'halted',
    key: entryKey('halted', indexOf(run.id)),
    run: run.id,
    agent: whoIs(state, run.agentId),
    at: run.phase.at,
    retry: retryOffer(state, run),
  };
}
