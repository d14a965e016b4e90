import compacted from '../../prompts/base/compacted.md';
import { values } from '../base/table';
import { fill } from '../base/template';
import { agentOf, deliveryOf, messageOf, openJobs, runOf, taskOf } from '../shared/lookup';
import type { Agent, EntryRef, InputPart, Run, State } from '../shared/state';
import { inline, type Text } from '../shared/text';
import type { StyleFacade } from '../styles/style';
import type { Facts } from '../team/commands';
import { used } from '../team/limits';
import { helpersOf, sizeInForce, sizeOf, statusOf, treeOrder } from '../team/roster';
import { contextRuns } from '../team/visibility';
import { renderInput } from './transcript';

export interface WordsParts {
  readonly state: State;
  readonly agent: Agent;
  readonly run: Run;
  readonly style: StyleFacade;
  readonly facts: Facts;
  /** Of the model's window, in tokens. */
  readonly window: number;
  readonly read: (text: Text) => Promise<string>;
}

const NONE = 'None.';
const NO_SUMMARY =
  'There is none: your earlier steps could not be summarised. Look at the files and at team records before you go on.';

/**
 * The user message that stands for what came before `from`. Everything but the summary is made anew from the state, so
 * that no summary can lose or change it.
 */
export async function compactedWords(
  parts: WordsParts,
  summary: string | null,
  from: EntryRef | null,
): Promise<string> {
  const { state, style, read } = parts;
  const text = fill(compacted, {
    asked: await asked(parts),
    team: team(parts),
    tasks: await tasks(parts),
    mail: await mail(parts, from),
    limits: limits(parts),
    files: files(parts),
    summary: summary === null ? NO_SUMMARY : style.quoted(summary),
  });
  return renderInput(state, [{ type: 'host', text: inline(text.trim()) }], style, read);
}

/** Characters that a section may take: a share of the window. */
const room = ({ window }: WordsParts, share: number): number =>
  Math.max(1000, Math.floor(window * 4 * share));

/** A member's brief; of the person's words to the lead the first and the newest. */
async function asked(parts: WordsParts): Promise<string> {
  const { agent, read } = parts;
  const texts = agent.brief === null ? await personsWords(parts) : [await read(agent.brief)];
  const [first = NONE, ...later] = texts;
  const most = room(parts, 1 / 4);
  const kept = newest(later, most / 2, most / 4);
  const gone = later.length - kept.length;
  const between = gone > 0 ? [`(${gone} further messages of the person are left out here.)`] : [];
  return [cut(first, most), ...between, ...kept].join('\n\n');
}

async function personsWords({ state, agent, read }: WordsParts): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const message of values(state.messages)) {
    if (message.kind !== 'user' && message.kind !== 'person' && message.kind !== 'instruction') continue;
    const taken = message.deliveries.some((id) => {
      const delivery = deliveryOf(state, id);
      return delivery?.to === agent.id && delivery.phase.status !== 'pending';
    });
    if (taken) texts.push(await read(message.text));
  }
  return texts;
}

function team({ state, agent, facts }: WordsParts): string {
  const manager = agent.managerId === null ? undefined : agentOf(state, agent.managerId);
  if (agent.kind === 'helper') return `You are a helper of ${manager?.name ?? 'an agent'} and know no team.`;
  const rows = treeOrder(state).map(({ agent: each, depth }) => {
    const boss = each.managerId === null ? '' : `, manager: ${agentOf(state, each.managerId)?.name ?? ''}`;
    const you = each.id === agent.id ? ' (you)' : '';
    return `${'  '.repeat(depth)}- ${each.name}${you}: ${oneLine(each.role)}${boss}, ${statusOf(state, each)}`;
  });
  for (const helper of helpersOf(state, agent.id)) rows.push(`- ${helper.name}: your helper, at work`);
  const size = sizeInForce(state, facts);
  const bounds =
    size === null ? '' : `\nThe team has ${sizeOf(state, facts.policy)} of at most ${size.max} agents.`;
  return `${rows.join('\n')}${bounds}`;
}

async function tasks({ state, agent, read }: WordsParts): Promise<string> {
  const task = agent.taskId === null ? undefined : taskOf(state, agent.taskId);
  const own = task?.status === 'open' ? [`- ${await read(task.brief)}`] : [];
  const todo = (agent.todo ?? []).map(({ text, status }) => `- [${status}] ${oneLine(text)}`);
  const jobs = openJobs(state)
    .filter((job) => job.agentId === agent.id)
    .map(({ id, command }) => `- the command in the background ${id}: ${oneLine(command)}`);
  const all = [...own, ...todo, ...jobs];
  return all.length === 0 ? NONE : all.join('\n');
}

