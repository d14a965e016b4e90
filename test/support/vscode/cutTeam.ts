import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  type AskedRequest,
  call,
  calls,
  hold,
  reacting,
  type ScriptedModel,
  say,
  startScriptedModel,
} from '../scriptedModel';
import { until } from './eventually';
import { assertNothingLost, assertOneResultEach, eventsOnDisk, resultsOf } from './evidence';
import { seenOf } from './observer';
import { isThere } from './processes';
import { delegate } from './rehearse';
import { askCard, press, roomBanner, roomRow, showTab } from './room';
import { showContainer, sidebarWidth, treeRows } from './views';

/**
 * A team that is cut in the middle of everything at once: one member's answer is streaming, another's command runs, a
 * third one's call waits for the person.
 */
export interface CutTeam {
  readonly model: ScriptedModel;
  readonly folder: string;
  /** Process ids of the command that runs, shell and child. */
  readonly running: readonly number[];
}

const members = ['counter', 'writer', 'asker'] as const;

/** The first line counts how often the command began, the last whether it came to its end. */
const LONG_COMMAND =
  'echo two >> counter.txt; echo $$ >> pids; sleep 4323 & echo $! >> pids; wait; echo end >> counter.txt';

const add = (name: string) =>
  call('team_add', { name, role: `is the ${name}`, task: `Do the ${name}'s part.`, goal: 'A cut.' });

function lead(request: AskedRequest) {
  const text = request.messages.map(({ content }) => content).join('\n');
  if (!text.includes('was added')) return calls(...members.map(add));
  return members.every((name) => text.includes(`[Team report from ${name} `))
    ? say('All is **done**.')
    : say('I wait.');
}

const halfWritten = hold(
  'stream',
  calls(say('Half of it.'), call('write', { path: 'second.txt', content: 'second\n' })),
);

const script = {
  lead,
  counter: reacting([
    [/counter's part/, call('bash', { command: 'echo one >> counter.txt' })],
    [/Exit code 0/, call('bash', { command: LONG_COMMAND })],
    [/while this command was running|Stopped after/, say('Counted.')],
  ]),
  writer: reacting([
    [/writer's part/, call('write', { path: 'first.txt', content: 'first\n' })],
    [/first\.txt/, halfWritten],
    // Where it had said something before the cut it is asked again with that above.
    [/interrupted by a restart/, halfWritten],
    [/second\.txt/, say('Written.')],
  ]),
  asker: reacting([
    [/asker's part/, call('write', { path: '.vscode/asked.json', content: '{}\n' })],
    [/asked\.json/, say('Asked.')],
  ]),
};

const read = async (folder: string, path: string): Promise<string> => {
  const file = join(folder, path);
  return existsSync(file) ? await readFile(file, 'utf8') : '';
};

export async function startCutModel(): Promise<ScriptedModel> {
  const model = await startScriptedModel({ strict: true });
  model.script(script);
  return model;
}

/** What `teamroom.models` must be, so that the team works without asking. */
export const cutSettings = (model: ScriptedModel) => ({
  'teamroom.permissionMode': 'auto',
  'teamroom.models': [
    { id: 'scripted', provider: 'openai', label: 'Scripted', baseUrl: model.url, model: 'scripted' },
  ],
});

/** Delegates the task and brings the team to where it is to be cut. */
export async function bringToTheCut(page: Page, model: ScriptedModel, folder: string): Promise<CutTeam> {
  await lookAtRoom(page);
  await delegate(page, 'Work until you are cut');
  await model.held('stream');
  await askCard(page, 'asked.json');
  const running = await until(
    'the command runs',
    async () => (await read(folder, 'pids')).trim().split('\n').map(Number),
    (pids) => pids.length === 2,
  );
  assert.deepEqual(running.map(isThere), [true, true]);
  return { model, folder, running };
}

export async function makeFolder(path: string): Promise<string> {
  await mkdir(path);
  return path;
}

export async function lookAtRoom(page: Page): Promise<void> {
  await showContainer(page, 'Teamroom');
  await sidebarWidth(page, 480);
  await showTab(page, 'room');
}

/** After the cut: what was running is ended, what was interrupted is said, and nothing goes on by itself. */
export async function assertInterruptionTold(page: Page, team: CutTeam): Promise<void> {
  await (await roomBanner(page, '2 runs were interrupted by a restart.')).waitFor();
  await askCard(page, /writer\s+was interrupted by a restart/);
  await askCard(page, /counter\s+was interrupted by a restart/);
  await askCard(page, 'asked.json');
  await until(
    'the end of the command and its child',
    async () => team.running.map(isThere),
    (there) => !there.includes(true),
  );
}

/** The person lets everything go on and answers; the team comes to its end. */
export async function goOnToTheEnd(page: Page, team: CutTeam): Promise<void> {
  team.model.release('stream');
  const banner = await roomBanner(page, 'were interrupted');
  await press(banner, 'Continue All');
  await banner.waitFor({ state: 'hidden' });
  await press(await askCard(page, 'asked.json'), 'Allow once');
  await (await roomRow(page, /All is\s+done/)).waitFor({ timeout: 60_000 });
  await until(
    'everybody has finished, in the native tree',
    async () => (await treeRows(page, 'Agents')).filter(({ level }) => level > 1),
    (rows) =>
      members.every((name) =>
        rows.some(({ label, description }) => label === name && description.includes('finished')),
      ),
  );
}

/**
 * What a client had seen is in what was reopened, no call has two results, no command ran twice, and what nobody knows
 * is told as unknown.
 * @param openings in how many windows the session was found, the first one not counted
 */
export async function assertNothingTwice(dataDir: string, team: CutTeam, openings: number): Promise<void> {
  const { folder, model } = team;
  const session = (await seenOf(folder)).at(0)?.session;
  assert.ok(session !== undefined, 'another extension has seen the session');
  assert.equal(await assertNothingLost(dataDir, folder, session), openings);
  assertOneResultEach(model);
  assert.equal(await read(folder, 'counter.txt'), 'one\ntwo\n');
  assert.match(resultsOf(model, 'counter').at(-1) ?? '', /Nobody knows how far it got|Stopped after/);
  for (const [path, content] of [
    ['first.txt', 'first\n'],
    ['second.txt', 'second\n'],
    ['.vscode/asked.json', '{}\n'],
  ] as const) {
    assert.equal(await read(folder, path), content);
  }
  const events = await eventsOnDisk(dataDir, session);
  const once = {
    'call.finished': (event: object) => 'callId' in event && event.callId,
    'run.ended': (event: object) => 'runId' in event && event.runId,
    'delivery.processed': (event: object) => 'deliveryId' in event && event.deliveryId,
  } as const;
  for (const [type, idOf] of Object.entries(once)) {
    const ids = events.filter((event) => event.type === type).map(idOf);
    assert.equal(new Set(ids).size, ids.length, `${type} twice for one of ${JSON.stringify(ids)}`);
  }
}
