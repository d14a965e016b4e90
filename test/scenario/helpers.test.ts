import assert from 'node:assert/strict';
import { agentNamed, agentOf, openRuns, runOf } from '../../src/shared/lookup';
import { sameTranscript } from '../support/golden';
import { runningIn } from '../support/processesIn';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const helper = (description: string, more: object = {}) =>
  call('task', { description, task: `${description}, please.`, ...more });

describe('helpers', function () {
  const { start } = scenes(this);

  it('L-27 L-74 L-83 two in one step work side by side; their replies are the results, their changes their own', async () => {
    const rig = await start({ files: { 'a.txt': 'alpha\n' } });
    rig.server.script({
      lead: [
        calls(helper('Writes b.txt'), helper('Looks into a.txt', { agent: 'explore' })),
        call('read', { path: 'b.txt' }),
        say('b.txt is there, a.txt says alpha.'),
      ],
      'helper-1': [
        hold('writes', call('write', { path: 'b.txt', content: 'beta\n' })),
        say('b.txt is written.'),
      ],
      'helper-2': [hold('looks', call('read', { path: 'a.txt' })), say('It says alpha.')],
    });
    const session = await rig.delegate('Write b.txt and tell what a.txt says.');
    await rig.server.held('writes');
    await rig.server.held('looks');
    const lead = await rig.parked(session, 'lead');
    assert.equal(lead.open.runs.length, 3);
    rig.server.release('looks');
    rig.server.release('writes');
    await rig.quiet(session);
    await sameTranscript(rig, 'helpers/side-by-side', session);
  });

  it('in the background: its job id at once, its reply as mail that wakes the lead', async () => {
    const rig = await start();
    rig.server.script({
      lead: [
        helper('Looks around', { background: true }),
        say('A helper looks around.'),
        say('It found nothing.'),
      ],
      'helper-1': [hold('looks', call('list', {})), say('There is nothing.')],
    });
    const session = await rig.delegate('Look around.');
    await rig.turns(session, 'lead', 1);
    await rig.server.held('looks');
    rig.server.release('looks');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'helpers/background', session);
  });

  it('L-31 is a job of its caller: listed, read, given more words, started again with all it knew, stopped', async () => {
    const rig = await start({ mode: 'auto' });
    const behind = { background: true };
    rig.server.script({
      lead: [
        helper('Looks around', behind),
        hold('lead', call('job_send', { job: 'helper-1', text: 'Count them too.' })),
        say('It looks.'),
        calls(
          call('job_list', {}),
          call('job_read', { job: 'helper-1' }),
          call('job_send', { job: 'helper-1', text: 'And their names?' }),
        ),
        say('It looks again.'),
        calls(helper('Sleeps', behind), call('job_send', { job: 'helper-9', text: 'x' })),
        hold('sleeps', calls(call('job_stop', { job: 'helper-2' }), call('job_list', {}))),
        call('job_send', { job: 'helper-2', text: 'Up again!' }),
        say('It is done.'),
      ],
      'helper-1': [
        hold('looks', call('list', {})),
        say('There are none.'),
        hold('looks again', say('So no names.')),
      ],
      'helper-2': [call('bash', { command: 'sleep 1000', timeout_seconds: 500 })],
    });
    const session = await rig.delegate('Look around.');
    await rig.server.held('looks');
    await rig.server.held('lead');
    rig.server.release('lead');
    await rig.turns(session, 'lead', 1);
    rig.server.release('looks');
    await rig.turns(session, 'lead', 2);
    await rig.server.held('looks again');
    rig.server.release('looks again');
    await runningIn(rig.workspace, 'sleep', 1);
    rig.server.release('sleeps');
    await rig.turns(session, 'lead', 3);
    await runningIn(rig.workspace, 'sleep', 0);
    await sameTranscript(rig, 'helpers/job', session);
  });

  it('L-24 L-30 L-88 refused: for the size, and for the slots of the model', async () => {
    const rig = await start({ parallel: 2, settings: { defaultSize: () => ({ min: 1, max: 2 }) } });
    rig.server.script({
      lead: [
        call('team_add', { name: 'a', role: 'a', task: 'You are on part a.', goal: 'Parts.' }),
        calls(helper('Comes when all is full'), call('team_stop', { name: 'a' })),
        hold('room', calls(helper('Has the last slot', { background: true }), helper('Has none'))),
        hold('lead', say('One is at work.')),
        say('It is done.'),
      ],
      a: [hold('a')],
      'helper-1': [hold('helper', say('Done.'))],
    });
    const session = await rig.delegate('Parts.');
    await rig.server.held('room');
    await rig.engine.settings(session, { size: { min: 1, max: 4 } });
    rig.server.release('room');
    await rig.server.held('helper');
    await rig.server.held('lead');
    rig.server.release('lead');
    await rig.turns(session, 'lead', 1);
    rig.server.release('helper');
    await rig.turns(session, 'lead', 2);
    rig.server.release('a');
    await sameTranscript(rig, 'helpers/refused', session);
  });

  it('L-60 one that ends by a limit or an error says so in the result', async () => {
    const rig = await start({
      settings: { limits: () => ({ steps: 2, activeMs: null, tokens: null, microUsd: null }) },
    });
    rig.server.script({
      lead: [calls(helper('Never ends'), helper('Fails')), say('Neither came to an end.')],
      'helper-1': [call('list', {}, { text: 'I look first.' }), call('list', {}, { text: 'And again.' })],
      'helper-2': [{ status: 400 }],
    });
    const session = await rig.delegate('Do it.');
    await rig.quiet(session);
    await sameTranscript(rig, 'helpers/ended', session);
  });

  it("L-90 the person's stop ends a helper with its command; of its caller, both", async () => {
    const rig = await start({ mode: 'auto' });
    const sleep = call('bash', { command: 'sleep 1000', timeout_seconds: 500 });
    rig.server.script({
      lead: [helper('Sleeps'), helper('Sleeps too'), say('Nobody is left.')],
      'helper-1': [sleep],
      'helper-2': [sleep],
    });
    const session = await rig.delegate('Do it.');
    await runningIn(rig.workspace, 'sleep', 1);
    assert.deepEqual(await rig.engine.stop(session, 'helper-1'), { ok: true, value: ['helper-1'] });
    await runningIn(rig.workspace, 'sleep', 0);
    await runningIn(rig.workspace, 'sleep', 1);
    assert.deepEqual(await rig.engine.stop(session, 'lead'), { ok: true, value: ['helper-2', 'lead'] });
    await runningIn(rig.workspace, 'sleep', 0);
    await rig.engine.send(session, null, 'Who is left?');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'helpers/stopped', session);
  });

  /** The lead's turn waits for helper-1 and runs a command itself; helper-2 works in the background. */
  const closedInTheMiddle = async (lead: readonly ReturnType<typeof say>[]) => {
    const rig = await start({ mode: 'auto' });
    const sleep = call('bash', { command: 'sleep 1000', timeout_seconds: 500 });
    rig.server.script({
      lead: [calls(helper('Sleeps', { background: true }), helper('Sleeps too'), sleep), ...lead],
      'helper-1': [sleep],
      'helper-2': [sleep],
    });
    const session = await rig.delegate('Do it.');
    await runningIn(rig.workspace, 'sleep', 3);
    await rig.close();
    await runningIn(rig.workspace, 'sleep', 0);
    await rig.open();
    assert.ok((await rig.engine.open(session)).ok);
    return { rig, session };
  };

  it('a restart in the middle, and all goes on: each call has its one result', async () => {
    const { rig, session } = await closedInTheMiddle([say('One is done.'), say('Both are done.')]);
    rig.server.script({
      'helper-1': [hold('last', say('helper-1: done.'))],
      'helper-2': [say('helper-2: done.')],
    });
    assert.ok((await rig.engine.resume(session, true, null)).ok);
    await rig.turns(session, 'lead', 1);
    rig.server.release('last');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'helpers/goes-on', session);
  });

  it('a restart in the middle, and the helpers are not let go on: their caller reads why', async () => {
    const { rig, session } = await closedInTheMiddle([say('Both were interrupted.')]);
    const state = await rig.until(session, () => true);
    const helpers = openRuns(state).filter((run) => agentOf(state, run.agentId)?.kind === 'helper');
    const ids = helpers.map((run) => run.id);
    assert.ok((await rig.engine.resume(session, false, ids)).ok);
    assert.ok((await rig.engine.resume(session, true, null)).ok);
    await rig.turns(session, 'lead', 1);
    await sameTranscript(rig, 'helpers/not-let-go-on', session);
  });

  it('a restart in the middle, and nothing is let go on: a helper ends with the turn that waits for it', async () => {
    const { rig, session } = await closedInTheMiddle([say('I hear.')]);
    assert.ok((await rig.engine.resume(session, false, null)).ok);
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'helpers/declined', session);
  });

  it('one that asks the person: its caller waits on, and the answer lets both go on', async () => {
    const rig = await start({ mode: 'ask' });
    rig.server.script({
      lead: [helper('Writes a.txt'), say('a.txt is there.')],
      'helper-1': [call('write', { path: 'a.txt', content: 'a\n' }), say('Written.')],
    });
    const session = await rig.delegate('Write a.txt.');
    const [ask] = await rig.asks(session);
    assert.ok(ask);
    const state = await rig.quiet(session);
    const lead = agentNamed(state, 'lead')?.runs.at(-1);
    assert.equal(lead && runOf(state, lead)?.phase.status, 'parked');
    await rig.answer(session, ask, { type: 'allow', scope: 'once' });
    await rig.turns(session, 'lead', 1);
    await sameTranscript(rig, 'helpers/asks', session);
  });
});