/** Mail that was taken into the context and whose turn has not ended well yet; what is still seen whole is not repeated. */
async function mail(parts: WordsParts, from: EntryRef | null): Promise<string> {
  const { state, agent, style, read } = parts;
  const seen = from === null ? new Set<string>() : deliveriesFrom(parts, from);
  const open = state.open.deliveries.filter((id) => {
    const delivery = deliveryOf(state, id);
    const kind = delivery === undefined ? undefined : messageOf(state, delivery.messageId)?.kind;
    return (
      delivery?.to === agent.id && delivery.phase.status === 'delivered' && kind !== 'user' && !seen.has(id)
    );
  });
  const texts: string[] = [];
  for (const id of open) {
    const part: InputPart = { type: 'deliveries', deliveries: [id] };
    texts.push(await renderInput(state, [part], style, read));
  }
  const kept = newest(texts, room(parts, 1 / 8), room(parts, 1 / 24));
  const gone = texts.length - kept.length;
  const older = gone > 0 ? [`(${gone} older messages are left out here: team_read shows them.)`] : [];
  return texts.length === 0 ? NONE : [...older, ...kept].join('\n\n');
}

function deliveriesFrom({ state, run, style }: WordsParts, from: EntryRef): ReadonlySet<string> {
  const runs = contextRuns(state, run.id, style.policy);
  const seen = new Set<string>();
  for (const id of runs.slice(Math.max(0, runs.indexOf(from.runId)))) {
    const entries = runOf(state, id)?.entries ?? [];
    for (const entry of entries.slice(id === from.runId ? from.entry : 0)) {
      if (entry.type !== 'input') continue;
      for (const part of entry.parts) {
        if (part.type === 'deliveries') for (const delivery of part.deliveries) seen.add(delivery);
      }
    }
  }
  return seen;
}

function limits({ state, run, facts }: WordsParts): string {
  const set = state.session?.settings.limits;
  if (set === undefined) return NONE;
  const spent = used(state);
  const going = run.phase.status === 'running' ? Math.max(0, facts.now - run.phase.since) : 0;
  const minutes = (ms: number): string => String(Math.round(ms / 60_000));
  const dollars = (microUsd: number): string => `$${(microUsd / 1_000_000).toFixed(2)}`;
  const line = (what: string, used: number, most: number | null, word: (n: number) => string): string =>
    most === null
      ? `- ${what}: ${word(used)} used, no limit`
      : `- ${what}: ${word(used)} of ${word(most)} used, ${word(Math.max(0, most - used))} left`;
  return [
    line('steps of this turn', run.steps, set.steps, String),
    line('minutes of this turn', run.activeMs + going, set.activeMs, minutes),
    line('tokens of the session', spent.tokens, set.tokens, String),
    line('money of the session', spent.microUsd, set.microUsd, dollars),
  ].join('\n');
}

const MOST_FILES = 100;

function files({ state, agent }: WordsParts): string {
  const kinds = new Map<string, string>();
  for (const change of values(state.changes)) {
    if (change.agentId !== agent.id || change.undone !== null) continue;
    kinds.delete(change.path);
    kinds.set(change.path, change.kind);
  }
  const rows = [...kinds].map(([path, kind]) => `- ${path}${kind === 'delete' ? ' (deleted)' : ''}`);
  const more = rows.length - MOST_FILES;
  return rows.length === 0
    ? NONE
    : [...(more > 0 ? [`(${more} older ones are left out here.)`] : []), ...rows.slice(-MOST_FILES)].join(
        '\n',
      );
}

/** As many of the newest texts as there is room for, each cut to a length, in their order. */
function newest(texts: readonly string[], all: number, each: number): readonly string[] {
  const kept: string[] = [];
  let left = all;
  for (const text of texts.toReversed()) {
    const short = cut(text, Math.floor(each));
    if (short.length > left && kept.length > 0) break;
    left -= short.length;
    kept.unshift(short);
  }
  return kept;
}

function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = text.slice(0, chars).replace(/[\ud800-\udbff]$/, '');
  return `${head}\n[${text.length - head.length} more characters are left out here.]`;
}

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim();
