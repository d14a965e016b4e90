import { values } from '../../src/base/table';
import type { SessionId } from '../../src/shared/ids';
import { agentNamed, agentOf, callOf, deliveryOf, runOf } from '../../src/shared/lookup';
import type { Agent, Ask, DeliveryPhase, Message, Run, State } from '../../src/shared/state';
import { statusOf, treeOrder } from '../../src/team/roster';
import type { Rig } from './rig';
import type { RequestRecord, ScriptedAnswer, WireMessage } from './scriptedModel';

/**
 * What happened, as text for a reader: for each agent what its model was sent as new and what it answered, then the
 * room with its receipts, the team, the changes, what the person was asked and what the person was told. Whatever
 * differs between two equal runs (times, ids, folders) is masked.
 */
export async function transcriptOf(rig: Rig, ...sessions: readonly SessionId[]): Promise<string> {
  const states = sessions.flatMap((session) => rig.engine.state(session) ?? []);
  const blocks = [modelsText(rig, states)];
  for (const [i, session] of sessions.entries()) {
    const state = rig.engine.state(session);
    if (state === null) continue;
    if (sessions.length > 1) blocks.push(`######## session ${i + 1}`);
    blocks.push(await stateText(rig, session, state));
  }
  const told = [...rig.notices.map((notice) => JSON.stringify(notice)), ...rig.errors.map(firstLine)];
  if (told.length > 0) blocks.push(section('told outside the session', told));
  return masked(rig, `${blocks.join('\n\n')}\n`);
}

/** One conversation with a model: requests that begin with the same system prompt and the same first words. */
interface Thread {
  readonly agent: string;
  readonly requests: RequestRecord[];
}

function threadsOf(rig: Rig, states: readonly State[]): readonly Thread[] {
  const threads = new Map<string, Thread>();
  for (const request of rig.server.log) {
    const opening = request.messages.slice(0, 2).map((message) => message.content);
    const key = JSON.stringify([request.agent, opening]);
    const thread = threads.get(key) ?? { agent: request.agent, requests: [] };
    thread.requests.push(request);
    threads.set(key, thread);
  }
  const names = states.flatMap((state) => [...values(state.agents)].map((agent) => agent.name));
  const rank = ({ agent }: Thread) => (names.includes(agent) ? names.indexOf(agent) : names.length);
  return [...threads.values()].sort((a, b) => rank(a) - rank(b));
}

function modelsText(rig: Rig, states: readonly State[]): string {
  return threadsOf(rig, states)
    .map(({ agent, requests }) => `======== ${agent}\n${requests.map(requestText).join('\n')}`)
    .join('\n\n');
}

function requestText(request: RequestRecord, index: number, all: readonly RequestRecord[]): string {
  const before = all[index - 1];
  const lines = [`--- request ${index + 1}`, ...newText(request, before)];
  if (before === undefined) lines.push(`tools: ${request.tools.join(' ')}`);
  else if (before.tools.join() !== request.tools.join()) lines.push(`tools now: ${request.tools.join(' ')}`);
  lines.push(...answerText(request));
  return lines.join('\n');
}

/** The messages that the request before had not; a transcript that doesn't continue it is said to have changed. */
function newText(request: RequestRecord, before: RequestRecord | undefined): readonly string[] {
  if (before === undefined) return messageLines(request.messages, request.messages);
  const known = before.messages.length;
  const continues = before.messages.every((message, i) => isSame(message, request.messages[i]));
  if (!continues) {
    return ['(the transcript before was changed)', ...messageLines(request.messages, request.messages)];
  }
  if (request.messages.length === known) return ['(the same again)'];
  const added = request.messages.slice(known);
  const [first] = added;
  const echoed = first?.role === 'assistant' && isEcho(first, before.answer);
  return messageLines(echoed ? added.slice(1) : added, request.messages);
}

