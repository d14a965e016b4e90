import assert from 'node:assert/strict';
import type { ModelId } from '../../src/shared/ids';
import { agentNamed, runOf } from '../../src/shared/lookup';
import { Projection } from '../../src/shared/project/projection';
import { treeRow } from '../../src/shared/project/treeList';
import { noSurroundings } from '../../src/shared/project/who';
import type { State } from '../../src/shared/state';
import { continueAll, pauseAll, retry, tellLead } from '../../src/vscode/commands/control';
import { deskOn, rigModel } from '../support/desk';
import { Rig } from '../support/rig';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';
import { call, hold, say, status } from '../support/scriptedModel';

const member = call('team_add', { name: 'a', role: 'a', task: 'You are on part a.', goal: 'Parts.' });
const look = call('list', { path: '.' });

describe('Pause All, Continue, Retry and Tell the Lead Now, on the engine', () => {
  let rig: Rig;
  afterEach(() => rig.end());

  const setUp = async (script: readonly Reaction[] = []) => {
    rig = await Rig.start();
    const second = { ...rig.entry, id: 'second', label: 'Second', model: 'scripted-2' };
    rig.entries = [rig.entry, second];
    const asker = new ScriptedAsker(...script);
    return { asker, ...(await deskOn(rig, asker, { models: [rigModel(rig), second] })) };
  };
  const rows = (state: State | null) => {
    const projection = new Projection();
    projection.open(state);
    return projection.page('room', 0).rows;
  };
  const activity = (state: State, name: string) => {
    const agent = agentNamed(state, name);
    return agent === undefined ? null : treeRow(state, agent.id, 0, noSurroundings)?.activity.type;
  };

  it('Pause All pauses what goes on and says so where nothing does; Continue lets it go on; rows and banner tell it', async () => {
    const { desk, asker } = await setUp([{ choose: null }, { choose: null }]);
    rig.server.script({ lead: [hold('lead', look), say('Done.')] });
    assert.equal(await pauseAll(desk, []), 0);
    assert.equal(await continueAll(desk, []), 0);
    assert.deepEqual(asker.told, ['No agent is working.', 'Nothing is paused.']);
    const session = await rig.delegate('Look around.');
    await desk.sessions.look(session);
    await rig.server.held('lead');
    assert.equal(await pauseAll(desk, []), 1);
    rig.server.release('lead');
    const paused = await rig.quiet(session);
    assert.equal(activity(paused, 'lead'), 'paused');
    const projection = new Projection();
    projection.open(paused);
    assert.deepEqual(projection.head().banner, { type: 'paused' });
    assert.equal(await continueAll(desk, [{ type: 'session', session }]), 1);
    const done = await rig.turns(session, 'lead', 1);
    projection.open(done);
    assert.equal(projection.head().banner, null);
  });

  it('Retry asks for the model, and the failed row offers to go on as long as that is possible', async () => {
    const { desk, asker } = await setUp([{ pick: 'Second' }, { choose: null }]);
    const bad = status(400, { raw: '{"error":{"message":"bad luck"}}' });
    rig.server.script({ lead: [look, bad, hold('lead', say('Done.'))] });
    const session = await rig.delegate('Look around.');
    await desk.sessions.look(session);
    const failed = await rig.quiet(session);
    const lead = agentNamed(failed, 'lead');
    const run = lead?.runs.at(-1);
    const row = rows(failed).at(-1);
    assert.ok(row?.type === 'message');
    assert.deepEqual(row.retry, { run, words: 'Continue' });
    await retry(desk, [{ session, agent: lead?.id }]);
    await rig.server.held('lead');
    const going = rows(rig.engine.state(session)).find((each) => each.key === row.key);
    assert.ok(going?.type === 'message' && going.retry === null);
    rig.server.release('lead');
    const done = await rig.turns(session, 'lead', 2);
    assert.equal(rig.server.requestsOf('lead').at(-1)?.body.model, 'scripted-2');
    assert.equal(runOf(done, lead?.runs[0] ?? assert.fail())?.id, run);
    await retry(desk, []);
    assert.deepEqual(asker.told, ['No turn has failed that could go on.']);
  });

  it('a turn at its limit of steps offers as many more', async () => {
    const { desk } = await setUp();
    rig.server.script({ lead: [look, say('Done.')] });
    const session = await rig.delegate('Look around.', { limits: { steps: 1 } });
    await desk.sessions.look(session);
    const state = await rig.turns(session, 'lead', 1);
    const row = rows(state).at(-1);
    assert.ok(row?.type === 'message' && row.retry?.words === 'Continue with 1 more steps');
    const first = rig.entry.id as ModelId;
    await retry(desk, [{ session, agent: agentNamed(state, 'lead')?.id }, first]);
    await rig.turns(session, 'lead', 2);
    assert.equal(await rig.lastAnswer(session), 'Done.');
  });

  it('Tell the Lead Now starts its turn; the row of the stop offers it until then', async () => {
    const { desk, asker } = await setUp([{ choose: null }]);
    rig.server.script({ lead: [member, say('a is at work.'), say('I know.')], a: [hold('a')] });
    const session = await rig.delegate('Look around.');
    await desk.sessions.look(session);
    await rig.turns(session, 'lead', 1);
    await rig.engine.stop(session, 'a');
    const left = () => rows(rig.engine.state(session)).find((row) => row.type === 'left');
    const before = left();
    assert.ok(before?.type === 'left' && before.leadWaits);
    await tellLead(desk, []);
    await rig.turns(session, 'lead', 2);
    const after = left();
    assert.ok(after?.type === 'left' && !after.leadWaits);
    await tellLead(desk, []);
    assert.deepEqual(asker.told, ['There is nothing that the lead has not been told.']);
    rig.server.release('a');
  });
});
