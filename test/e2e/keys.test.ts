import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { pickInQuickInput, runPaletteCommand, typeInQuickInput } from '../support/vscode/palette';
import { delegate } from '../support/vscode/rehearse';
import { roomRow } from '../support/vscode/room';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import { showContainer } from '../support/vscode/views';
import type { Window } from '../support/vscode/window';

/** A canary: where it is found, a key has leaked. */
const KEY = 'sk-canary-5c1fe4';

describe('the key of a model, in the secret storage', function () {
  this.timeout(E2E_MS);
  const suite = useSuite();
  let first: ScriptedModel;
  let second: ScriptedModel;
  let window: Window;
  let page: Page;

  before(async () => {
    first = await startScriptedModel();
    second = await startScriptedModel();
    const folder = join(suite().scratch, 'work');
    await mkdir(folder);
    window = await suite().open({ folder });
    page = window.page;
    await showContainer(page, 'Teamroom');
  });
  after(async () => {
    await first.close();
    await second.close();
  });

  const ask = async (model: ScriptedModel, task: string) => {
    model.script({ lead: [say(`Done: ${task}.`)] });
    await delegate(page, task);
    await (await roomRow(page, `Done: ${task}.`)).waitFor();
    return model.log.at(-1)?.headers['authorization'];
  };

  const reload = async () => {
    await window.reload();
    await runPaletteCommand(page, 'Teamroom: Focus on Agents View');
  };

  it('goes to the server it was typed in for, also after a reload', async () => {
    await runPaletteCommand(page, 'Teamroom: Add Model…');
    await pickInQuickInput(page, 'Another server…');
    await typeInQuickInput(page, first.url, 'Base URL');
    await typeInQuickInput(page, KEY, `API key for ${new URL(first.url).origin}`);
    await pickInQuickInput(page, 'scripted', 'Which model?');
    await pickInQuickInput(page, /Add it now/);
    assert.equal(await ask(first, 'one'), `Bearer ${KEY}`);
    await reload();
    assert.equal(await ask(first, 'two'), `Bearer ${KEY}`);
  });

  it('A27 does not go to another origin that the base URL was changed to', async () => {
    const entry = { id: 'scripted', provider: 'openai', baseUrl: second.url, model: 'scripted' };
    await writeMachineSettings(suite().server.dataDir, { 'teamroom.models': [entry] });
    await reload();
    assert.equal(await ask(second, 'three'), undefined);
    assert.equal(first.log.length, 2);
  });

  it('A26 lies in no file that the server keeps: no setting, no history, no log', async () => {
    const { dataDir } = suite().server;
    const leaks: string[] = [];
    const files = await readdir(dataDir, { recursive: true, withFileTypes: true });
    for (const file of files) {
      if (!file.isFile() || file.parentPath.includes('/e/')) continue;
      const path = join(file.parentPath, file.name);
      if ((await readFile(path)).includes(KEY)) leaks.push(path);
    }
    assert.deepEqual(leaks, []);
  });
});
