import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { call, hold, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { cutSettings } from '../support/vscode/cutTeam';
import { until } from '../support/vscode/eventually';
import { runPaletteCommand } from '../support/vscode/palette';
import { delegate } from '../support/vscode/rehearse';
import { roomBanner, roomRow, showTab } from '../support/vscode/room';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, eachGoesOn, useSuite } from '../support/vscode/suite';
import { allNotifications, pane, showContainer, treeRows, webviewFrame } from '../support/vscode/views';

/** Each test goes on where the one before has ended. */
describe('a folder that is not trusted', function () {
  this.timeout(E2E_MS);
  eachGoesOn();
  const suite = useSuite({ trustAll: false });
  let model: ScriptedModel;
  let page: Page;

  before(async () => {
    model = await startScriptedModel({ strict: true });
    model.script({
      lead: [
        call('write', { path: 'written.txt', content: 'written\n' }),
        hold('untrusted', say('I stop here.')),
      ],
    });
    await writeMachineSettings(suite().server.dataDir, cutSettings(model));
    const folder = join(suite().scratch, 'untrusted');
    await mkdir(folder);
    const window = await suite().open({ folder, viewport: { width: 1300, height: 1000 } });
    page = window.page;
  });
  after(() => model.close());

  const restricted = async () => {
    const banner = await roomBanner(page, 'This folder is not trusted: history can be read, nothing runs.');
    await banner.waitFor();
    return banner;
  };

  const refusesToDelegate = async () => {
    await runPaletteCommand(page, 'Teamroom: Delegate a Task…');
    await until(
      'the refusal',
      () => allNotifications(page),
      (all) => all.some(({ message }) => message.includes('This folder is not trusted')),
    );
  };

  it('says so, and nothing can be delegated in it', async () => {
    await showContainer(page, 'Teamroom');
    // Said once: the Room has nothing to show yet, and the view above it says why.
    await (await pane(page, 'Agents')).filter({ hasText: 'This folder is in Restricted Mode' }).waitFor();
    await refusesToDelegate();
    assert.deepEqual(model.log, []);
  });

  it('works once the person trusts it, in the same window', async () => {
    const welcome = (await pane(page, 'Agents')).filter({ hasText: 'This folder is in Restricted Mode' });
    await welcome.locator('.monaco-button', { hasText: 'Manage Workspace Trust' }).click();
    await page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).click();
    await welcome.waitFor({ state: 'hidden' });
    await delegate(page, 'Write until trust is taken');
    await model.held('untrusted');
    await (await roomRow(page, 'Write until trust is taken')).waitFor();
  });

  it('shows its history when trust is taken away, and nothing goes on', async () => {
    const room = await webviewFrame(page, 'room-app');
    const trusted = page.locator('.workspace-trust-editor .monaco-list-row', { hasText: '/untrusted' });
    await trusted.hover();
    await trusted.locator('.action-label[aria-label^="Delete"]').click();
    await until('the window is made anew', async () => room.isDetached(), Boolean);
    await showContainer(page, 'Teamroom');
    await restricted();
    await (await roomRow(page, 'Write until trust is taken')).waitFor();
    await showTab(page, 'changes');
    await (await roomRow(page, 'written.txt')).waitFor();
    await until(
      'the team in the native tree',
      () => treeRows(page, 'Agents'),
      (rows) => rows.map(({ label }) => label).includes('lead'),
    );
    const composer = (await webviewFrame(page, 'room-app')).locator('textarea[data-name="composer"]');
    await showTab(page, 'room');
    assert.equal(await composer.isDisabled(), true);
    await refusesToDelegate();
    model.release('untrusted');
    assert.equal(model.log.length, 2);
    assert.equal(model.open, 0);
  });
});
