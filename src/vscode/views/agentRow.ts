import * as vscode from 'vscode';
import { agentOf, leadOf, openRuns } from '../../shared/lookup';
import { activityOf } from '../../shared/project/doing';
import { sessionUsage, waitingRows, workingCount } from '../../shared/project/head';
import { activitySentence, rowSentence, type Streaming } from '../../shared/project/sentence';
import { todoSentence } from '../../shared/project/todoSentence';
import { dotColour, noSurroundings } from '../../shared/project/who';
import { clockTime, elapsed, money, shortCount, timeLeft } from '../../shared/project/words';
import type { AgentState, TreeRow } from '../../shared/protocol';
import type { State } from '../../shared/state';
import { headOf } from '../../shared/text';
import { say as words } from '../../shared/texts';
import { say } from '../texts';

/** An agent's row: what the state says of it, and what streams. */
export interface AgentRow {
  readonly row: TreeRow;
  readonly streaming: Streaming;
}

/** "edits report.tsx · step 7 · 0:41 · 31k · $0.20": what it does, then what it took; what is 0 is left out. */
export function agentDescription(agent: AgentRow, now: number): string {
  const { row } = agent;
  return [...reviewWords(row), short(doing(agent, now)), ...unfinished(row), ...usage(row, now)].join(' · ');
}

/** So that a long sentence does not push what it took out of sight; the tooltip has all of it. */
const MOST_CHARS = 40;

const short = (words: string): string =>
  words.length > MOST_CHARS ? `${words.slice(0, MOST_CHARS - 1).trimEnd()}…` : words;

/** What a screen reader says of the row, beginning with the name. */
export function agentAria(agent: AgentRow, now: number): string {
  const { row } = agent;
  const state = words(`state.${row.state}`);
  const rest = [...reviewWords(row), doing(agent, now), ...unfinished(row), ...usage(row, now)];
  return [row.agent.name, state, ...rest].join(', ');
}

const doing = ({ row, streaming }: AgentRow, now: number): string =>
  rowSentence(row.activity, streaming, {
    time: (at) => clockTime(at, now),
    left: (until) => timeLeft(until, now),
  });

/** "2 of 5: writing tests", while there is something left on its list. */
const unfinished = ({ todo }: TreeRow): readonly string[] =>
  todo === null || todo.done === todo.total ? [] : [todoSentence(todo)];

const marks = { done: '☑', in_progress: '▶', pending: '☐' } as const;

function usage(row: TreeRow, now: number): readonly string[] {
  const active = activeMs(row, now);
  return [
    active >= 1000 ? elapsed(active) : '',
    row.tokens > 0 ? shortCount(row.tokens) : '',
    row.microUsd === null || row.microUsd === 0 ? '' : money(row.microUsd),
  ].filter((part) => part !== '');
}

const activeMs = (row: TreeRow, now: number): number =>
  row.activeMs + (row.activeSince === null ? 0 : Math.max(0, now - row.activeSince));

const icons: Readonly<Record<AgentState, string>> = {
  working: 'circle-filled',
  asks: 'bell-dot',
  waits: 'clock',
  interrupted: 'debug-pause',
  finished: 'pass',
  failed: 'error',
  stopped: 'circle-slash',
  idle: 'circle-outline',
};

const urgent: Readonly<Partial<Record<AgentState, string>>> = {
  asks: 'list.warningForeground',
  failed: 'list.errorForeground',
};

/** The shape says the state, the colour says who: the same colour as its dot in the Room. */
export function agentIcon(row: TreeRow): vscode.ThemeIcon {
  const colour = row.left ? 'disabledForeground' : (urgent[row.state] ?? dotColour(row.agent.id));
  return new vscode.ThemeIcon(icons[row.state], new vscode.ThemeColor(colour));
}

/**
 * What the manifest's menus go by: `agent.running` can be stopped, `agent.idle` can be written to, `agent.left` neither;
 * `.failed` has a turn that can go on, `.changed` has changes that stand, `.review` has a report that waits for Accept.
 */
export function contextOf(row: TreeRow, hasChanges: boolean, mayRetry = false): string {
  const works = row.state === 'working' || row.state === 'asks' || row.state === 'waits';
  const state = row.left ? 'left' : works || row.state === 'interrupted' ? 'running' : 'idle';
  const review = row.review?.state === 'to_review' ? '.review' : '';
  const failed = mayRetry ? '.failed' : '';
  return `agent.${state}.${row.kind}${failed}${hasChanges ? '.changed' : ''}${review}`;
}

/** "to review", where the person owes a word on what a member has changed. */
const reviewWords = ({ review }: TreeRow): readonly string[] => {
  if (review === null) return [];
  return [review.state === 'to_review' ? say.toReview() : say.changesRequested()];
};

/** Plain text: names, roles and goals are the models' words, and no link or picture may come of them (A21). */
export function agentTooltip(state: State, shown: AgentRow, now: number): string {
  const { row } = shown;
  const agent = agentOf(state, row.agent.id);
  const manager = agent?.managerId == null ? say.person() : (agentOf(state, agent.managerId)?.name ?? '');
  const facts: readonly (readonly [string, string])[] = [
    [say.tooltipRole(), row.role],
    [say.tooltipManager(), manager],
    [say.tooltipModel(), row.model],
    [say.tooltipTime(), elapsed(activeMs(row, now))],
    [say.tooltipSteps(), String(agent?.usage.steps ?? 0)],
    [say.tooltipTokens(), shortCount(row.tokens)],
    [say.tooltipCost(), row.microUsd === null ? say.noPrice() : money(row.microUsd)],
  ];
  const known = facts.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${value}`);
  const todo = row.todo === null ? [] : ['', todoSentence(row.todo)];
  const items = (agent?.todo ?? []).map((item) => `${marks[item.status]} ${item.text}`);
  const goal = agent?.goal == null ? [] : ['', headOf(agent.goal)];
  return [`${row.agent.name}: ${doing(shown, now)}`, ...known, ...goal, ...todo, ...items].join('\n');
}

/** "2 working, 1 waiting for you · $0.31", or what it came to: "finished 01:43 · $0.31". */
export function sessionDescription(state: State, now: number): string {
  const working = workingCount(state);
  const waiting = waitingRows(state).length;
  const { microUsd } = sessionUsage(state);
  const parts = [
    state.session?.paused === true ? say.paused() : '',
    working > 0 || waiting > 0 ? statusWords(working, waiting) : endOf(state, now),
    microUsd === null || microUsd === 0 ? '' : money(microUsd),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** How the lead's last turn ended, once nobody's goes on. */
function endOf(state: State, now: number): string {
  const lead = leadOf(state);
  if (lead === undefined || openRuns(state).length > 0) return '';
  const activity = activityOf(state, lead, noSurroundings);
  const time = (at: number) => clockTime(at, now);
  if (activity.type === 'finished') return activitySentence(activity, time);
  return activity.type === 'ended' ? activitySentence({ ...activity, detail: null }, time) : '';
}

export function statusWords(working: number, waiting: number): string {
  if (waiting === 0) return say.statusWorking(working);
  return working === 0 ? say.statusWaiting(waiting) : say.status(working, waiting);
}
