import assert from 'node:assert/strict';
import { changeSettings, readLimit } from '../../src/vscode/commands/settings';
import { deskOn, rigModel } from '../support/desk';
import { Rig } from '../support/rig';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';
import { say } from '../support/scriptedModel';

describe('Settings of a Task, on the engine', () => {
  let rig: Rig;
  afterEach(() => rig.end());

  const setUp = async (script: readonly Reaction[]) => {
    rig = await Rig.start();
    rig.server.script({ lead: [say('Done.')] });
    const asker = new ScriptedAsker(...script);
    const on = await deskOn(rig, asker, { models: [rigModel(rig)] });
    const session = await rig.delegate('Look around.');
    await on.desk.sessions.look(session);
    await rig.turns(session, 'lead', 1);
    return { ...on, asker, session };
  };

  it('size, mode and a limit are asked for and hold from then on; what is out of bounds is not taken', async () => {
    const { desk, asker, session } = await setUp([
      { pick: 'Team size' },
      { type: '2-99', complaint: /within 1 and 8/ },
      { type: '2-5' },
      { pick: 'Auto' },
      { confirm: false },
      { pick: 'Edits' },
      { pick: /USD/ },
      { type: 'much', complaint: /above 0/ },
      { type: '2.5' },
    ]);
    await changeSettings(desk, []);
    assert.equal(await changeSettings(desk, [{ session, what: 'mode' }]), null);
    await changeSettings(desk, [{ session, what: 'mode' }]);
    const before = desk.sessions.state(session)?.session?.settings.limits;
    await changeSettings(desk, [{ session, what: 'limits' }]);
    const settings = desk.sessions.state(session)?.session?.settings;
    assert.deepEqual(settings, {
      size: { min: 2, max: 5 },
      mode: 'edits',
      limits: { ...before, microUsd: 2_500_000 },
    });
    assert.deepEqual(asker.left, []);
  });

  it('a limit is written in its own unit; nothing is no limit', () => {
    assert.deepEqual(
      ['', ' 50 ', '0', '-1', '2.5', 'many'].map((text) => readLimit(text, 1)),
      [null, 50, undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(
      ['2.5', '0.000001', '0'].map((text) => readLimit(text, 1_000_000)),
      [2_500_000, 1, undefined],
    );
  });
});