const isSame = (a: WireMessage, b: WireMessage | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** Whether an assistant message is the answer that the server gave, and nothing else. */
function isEcho(message: WireMessage, answer: ScriptedAnswer | undefined): boolean {
  const sent = (message.tool_calls ?? []).map((call) => `${call.function.name} ${call.function.arguments}`);
  const given = (answer?.calls ?? []).map((call) => `${call.tool} ${argsOf(call.args)}`);
  return (message.content ?? '') === (answer?.text ?? '') && sent.join('\n') === given.join('\n');
}

const argsOf = (args: object | string): string => (typeof args === 'string' ? args : JSON.stringify(args));

function messageLines(messages: readonly WireMessage[], all: readonly WireMessage[]): readonly string[] {
  return messages.map((message) => {
    switch (message.role) {
      case 'system':
        return `system: ${firstLine(message.content)} […]`;
      case 'tool':
        return body(`${toolOf(message, all)}`, message.content);
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(
          (call) => `\n  [${call.function.name} ${call.function.arguments}]`,
        );
        return `${body('assistant, as sent back', message.content)}${calls.join('')}`;
      }
      default:
        return body(message.role, message.content);
    }
  });
}

/** The tool whose result this is, with what it was called with where one step called several. */
function toolOf(message: WireMessage, all: readonly WireMessage[]): string {
  for (const each of all) {
    const called = each.tool_calls?.find((call) => call.id === message.tool_call_id);
    if (called !== undefined) return `result of ${called.function.name}`;
  }
  return 'result of no call';
}

