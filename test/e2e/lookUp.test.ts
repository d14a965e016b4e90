import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { call, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { runPaletteCommand, typeInQuickInput } from '../support/vscode/palette';
import { delegate } from '../support/vscode/rehearse';
import { roomRow } from '../support/vscode/room';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, eachGoesOn, useSuite } from '../support/vscode/suite';
import { showContainer, webviewFrame } from '../support/vscode/views';

/** What a person looks up afterwards, in a real window. */
describe('looking up what was said and done', function () {
  this.timeout(E2E_MS);
  const suite = useSuite();
  eachGoesOn();
  let model: ScriptedModel;
  let page: Page;

  before(async () => {
    model = await startScriptedModel();
    model.script({
      lead: [
        call('team_add', { name: 'w', role: 'works', task: 'Crack the walnut.', goal: 'g' }),
        say('I wait.'),
        say('All done.'),
      ],
      w: [call('list', {}), say('The walnut is cracked.')],
    });
    const entry = { id: 'scripted', baseUrl: model.url, model: 'scripted' };
    await writeMachineSettings(suite().server.dataDir, {
      'teamroom.models': [entry],
      'teamroom.defaultModel': 'scripted',
    });
    const folder = join(suite().scratch, 'lookUp');
    await mkdir(folder);
    ({ page } = await suite().open({ folder, viewport: { width: 1300, height: 1000 } }));
    await showContainer(page, 'Teamroom');
    await delegate(page, 'Crack it.');
    await (await roomRow(page, 'All done.')).waitFor();
  });
  after(() => model.close());

  const openText = async (): Promise<string> => {
    const lines = await page.locator('.editor-instance .view-line').allInnerTexts();
    return lines.join('\n').replaceAll('\u00a0', ' ');
  };
  const menuItem = (label: string) => page.locator('.context-view .action-label', { hasText: label }).first();

  it('the menu of a message shows what its sender did, and offers to copy it', async () => {
    await (await roomRow(page, 'The walnut is cracked.')).click({ button: 'right' });
    // The menu takes no click in its first moments; what is under the pointer is what Enter takes.
    await menuItem('Show What an Agent Did').hover();
    await page.keyboard.press('Enter');
    await page.locator('.tab', { hasText: 'w.md' }).waitFor();
    await page.locator('.view-line', { hasText: 'It was told' }).first().waitFor();
    assert.match(await openText(), /# w — works[\s\S]*> Crack the walnut\./);

    await (await roomRow(page, 'The walnut is cracked.')).click({ button: 'right' });
    await menuItem('Copy as Markdown').hover();
    await page.keyboard.press('Escape');
    await menuItem('Copy as Markdown').waitFor({ state: 'hidden' });
  });

  it('words are looked for from the palette, and the row of the hit is shown', async () => {
    await runPaletteCommand(page, 'Teamroom: Search Messages…');
    await typeInQuickInput(page, 'walnut crac', 'Beginnings of words');
    const hit = page.locator('.quick-input-list .monaco-list-row', { hasText: 'The walnut is cracked.' });
    await hit.click();
    const room = await webviewFrame(page, 'room-app');
    await room.locator('.row:focus', { hasText: 'The walnut is cracked.' }).waitFor();
  });

  it('the exact request of a step is what the server got', async () => {
    await runPaletteCommand(page, 'Teamroom: Show an Exact Request…');
    const row = (text: RegExp) =>
      page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
    await row(/^\s*w/).click();
    await row(/Step 2/).click();
    await page.locator('.tab', { hasText: /request-.*\.json/ }).waitFor();
    await page.locator('.view-line', { hasText: '"model": "scripted"' }).first().waitFor();
  });
});
