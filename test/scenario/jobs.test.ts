import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../src/base/table';
import type { CallId, SessionId } from '../../src/shared/ids';
import { outputOf } from '../../src/vscode/callOutput';
import { sameTranscript } from '../support/golden';
import { processesIn, runningIn } from '../support/processesIn';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const background = (command: string) => call('bash', { command, background: true });
const member = (name: string, more: object = {}) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.', ...more });

/** How the job of this number ended; null: it runs. */
function endOf(rig: Rig, session: SessionId, index: number): string | null {
  const state = rig.engine.state(session);
  const phase = state === null ? undefined : at(state.jobs, index)?.phase;
  return phase?.status === 'ended' ? phase.end.how : null;
}

describe('commands in the background', function () {
  const { start } = scenes(this);

  it("a lead's answers at once, is listed, read, written to and stopped, and tells of its own end", async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [
        calls(
          background('touch up; read line; echo "got $line"; exit 3'),
          background('echo serving; sleep 1000 & sleep 1000'),
          call('job_list', {}),
        ),
        calls(
          call('job_read', { job: 'j7' }),
          call('job_send', { job: 'j0', text: 'hello' }),
          call('job_read', { job: 'j0', wait_seconds: 20 }),
        ),
        hold(
          'served',
          calls(
            call('job_send', { job: 'j0', text: 'again' }),
            call('job_stop', { job: 'j0' }),
            call('job_stop', { job: 'j1' }),
            call('job_read', { job: 'j1', since: 3 }),
            call('job_list', {}),
          ),
        ),
        say('Both have ended.'),
      ],
    });
    const served = new Promise<void>((resolve) => {
      rig.engine.onLive((update) => {
        if (update.type === 'output' && update.chunk.includes('serving')) resolve();
      });
    });
    const session = await rig.delegate('Serve.');
    await served;
    rig.server.release('served');
    const state = await rig.quiet(session);
    assert.deepEqual(await processesIn(rig.workspace), []);
    assert.ok(existsSync(join(rig.workspace, 'up')));
    const [first] = outputOf(state, 'c0' as CallId).slice(-1);
    assert.equal(first && (await rig.engine.readText(session, first)), 'got hello\n', 'kept for the person');
    await sameTranscript(rig, 'jobs/of-the-lead', session);
  });

  it("a lead's that ends after its turn starts a turn of its own, once", async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [
        background('until [ -e go ]; do sleep 0.02; done; printf "first %02500d last" 0'),
        say('I wait for it.'),
        say('It has ended.'),
      ],
    });
    const session = await rig.delegate('Build.');
    await rig.turns(session, 'lead', 1);
    assert.equal(rig.engine.isAtRest(session), false);
    await rig.write('go', '');
    await rig.quiet(session);
    assert.equal(await rig.lastAnswer(session), 'It has ended.');
    await sameTranscript(rig, 'jobs/wakes-the-lead', session);
  });

  it("L-48 a member's end with its turn, and nobody is told of them; the lead's own goes on", async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [
        calls(background('sleep 2000'), member('ann')),
        say('Ann is at work.'),
        calls(call('job_list', {}), call('job_stop', { job: 'j0' }), call('job_read', { job: 'j1' })),
        say('All is done.'),
      ],
      ann: [background('sleep 1000 & sleep 1000'), hold('ann', call('job_list', {})), say('ann: done.')],
    });
    const session = await rig.delegate('Parts.');
    await rig.server.held('ann');
    await runningIn(rig.workspace, 'sleep', 3);
    rig.server.release('ann');
    await rig.turns(session, 'ann', 1);
    await rig.quiet(session);
    assert.deepEqual([endOf(rig, session, 0), endOf(rig, session, 1)], ['stopped', 'stopped']);
    assert.deepEqual(await processesIn(rig.workspace), []);
    await sameTranscript(rig, 'jobs/of-a-member', session);
  });

  it('L-90 the stop of a member, of the lead and of everything ends theirs with all processes', async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [
        calls(background('sleep 1000'), member('ann'), member('bob')),
        say('Two are at work.'),
        say('Nothing runs any more.'),
      ],
      ann: [background('sleep 1000 & sleep 1000'), hold('ann')],
      bob: [hold('bob begins', background('sleep 1000')), hold('bob')],
    });
    const session = await rig.delegate('Parts.');
    await rig.server.held('ann');
    rig.server.release('bob begins');
    await rig.server.held('bob');
    await rig.turns(session, 'lead', 1);
    await runningIn(rig.workspace, 'sleep', 4);
    await rig.engine.stop(session, 'ann');
    await runningIn(rig.workspace, 'sleep', 2);
    await rig.engine.stop(session, 'lead');
    await runningIn(rig.workspace, 'sleep', 1);
    await rig.engine.stop(session, 'all');
    await runningIn(rig.workspace, 'sleep', 0);
    await rig.quiet(session);
    await rig.engine.send(session, null, 'What runs?');
    await rig.quiet(session);
    for (const gate of ['ann', 'bob']) rig.server.release(gate);
    await sameTranscript(rig, 'jobs/stopped', session);
  });

  it('closing ends them, and their agent is told with its next turn; nothing is run by that', async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [background('echo up; sleep 1000'), say('It serves.'), say('I know.')],
    });
    const session = await rig.delegate('Serve.');
    await rig.turns(session, 'lead', 1);
    await runningIn(rig.workspace, 'sleep', 1);
    await rig.close();
    assert.deepEqual(await processesIn(rig.workspace), []);
    await rig.open();
    await rig.engine.open(session);
    assert.equal(rig.engine.isAtRest(session), true);
    await rig.engine.send(session, null, 'How is the server?');
    await rig.quiet(session);
    await sameTranscript(rig, 'jobs/closed', session);
  });

  it('L-69 a manager may only look, also in the background', async () => {
    const rig = await start({ mode: 'edits', settings: { defaultSize: () => ({ min: 2, max: 4 }) } });
    rig.server.script({
      lead: [
        calls(background('rm -rf x'), background('cat pipe')),
        say('One of them runs.'),
        say('It has ended.'),
      ],
    });
    execFileSync('mkfifo', [join(rig.workspace, 'pipe')]);
    const session = await rig.delegate('Look.');
    await rig.turns(session, 'lead', 1);
    await rig.write('pipe', 'words\n');
    await rig.quiet(session);
    await sameTranscript(rig, 'jobs/of-a-manager', session);
  });

  it('asks the person as in the foreground, and runs only what was allowed', async () => {
    const rig = await start({ mode: 'edits' });
    rig.server.script({
      lead: [
        calls(background('touch denied'), background('touch allowed; read line')),
        call('job_send', { job: 'j0', text: '', close: true }),
        say('One was allowed.'),
        say('It has ended.'),
      ],
    });
    const session = await rig.delegate('Touch.');
    const [denied, allowed] = await rig.asks(session, 2);
    assert.ok(denied !== undefined && allowed !== undefined);
    await rig.answer(session, denied, { type: 'deny', words: '' });
    await rig.answer(session, allowed, { type: 'allow', scope: 'once' });
    await rig.until(session, (state) => state.jobs.size === 1 && state.open.jobs.length === 0);
    await rig.quiet(session);
    assert.deepEqual(
      [existsSync(join(rig.workspace, 'denied')), existsSync(join(rig.workspace, 'allowed'))],
      [false, true],
    );
    assert.deepEqual(rig.server.problems, []);
  });

  it('has its output announced while it runs, also after the turn that started it', async () => {
    const rig = await start({ mode: 'auto' });
    const heard: string[] = [];
    rig.server.script({
      lead: [background('until [ -e go ]; do sleep 0.02; done; echo out; read line'), say('It runs.')],
    });
    const session = await rig.delegate('Serve.');
    const out = new Promise<void>((resolve) => {
      rig.engine.onLive((update) => {
        if (update.type !== 'output') return;
        heard.push(update.chunk);
        resolve();
      });
    });
    await rig.turns(session, 'lead', 1);
    await rig.write('go', '');
    await out;
    assert.deepEqual(heard, ['out\n']);
  });

  it('beyond eight at a time no more is run, and the call says why', async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [calls(...Array.from({ length: 9 }, () => background('sleep 1000'))), say('Eight run.')],
    });
    const session = await rig.delegate('Serve.');
    await rig.turns(session, 'lead', 1);
    await runningIn(rig.workspace, 'sleep', 8);
    const results = rig.server.log.at(-1)?.messages.filter((message) => message.role === 'tool') ?? [];
    assert.match(String(results.at(-1)?.content), /8 commands in the background already\. Nothing was run/);
  });
});
