import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { initialState, reduce } from '../../src/shared/reduce';
import {
  call,
  calls,
  hold,
  reacting,
  type ScriptedModel,
  say,
  startScriptedModel,
} from '../support/scriptedModel';
import { eventually, until } from '../support/vscode/eventually';
import { assertNothingLost, assertOneResultEach, eventsSeen, resultsOf } from '../support/vscode/evidence';
import { pickInQuickInput, runPaletteCommand, typeInQuickInput } from '../support/vscode/palette';
import { isThere } from '../support/vscode/processes';
import { delegate } from '../support/vscode/rehearse';
import {
  answerDialog,
  askCard,
  press,
  replyIn,
  roomRow,
  showTab,
  treeTabRows,
  writeMessage,
} from '../support/vscode/room';
import { screenshot } from '../support/vscode/screenshot';
import { E2E_MS, eachGoesOn, useSuite } from '../support/vscode/suite';
import { expandTree, pressTreeAction, showContainer, sidebarWidth, treeRows } from '../support/vscode/views';

const KEY = 'test-key-of-nobody';
/** A shell with two children, one of them under a shell of its own; each leaves its process id. */
const LONG_COMMAND =
  'echo $$ >> pids; sleep 4321 & echo $! >> pids; (sleep 4322 & echo $! >> pids; wait) & wait';
const add = (name: string, task: string, more: object = {}) =>
  call('team_add', { name, role: `is the ${name}`, task, ...more });

const script = {
  lead: reacting([
    [
      /Tidy the notes/,
      calls(
        add('builder', 'Build it. Let a tester test it.', { goal: 'Tidy notes.', lead: true }),
        add('writer', 'Write docs/out.md from notes.md.'),
      ),
    ],
    [/writer was added/, say('Two are at work.')],
    [/Team report from writer/, call('ask_user', { question: 'Which tone shall it have?' })],
    [/The person answers: Plain/, say('Plain it is.')],
    [/The person stopped builder, tester/, add('builder', 'Build it anew.')],
    [/builder was added/, say('A new builder is at work.')],
    [/The new builder is done/, say('All is done: **notes tidied**.')],
  ]),
  builder: reacting([
    [/Build it\. Let/, calls(call('read', { path: 'notes.md' }), add('tester', 'Test it.'))],
    [/tester was added/, say('The tester tests.')],
    [/Build it anew/, call('write', { path: 'build.txt', content: 'built\n' })],
    [/build\.txt/, say('The new builder is done.')],
  ]),
  tester: reacting([[/Test it/, call('bash', { command: LONG_COMMAND })]]),
  writer: reacting([
    [
      /Write docs\/out\.md/,
      calls(
        call('read', { path: 'notes.md' }),
        call('write', { path: '../outside.txt', content: 'out\n' }),
        call('bash', { command: 'rm -rf notes.md' }),
        call('write', { path: '.vscode/settings.json', content: '{}\n' }),
      ),
    ],
    [
      /./,
      hold(
        'writing',
        calls(
          say('Now I write the page, step by step.'),
          call('write', { path: 'docs/out.md', content: '# Notes\n\ntidy\n' }),
          call('edit', { path: 'notes.md', old: 'untidy', new: 'tidy' }),
          call('bash', { command: 'node count.js' }),
        ),
      ),
    ],
    [/./, call('team_send', { to: ['builder'], message: 'The notes are in docs/out.md.' })],
    [/./, hold('pause', call('read', { path: 'docs/out.md' }))],
    [/please be brief/, say('Written to docs/out.md, briefly.')],
  ]),
};

const files = {
  'notes.md': 'untidy notes\n',
  'count.js': "require('node:fs').appendFileSync('counter.txt', 'ran\\n');\n",
};

