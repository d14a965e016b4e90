import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { call, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { until } from '../support/vscode/eventually';
import { runPaletteCommand } from '../support/vscode/palette';
import { delegate } from '../support/vscode/rehearse';
import { roomBanner, roomRow } from '../support/vscode/room';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import { allNotifications, pane, showContainer, treeRows } from '../support/vscode/views';

describe('a folder that is not trusted', function () {
  this.timeout(E2E_MS);
  const suite = useSuite({ trustAll: false });
  let model: ScriptedModel;
  let page: Page;
  let folder: string;

  before(async () => {
    model = await startScriptedModel();
    model.script({ lead: [call('read', { path: 'nothing.txt' }), say('Done: nothing was there.')] });
    const entry = { id: 'scripted', provider: 'openai', baseUrl: model.url, model: 'scripted-1' };
    await writeMachineSettings(suite().server.dataDir, { 'teamroom.models': [entry] });
    folder = join(suite().scratch, 'work');
    await mkdir(folder);
    page = (await suite().open({ folder })).page;
  });
  after(() => model.close());

  const restricted = async () => {
    await showContainer(page, 'Teamroom');
    await (await roomBanner(page, 'This folder is not trusted')).waitFor();
  };
  const refused = async () => {
    const asked = model.log.length;
    await runPaletteCommand(page, 'Teamroom: Delegate a Task…');
    const told = await until(
      'a notification',
      () => allNotifications(page),
      (list) => list.some(({ message }) => message.includes('not trusted')),
    );
    assert.ok(told.some(({ buttons }) => buttons.includes('Manage Workspace Trust')));
    assert.equal(model.log.length, asked, 'no model was asked');
    await runPaletteCommand(page, 'Notifications: Clear All Notifications');
  };

  it('A18 runs nothing: Delegate says why, no model is asked, both views say so', async () => {
    await restricted();
    assert.match(await (await pane(page, 'Agents')).innerText(), /Restricted Mode/);
    await refused();
    assert.deepEqual(await treeRows(page, 'Agents'), []);
  });

  it('works at once when the person trusts it', async () => {
    await runPaletteCommand(page, 'Workspaces: Manage Workspace Trust');
    await page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click();
    await until(
      'the banner is gone',
      async () => (await roomBanner(page, 'This folder is not trusted')).count(),
      (count) => count === 0,
    );
    await delegate(page, 'Look for nothing');
    await (await roomRow(page, 'Done: nothing was there.')).waitFor();
    assert.equal(model.log.length, 2);
  });

  it('A18 keeps its history readable where it is not trusted any more, and runs nothing again', async () => {
    await page.context().close();
    // Trust lies in the browser's storage, so another profile has not given it.
    const profileDir = join(suite().scratch, 'other-profile');
    page = (await suite().open({ folder, profileDir })).page;
    await restricted();
    await (await roomRow(page, 'Done: nothing was there.')).waitFor();
    const rows = await until(
      'the session',
      () => treeRows(page, 'Agents'),
      (list) => list.length === 2,
    );
    assert.deepEqual(
      rows.map((row) => row.label),
      ['Look for nothing', 'lead'],
    );
    await refused();
    assert.equal(model.log.length, 2);
  });
});
