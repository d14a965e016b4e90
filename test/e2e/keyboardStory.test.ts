import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  call,
  calls,
  hold,
  reacting,
  type ScriptedModel,
  say,
  startScriptedModel,
} from '../support/scriptedModel';
import { until } from '../support/vscode/eventually';
import { focusedRow, focusedWords, keyTo, runByKeys, typeByKeys } from '../support/vscode/keyboard';
import { askCard, roomRow, treeTabRows } from '../support/vscode/room';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, eachGoesOn, useSuite } from '../support/vscode/suite';

const add = (name: string, task: string, more: object = {}) =>
  call('team_add', { name, role: `is the ${name}`, task, ...more });

const script = {
  lead: reacting([
    [
      /Tidy the notes/,
      calls(add('writer', 'Write out.md.', { goal: 'Tidy notes.' }), add('reader', 'Read all.')),
    ],
    [/reader was added/, say('Two are at work.')],
    [/Team report from writer/, say('The page is written.')],
  ]),
  writer: reacting([
    [/Write out\.md/, call('write', { path: 'out.md', content: '# Notes\n' })],
    [/out\.md/, say('Written to out.md.')],
  ]),
  reader: reacting([[/Read all/, hold('reading', say('Read.'))]]),
};

/** No test here touches the mouse: what a person can't reach with keys is not reached. */
describe('a task by keyboard alone, from the palette to the review', function () {
  this.timeout(E2E_MS);
  eachGoesOn();

  const suite = useSuite();
  let model: ScriptedModel;
  let folder: string;
  let page: Page;

  const toRoom = () => runByKeys(page, 'Teamroom: Focus on Room View');
  const toTab = async (from: string, key: 'ArrowLeft' | 'ArrowRight', to: RegExp) => {
    await keyTo(page, 'Shift+Tab', new RegExp(`^${from}`));
    await page.keyboard.press(key);
    await until(
      `the tab ${to.source}`,
      () => focusedWords(page),
      (words) => to.test(words),
    );
  };

  before(async () => {
    model = await startScriptedModel({ strict: true });
    model.script(script);
    folder = join(suite().scratch, 'keys');
    await mkdir(folder);
    const entry = { id: 'scripted', provider: 'openai', baseUrl: model.url, model: 'scripted' };
    await writeMachineSettings(suite().server.dataDir, { 'teamroom.models': [entry] });
    page = (await suite().open({ folder, viewport: { width: 1400, height: 1200 } })).page;
  });
  after(async () => {
    await model.close();
  });

  it('a task is delegated in the palette', async () => {
    await runByKeys(page, 'Teamroom: Delegate a Task…');
    await typeByKeys(page, 'Tidy the notes', 'What should the team do?');
    await model.held('reading');
  });

  it('an approval is answered, and the focus stays at its row', async () => {
    await toRoom();
    await askCard(page, 'out.md');
    assert.ok(!existsSync(join(folder, 'out.md')));
    await keyTo(page, 'Tab', /^Allow once$/);
    await page.keyboard.press('Enter');
    await (await roomRow(page, 'The page is written.')).waitFor();
    assert.equal(await readFile(join(folder, 'out.md'), 'utf8'), '# Notes\n');
    await until(
      'the row has the focus that its button had',
      () => focusedRow(page),
      (row) => /out\.md/.test(row),
    );
  });

  it('the Room is read row by row, from the task to the answer', async () => {
    await page.keyboard.press('Home');
    await until(
      'the first row',
      () => focusedRow(page),
      (row) => row.includes('Tidy the notes'),
    );
    const read = new Set<string>();
    await until(
      'the last row, by going down',
      async () => {
        await page.keyboard.press('ArrowDown');
        const row = await focusedRow(page);
        read.add(row);
        return row;
      },
      (row) => row.includes('The page is written.'),
    );
    for (const part of ['Two are at work.', 'Written to out.md.'])
      assert.ok(
        [...read].some((row) => row.includes(part)),
        `${part} in ${[...read].join('\n')}`,
      );
  });

  it('a member is stopped in the Tree', async () => {
    await toTab('Room', 'ArrowRight', /^Tree/);
    await keyTo(page, 'Tab', /^Stop reader$/);
    await page.keyboard.press('Enter');
    await until(
      'the reader is stopped',
      () => treeTabRows(page),
      (rows) => rows.some((row) => /^reader .*: stopped by you/.test(row)),
    );
  });

  it('a diff is opened from the Changes, and the Room is reached again', async () => {
    await toRoom();
    await toTab('Tree', 'ArrowRight', /^Changes/);
    await keyTo(page, 'Tab', /^Open the diff of out\.md$/);
    await page.keyboard.press('Enter');
    await page.locator('.tab', { hasText: 'out.md: what writer changed' }).waitFor();
    await toRoom();
    await keyTo(page, 'Tab', /^Accept$/);
  });

  it('what was delivered is reviewed from the palette, and accepted by its button', async () => {
    await runByKeys(page, 'Teamroom: Review Deliverables…');
    await page.locator('.quick-input-title', { hasText: 'Review Deliverables' }).waitFor();
    await page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'writer' }).waitFor();
    await page.keyboard.press('Enter');
    // It takes the focus when it is there, and not before.
    await page.locator('.multiDiffEditor .view-line, .multi-diff-root-floating-menu').first().waitFor();
    await toRoom();
    await keyTo(page, 'Tab', /^Accept$/);
    await page.keyboard.press('Enter');
    await (await roomRow(page, 'accepted by you')).waitFor();
  });
});