/** The whole main job, as a person has it: each test goes on where the one before has ended. */
describe('a team at work, from the palette to the undo', function () {
  this.timeout(E2E_MS);
  eachGoesOn();
  const suite = useSuite({
    observed: true,
    settings: {
      'teamroom.permissionMode': 'edits',
      'teamroom.permissionRules': [
        { effect: 'allow', tool: 'bash', pattern: 'node *' },
        { effect: 'deny', tool: 'bash', pattern: 'rm *' },
      ],
    },
  });
  let model: ScriptedModel;
  let folder: string;
  let page: Page;

  const nativeRows = async () =>
    (await treeRows(page, 'Agents')).map((row) => `${row.level} ${row.label}: ${row.description}`);
  const hasRows =
    (...wanted: readonly RegExp[]) =>
    (rows: readonly string[]) =>
      wanted.every((pattern) => rows.some((row) => pattern.test(row)));
  const text = (path: string) => readFile(join(folder, path), 'utf8');
  const pids = async () => (await text('pids')).trim().split('\n').map(Number);

  before(async () => {
    model = await startScriptedModel({ strict: true });
    model.script(script);
    folder = join(suite().scratch, 'story');
    await mkdir(folder);
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
    const window = await suite().open({ folder, viewport: { width: 1400, height: 1400 } });
    page = window.page;
    await showContainer(page, 'Teamroom');
    await sidebarWidth(page, 520);
  });
  after(async () => {
    await model.close();
  });

  it('a model is added in the palette, its key with it', async () => {
    await runPaletteCommand(page, 'Teamroom: Add Model…');
    await pickInQuickInput(page, 'Another server…', 'Where is the model served?');
    await typeInQuickInput(page, model.url, 'Base URL');
    await typeInQuickInput(page, KEY, 'API key for http://127.0.0.1');
    await pickInQuickInput(page, 'scripted', 'Which model?');
    await pickInQuickInput(page, /Add it now/);
  });

  it('a task is delegated in the palette; what asks is seen in both trees and in the Room', async () => {
    await delegate(page, 'Tidy the notes');
    await askCard(page, 'settings.json');
    await askCard(page, 'sleep 4321');
    await until(
      'everybody in the native tree',
      nativeRows,
      hasRows(
        /^1 Tidy the notes: /,
        /^2 lead: waits for /,
        /^3 builder: .*(reports|finished|waits)/,
        /^4 tester: asks: echo \$\$/,
        /^3 writer: asks: \.vscode\/settings\.json/,
      ),
    );
    await showTab(page, 'tree');
    await until(
      'everybody in the Tree tab',
      () => treeTabRows(page),
      (rows) =>
        rows.length === 4 &&
        hasRows(/^tester \(is the tester\): asks: echo/, /^writer .*: asks: \.vscode/)(rows),
    );
    await showTab(page, 'room');
  });

  it('an approval is given and one denied in the Room, by click', async () => {
    const denied = await askCard(page, 'settings.json');
    await press(denied, 'Deny…');
    await replyIn(denied, 'Leave the settings alone.');
    await (await roomRow(page, 'You denied it')).waitFor();
    await model.held('writing');
    await press(await askCard(page, 'sleep 4321'), 'Allow once');
    await until(
      'the command and its children',
      async () => (existsSync(join(folder, 'pids')) ? await pids() : []),
      (found) => found.length === 3,
    );
    assert.deepEqual((await pids()).map(isThere), [true, true, true]);
  });

  it('what is refused says why to the model, and is not done', async () => {
    const [notes, outside, removed, settings] = resultsOf(model, 'writer');
    assert.match(notes ?? '', /untidy notes/);
    assert.match(outside ?? '', /"\.\.\/outside\.txt" lies outside the workspace/);
    assert.match(removed ?? '', /A rule of the person's denies this: bash rm \*\. Nothing was done/);
    assert.match(settings ?? '', /The person denied this call.*Leave the settings alone\./);
    assert.equal(await text('notes.md'), files['notes.md']);
    assert.ok(!existsSync(join(folder, '../outside.txt')) && !existsSync(join(folder, '.vscode')));
  });

  it('while an answer streams and a command runs, both trees say what each does', async () => {
    await until(
      'what each does, in the native tree',
      nativeRows,
      hasRows(/^4 tester: runs echo \$\$/, /^3 writer: prepares write/),
    );
    await showTab(page, 'tree');
    const row = await roomRow(page, /^[\s]*writer/);
    await row.filter({ hasText: 'Now I write' }).waitFor();
    await until('the writer prepares it', () => treeTabRows(page), hasRows(/^writer .*: prepares write$/));
    model.release('writing');
    await model.held('pause');
  });

  it('changes are seen at once, and open as native diffs', async () => {
    assert.equal(await text('counter.txt'), 'ran\n');
    await showTab(page, 'changes');
    await (await roomRow(page, 'out.md')).filter({ hasText: '+3' }).waitFor();
    const notes = await roomRow(page, 'notes.md');
    await press(notes, 'Open the diff of notes.md');
    const diff = page.locator('.editor-instance .monaco-diff-editor');
    await diff.waitFor();
    await diff.locator('.original .view-line', { hasText: 'untidy notes' }).waitFor();
    await diff.locator('.modified .view-line', { hasText: /^tidy.notes/ }).waitFor();
    await page.locator('.tab', { hasText: 'notes.md: what writer changed' }).waitFor();

    const unfolded = async () => {
      // A row that is drawn again may have got its files only then.
      await expandTree(page, 'Agents');
      return nativeRows();
    };
    await until('the files in the native tree', unfolded, hasRows(/^4 out\.md: docs · new · \+3/));
    await (await suiteFile('out.md')).click();
    await page.locator('.tab', { hasText: 'out.md: what writer changed' }).waitFor();
    await screenshot(page, 'story-diff');
  });

  const suiteFile = async (label: string) =>
    page
      .locator('.sidebar .monaco-list-row', { has: page.locator('.label-name', { hasText: label }) })
      .first();

  it('a message to a member is written with @name and has its receipt', async () => {
    await showTab(page, 'room');
    await writeMessage(page, '@writer please be brief');
    const message = await roomRow(page, 'please be brief');
    await message.filter({ hasText: 'writer, sent, not read yet' }).waitFor();
    model.release('pause');
    await message.filter({ hasText: /writer: read and dealt with/ }).waitFor();
    assert.ok(
      model
        .requestsOf('writer')
        .some(({ messages }) => messages.some((m) => m.content.includes('please be brief'))),
    );
    await (await roomRow(page, 'The notes are in docs/out.md.')).waitFor();
    await (await roomRow(page, 'Written to docs/out.md, briefly.')).waitFor();
  });

  it('the lead asks a question and gets its answer', async () => {
    const card = await askCard(page, 'Which tone shall it have?');
    await replyIn(card, 'Plain');
    await (await roomRow(page, 'Plain it is.')).waitFor();
  });

  it('a member is stopped from its tree item: its subtree ends, and its commands with all their processes', async () => {
    const running = await pids();
    await pressTreeAction(page, 'Agents', 'builder', 'Stop');
    await until(
      'the end of the processes',
      async () => running.map(isThere),
      (there) => !there.includes(true),
    );
    await until(
      'who was stopped, in the native tree',
      nativeRows,
      hasRows(/^3 builder: stopped by you/, /^4 tester: stopped by you/),
    );
    const row = await roomRow(page, 'stopped by you');
    await row.filter({ hasText: 'The lead is told with your next message.' }).waitFor();
    assert.equal(model.requestsOf('tester').length, 1);
    await screenshot(page, 'story-stopped');
  });

  it('the lead is told with the next message, and the name is free again', async () => {
    await writeMessage(page, 'Go on, please.');
    const words = await eventually('the lead is asked with the message', async () =>
      model
        .requestsOf('lead')
        .map(({ messages }) => messages.map(({ content }) => content).join('\n'))
        .find((text) => text.includes('Go on, please.')),
    );
    assert.match(words, /The person stopped builder, tester\. They have left the team/);
    await (await roomRow(page, 'notes tidied')).waitFor();
    assert.match(resultsOf(model, 'lead').at(-1) ?? '', /builder was added and is at work/);
    assert.equal(await text('build.txt'), 'built\n');
  });

  it("a file is undone from the Changes tab, and others' stay", async () => {
    await showTab(page, 'changes');
    await press(await roomRow(page, 'out.md'), 'Undo docs/out.md');
    await answerDialog(page, /Undo what writer changed in docs\/out\.md\?/, 'Undo');
    await (await roomRow(page, 'out.md')).filter({ hasText: 'undone by you' }).waitFor();
    assert.ok(!existsSync(join(folder, 'docs/out.md')));
    assert.equal(await text('notes.md'), 'tidy notes\n');
    assert.equal(await text('build.txt'), 'built\n');
  });

  it('every request bore the key, no call has two results, and what was announced is the history', async () => {
    assert.ok(model.log.every(({ headers }) => headers.authorization === `Bearer ${KEY}`));
    assertOneResultEach(model);
    const seen = await eventsSeen(folder);
    assert.equal(seen.size, 1);
    for (const [session, events] of seen) {
      await assertNothingLost(suite().server.dataDir, folder, session);
      const state = events.reduce(reduce, initialState);
      assert.deepEqual(state.open.runs, []);
      assert.deepEqual(state.open.asks, []);
    }
  });
});