function answerText({ answer }: RequestRecord): readonly string[] {
  if (answer === undefined) return ['-> (no answer)'];
  const lines: string[] = [];
  if (answer.status !== undefined) {
    const retry = answer.retryAfter === undefined ? '' : `, Retry-After ${answer.retryAfter}`;
    lines.push(`-> HTTP ${answer.status}${retry}`);
  } else if (answer.raw !== undefined) lines.push(`-> raw ${JSON.stringify(answer.raw)}`);
  else {
    const { text = '', calls = [] } = answer;
    if (text !== '' || calls.length === 0) lines.push(body('->', text === '' ? '(nothing)' : text));
    for (const call of calls) lines.push(`-> ${call.tool} ${argsOf(call.args)}`);
  }
  const marks = [
    ...(answer.hold === undefined ? [] : [`held at "${answer.hold}"`]),
    ...(answer.cut === true ? ['the connection is reset in the middle'] : []),
    ...(answer.stall === true ? ['then silence'] : []),
    ...(answer.finish === undefined ? [] : [`finish reason ${answer.finish}`]),
  ];
  return marks.length === 0 ? lines : [...lines, `   (${marks.join('; ')})`];
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** On one line if it is one, else below, indented. */
function body(label: string, text: string): string {
  const head = label.endsWith('>') ? label : `${label}:`;
  if (!text.includes('\n')) return `${head} ${text}`;
  return `${head}\n${text
    .split('\n')
    .map((line) => `  | ${line}`.trimEnd())
    .join('\n')}`;
}

const section = (title: string, lines: readonly string[]): string =>
  `======== ${title}\n${lines.length === 0 ? '(none)' : lines.join('\n')}`;

async function stateText(rig: Rig, session: SessionId, state: State): Promise<string> {
  const inRoom = [...values(state.messages)].filter((message) => message.n !== null);
  const talk = [...values(state.messages)].filter((message) => message.n === null);
  const asks = [...values(state.asks)];
  const changes = [...values(state.changes)];
  const lines = (messages: readonly Message[]) =>
    Promise.all(messages.map((message) => messageText(rig, session, state, message)));
  return [
    section('talk with the person', await lines(talk)),
    section('room', await lines(inRoom)),
    section('team', teamLines(state)),
    ...(changes.length === 0
      ? []
      : [
          section(
            'changes',
            changes.map((each) => changeText(state, each)),
          ),
        ]),
    ...(asks.length === 0
      ? []
      : [
          section(
            'asked',
            asks.map((ask) => askText(state, ask)),
          ),
        ]),
  ].join('\n\n');
}

async function messageText(rig: Rig, session: SessionId, state: State, message: Message): Promise<string> {
  const text = await rig.engine.readText(session, message.text);
  const { n, kind, fromName, to, ended } = message;
  const receipts = message.deliveries.flatMap((id) => {
    const delivery = deliveryOf(state, id);
    if (delivery === undefined) return [];
    return `${agentOf(state, delivery.to)?.name}: ${phaseText(delivery.phase)}`;
  });
  const how = ended === null ? '' : ` {${ended.reason}${ended.detail === null ? '' : `: ${ended.detail}`}}`;
  const tail = receipts.length === 0 ? '' : `   [${receipts.join(', ')}]`;
  const head = `${n === null ? '' : `#${n} `}${kind} ${fromName} -> ${to.join(', ')}`;
  return `${body(head, text === '' ? '(empty)' : text)}${how}${tail}`;
}

const phaseText = (phase: DeliveryPhase): string =>
  phase.status === 'dropped' ? `dropped (${phase.reason})` : phase.status;

function teamLines(state: State): readonly string[] {
  const left = [...values(state.agents)].filter((agent) => agent.left !== null);
  return [
    ...treeOrder(state).map(({ agent, depth }) => agentText(state, agent, depth)),
    ...left.map((agent) => `left: ${agentText(state, agent, 0)}; ${leftText(state, agent)}`),
  ];
}

function agentText(state: State, agent: Agent, depth: number): string {
  const runs = agent.runs.flatMap((id) => runOf(state, id) ?? []);
  const status = agent.left === null ? `${statusOf(state, agent)}; ` : '';
  return `${'  '.repeat(depth)}${agent.name} (${agent.role}): ${status}turns: ${runs.map(runText).join(', ')}`;
}

function runText({ phase, cause, steps, resumedTimes }: Run): string {
  const resumed = resumedTimes === 0 ? '' : `, resumed ${resumedTimes}x`;
  const what = `${cause}, ${steps} ${steps === 1 ? 'step' : 'steps'}${resumed}`;
  if (phase.status === 'parked') return `parked on ${phase.on} (${what})`;
  if (phase.status !== 'ended') return `${phase.status} (${what})`;
  return `${phase.reason}${phase.detail === null ? '' : `: ${phase.detail}`} (${what})`;
}

function leftText(state: State, agent: Agent): string {
  const by = agent.left?.by;
  if (by === undefined) return '';
  const who = by.type === 'agent' ? (agentOf(state, by.id)?.name ?? by.id) : by.type;
  return `${agent.left?.reason} by ${who}`;
}

function changeText(state: State, change: State['changes']['pages'][number][number]): string {
  const who = agentOf(state, change.agentId)?.name ?? change.agentId;
  const undone = change.undone === null ? '' : `, undone by ${change.undone.by.type}`;
  return `${who}: ${change.kind} ${change.path} (+${change.added} -${change.removed})${undone}`;
}

function askText(state: State, ask: Ask): string {
  const who = agentOf(state, ask.agentId)?.name ?? ask.agentId;
  const { about, phase } = ask;
  const answer = phase.status === 'answered' ? JSON.stringify(phase.answer) : phase.status;
  switch (about.type) {
    case 'permission':
      return `${who}: ${about.tool}, why ${JSON.stringify(about.why)}, shown ${previewText(state, ask)} -> ${answer}`;
    case 'question':
      return `${who}: question ${JSON.stringify(about.text)} ${JSON.stringify(about.choices)} -> ${answer}`;
    case 'limit':
      return `${who}: limit of ${about.limit}, allowed ${about.allowed} -> ${answer}`;
  }
}

function previewText(state: State, ask: Ask): string {
  if (ask.about.type !== 'permission') return '';
  const { preview } = ask.about;
  const call = ask.callId === null ? undefined : callOf(state, ask.callId);
  switch (preview.type) {
    case 'command':
      return `$ ${preview.command} (in ${preview.cwd})`;
    case 'diff':
      return `diff of ${preview.path}`;
    case 'paths':
      return preview.paths.join(', ');
    case 'none':
      return `nothing of ${call?.tool ?? 'a call'}`;
  }
}

/** Takes out what no two runs have in common. */
function masked(rig: Rig, text: string): string {
  return text
    .replaceAll(rig.workspace, '<workspace>')
    .replaceAll(rig.root, '<root>')
    .replaceAll(rig.server.url, '<server>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '<time>')
    .replace(/\b\d+\.\d s\b/g, '<duration>')
    .replace(/\bs[0-9a-z]{9}[0-9a-f]{15}\b/g, '<session>')
    .replace(/^( {2}\| )\d{3,}$/gm, '$1<number>')
    .replace(/127\.0\.0\.1:\d+/g, '<server>');
}

/** The agent's runs by name, newest last, of whoever bears the name now. */
export function runsOf(state: State, name: string): readonly Run[] {
  return (agentNamed(state, name)?.runs ?? []).flatMap((id) => runOf(state, id) ?? []);
}
