import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { agentNamed, runOf } from '../../src/shared/lookup';
import type { Run, State } from '../../src/shared/state';
import type { TeamroomApi } from '../../src/vscode/api';
import { call, hold, type ScriptedModel, say, startScriptedModel, status } from '../support/scriptedModel';
import { isQuiet, teamroom, until, useModel } from '../support/teamroomApi';

const lastRun = (state: State, name: string): Run | undefined => {
  const id = agentNamed(state, name)?.runs.at(-1);
  return id === undefined ? undefined : runOf(state, id);
};
const isPaused = (state: State): boolean => {
  const phase = lastRun(state, 'lead')?.phase;
  return phase?.status === 'parked' && phase.on === 'pause';
};
const run = (command: string, ...args: readonly unknown[]) =>
  vscode.commands.executeCommand(command, ...args);

describe('pausing, going on and telling the lead, in the extension host', () => {
  let server: ScriptedModel;
  let api: TeamroomApi;

  before(async () => {
    api = await teamroom();
    server = await startScriptedModel();
    await useModel(server);
  });
  after(async () => {
    await server.close();
  });

  it('Pause All and Continue by their commands', async () => {
    server.script({ lead: [hold('step', call('list', { path: '.' })), say('Done.')] });
    const session = await api.delegate({ task: 'look around', mode: 'edits' });
    await server.held('step');
    // Other tests of this window may have left agents that wait.
    const node = { type: 'session', session };
    assert.equal(await run('teamroom.pauseAll', node), 1);
    server.release('step');
    const paused = await until(api, session, isPaused);
    assert.equal(paused.session?.paused, true);
    assert.equal(server.requestsOf('lead').length, 1);
    assert.equal(await run('teamroom.continue', node), 1);
    await until(api, session, isQuiet);
    assert.equal(server.requestsOf('lead').length, 2);
  });

  it('Retry… on a failed turn, and by the API, which refuses what has not failed', async () => {
    const bad = status(400, { raw: '{"error":{"message":"bad luck"}}' });
    server.script({ lead: [bad, bad, say('Done after all.')] });
    const session = await api.delegate({ task: 'try it', mode: 'edits' });
    const failed = await until(api, session, isQuiet);
    const lead = agentNamed(failed, 'lead');
    await run('teamroom.retry', { type: 'agent', session, agent: lead?.id }, lead?.model);
    await until(api, session, (state) => agentNamed(state, 'lead')?.runs.length === 2 && isQuiet(state));
    await api.retry(session, 'lead');
    const done = await until(
      api,
      session,
      (state) => agentNamed(state, 'lead')?.runs.length === 3 && isQuiet(state),
    );
    const phase = lastRun(done, 'lead')?.phase;
    assert.ok(phase?.status === 'ended' && phase.reason === 'final');
    await assert.rejects(api.retry(session, 'lead'), { name: 'TeamroomError', code: 'refused' });
    await assert.rejects(api.retry(session, 'nobody'), { name: 'TeamroomError', code: 'refused' });
    await assert.rejects(api.pause(session, 'yes' as unknown as boolean), { code: 'bad_argument' });
  });

  it('Tell the Lead Now starts its turn with the note', async () => {
    server.script({
      lead: [
        call('team_add', { name: 'slow', role: 'waits', task: 'wait', goal: 'nothing' }),
        say('It is at work.'),
        say('I know that it was stopped.'),
      ],
      slow: [hold('slow')],
    });
    const session = await api.delegate({ task: 'wait', mode: 'edits' });
    await server.held('slow');
    await until(api, session, (state) => lastRun(state, 'lead')?.phase.status === 'ended');
    await api.stop(session, 'slow');
    await run('teamroom.tellLead', { type: 'session', session });
    await until(api, session, (state) => agentNamed(state, 'lead')?.runs.length === 2 && isQuiet(state));
    const last = server.requestsOf('lead').at(-1)?.messages.at(-1)?.content ?? '';
    assert.match(last, /^\[Note:\]\nThe person stopped slow\./);
    server.release('slow');
  });
});
