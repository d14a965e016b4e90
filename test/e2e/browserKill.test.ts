import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { ScriptedModel } from '../support/scriptedModel';
import {
  assertInterruptionTold,
  assertNothingTwice,
  bringToTheCut,
  cutSettings,
  goOnToTheEnd,
  lookAtRoom,
  makeFolder,
  startCutModel,
} from '../support/vscode/cutTeam';
import { answerDialog, press, roomBanner, roomRow } from '../support/vscode/room';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import { treeRows, webviewFrame } from '../support/vscode/views';
import { windowUrl, workbenchReady } from '../support/vscode/window';

const viewport = { width: 1300, height: 1300 };

/** With VS Code's own grace time of three hours the extension host of a window that is gone lives on. */
describe('a second window on the same folder', function () {
  this.timeout(E2E_MS);
  const suite = useSuite({ observed: true, graceSeconds: null });
  let model: ScriptedModel;

  beforeEach(async () => {
    model = await startCutModel();
    await writeMachineSettings(suite().server.dataDir, cutSettings(model));
  });
  afterEach(() => model.close());

  it('takes over by itself when the browser of the first was killed: its host is asked and yields', async () => {
    const folder = await makeFolder(join(suite().scratch, 'browserKill'));
    const first = await suite().open({ folder, viewport });
    const team = await bringToTheCut(first.page, model, folder);
    const [host] = await suite().server.extensionHosts();
    await first.kill();
    const { page, close } = await suite().open({ folder, viewport });
    await lookAtRoom(page);
    await assertInterruptionTold(page, team);
    const hosts = await suite().server.extensionHosts();
    assert.ok(host !== undefined && hosts.includes(host), 'the first host lives on');
    await goOnToTheEnd(page, team);
    await assertNothingTwice(suite().server.dataDir, team, 1);
    await close();
  });

  it('can only read while the first lives, until it takes over; then the first can only read', async () => {
    const folder = await makeFolder(join(suite().scratch, 'twoWindows'));
    const profileDir = join(suite().scratch, 'profile-two');
    const { page, context, close } = await suite().open({ folder, viewport, profileDir });
    const team = await bringToTheCut(page, model, folder);
    const second = await context.newPage();
    await second.goto(windowUrl(suite().server, { folder }));
    await workbenchReady(second);
    await lookAtRoom(second);
    await canOnlyRead(second);
    await (await roomRow(second, 'Work until you are cut')).waitFor();
    assert.deepEqual(
      (await treeRows(second, 'Agents')).map(({ label }) => label),
      ['Work until you are cut', 'lead', 'counter', 'writer', 'asker'],
    );

    await press(await roomBanner(second, 'Another window'), 'Take Over Here');
    await answerDialog(second, 'Take this folder over from the other window?', 'Take Over Here');
    await assertInterruptionTold(second, team);
    await page.bringToFront();
    await canOnlyRead(page);
    await second.bringToFront();
    await goOnToTheEnd(second, team);
    await assertNothingTwice(suite().server.dataDir, team, 1);
    await close();
  });
});

async function canOnlyRead(page: Page): Promise<void> {
  await (await roomBanner(page, 'Another window holds this workspace')).waitFor();
  const composer = (await webviewFrame(page, 'room-app')).locator('textarea[data-name="composer"]');
  assert.equal(await composer.isDisabled(), true);
}
