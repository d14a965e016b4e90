import { join } from 'node:path';
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
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, useSuite } from '../support/vscode/suite';

describe('a window that is reloaded in the middle', function () {
  this.timeout(E2E_MS);
  const suite = useSuite({ observed: true });
  let model: ScriptedModel;

  before(async () => {
    model = await startCutModel();
    await writeMachineSettings(suite().server.dataDir, cutSettings(model));
  });
  after(() => model.close());

  it('loses nothing, does nothing twice, says what was interrupted, and goes on when the person says so', async () => {
    const folder = await makeFolder(join(suite().scratch, 'reload'));
    const { page, reload } = await suite().open({ folder, viewport: { width: 1300, height: 1300 } });
    const team = await bringToTheCut(page, model, folder);
    await reload();
    await lookAtRoom(page);
    await assertInterruptionTold(page, team);
    await goOnToTheEnd(page, team);
    await assertNothingTwice(suite().server.dataDir, team, 1);
  });
});
