import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { ScriptedModel } from '../support/scriptedModel';
import {
  assertInterruptionTold,
  assertNothingTwice,
  bringToTheCut,
  cutSettings,
  goOnToTheEnd,
  makeFolder,
  startCutModel,
} from '../support/vscode/cutTeam';
import { until } from '../support/vscode/eventually';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import { allNotifications, webviewFrame } from '../support/vscode/views';

describe('an extension host that is killed in the middle', function () {
  this.timeout(E2E_MS);
  const suite = useSuite({ observed: true });
  let model: ScriptedModel;

  before(async () => {
    model = await startCutModel();
    await writeMachineSettings(suite().server.dataDir, cutSettings(model));
  });
  after(() => model.close());

  it('loses nothing, its commands are ended by the next one, and the person goes on', async () => {
    const folder = await makeFolder(join(suite().scratch, 'hostKill'));
    const { page } = await suite().open({ folder, viewport: { width: 1300, height: 1300 } });
    const team = await bringToTheCut(page, model, folder);
    const room = await webviewFrame(page, 'room-app');
    assert.equal((await suite().server.killExtensionHosts()).length, 1);
    await until('the next host makes the Room anew', async () => room.isDetached(), Boolean);
    await assertInterruptionTold(page, team);
    await until(
      'the person is told of the command that was ended',
      () => allNotifications(page),
      (all) => all.some(({ message }) => /outlived the last window were ended: .*echo two/.test(message)),
    );
    await goOnToTheEnd(page, team);
    await assertNothingTwice(suite().server.dataDir, team, 1);
  });
});
