import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentNamed, agentOf, askOf, leadOf } from '../../src/shared/lookup';
import { initialState, reduce } from '../../src/shared/reduce';
import type { TeamroomApi } from '../../src/vscode/api';
import { call, hold, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { isQuiet, teamroom, until, useModel, workspaceRoot } from '../support/teamroomApi';

describe('the exported API, in the extension host', () => {
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

  it('a task is delegated, a member writes a file after an allowance, and its report comes back', async () => {
    server.script({
      lead: [
        call('team_add', { name: 'writer', role: 'writes', task: 'write hello.txt', goal: 'a file' }),
        say('I wait for the report.'),
        say('It is written.'),
      ],
      writer: [call('write', { path: 'hello.txt', content: 'hello\n' }), say('written')],
    });
    const seen: string[] = [];
    let replayed = initialState;
    const listening = api.onDidChange(({ events, state }) => {
      for (const event of events) {
        seen.push(event.type);
        replayed = reduce(replayed, event);
      }
      assert.deepEqual(replayed, state, 'the state is what the events come to');
    });
    const session = await api.delegate({ task: 'write a greeting', mode: 'ask' });
    const asking = await until(api, session, (state) => state.open.asks.length === 1);
    const [askId] = asking.open.asks;
    const ask = askId === undefined ? undefined : askOf(asking, askId);
    assert.ok(ask?.about.type === 'permission' && askId !== undefined);
    assert.equal(agentOf(asking, ask.agentId)?.name, 'writer');

    const wrong = 'f'.repeat(64);
    await assert.rejects(api.answer(session, askId, { type: 'allow', scope: 'once' }, wrong), {
      name: 'TeamroomError',
      code: 'refused',
    });
    await assert.rejects(readFile(join(workspaceRoot(), 'hello.txt')), /ENOENT/);
    await api.answer(session, askId, { type: 'allow', scope: 'once' }, ask.about.argsHash);
    await until(api, session, isQuiet);
    listening.dispose();

    assert.equal(await readFile(join(workspaceRoot(), 'hello.txt'), 'utf8'), 'hello\n');
    assert.ok(seen.includes('session.created') && seen.includes('change.made') && seen.includes('run.ended'));
    assert.deepEqual(await api.sessions(), [session]);
    const undo = await api.undo(session, 'writer');
    assert.deepEqual(undo, { id: 'u0', undone: ['hello.txt'], refused: [] });
    await assert.rejects(readFile(join(workspaceRoot(), 'hello.txt')), /ENOENT/);
  });

  it('what a member has reported is sent back, accepted, undone as a whole and in part, and the undo undone', async () => {
    const file = join(workspaceRoot(), 'review.txt');
    const text = (first: string, last: string) => `${first}\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n${last}\n`;
    await writeFile(file, text('1', '12'));
    server.script({
      lead: [
        call('team_add', { name: 'editor', role: 'edits', task: 'edit review.txt', goal: 'a file' }),
        say('I wait for the report.'),
        say('It is edited.'),
        say('It is edited again.'),
      ],
      editor: [
        call('read', { path: 'review.txt' }),
        call('write', { path: 'review.txt', content: text('one', '12') }),
        say('edited'),
        call('write', { path: 'review.txt', content: text('one', 'twelve') }),
        say('edited again'),
      ],
    });
    const session = await api.delegate({ task: 'edit', mode: 'edits' });
    await until(api, session, (state) => isQuiet(state) && (leadOf(state)?.runs.length ?? 0) > 1);
    await assert.rejects(api.accept(session, 'nobody'), { code: 'refused', message: /no such report/ });
    await assert.rejects(api.requestChanges(session, 'editor', ' '), { code: 'refused' });
    await assert.rejects(api.accept(session, ''), { name: 'TeamroomError', code: 'bad_argument' });
    await assert.rejects(api.undo(session, null, 'review.txt'), { code: 'bad_argument' });
    await assert.rejects(api.redo(session, 'first'), { code: 'bad_argument' });
    await api.requestChanges(session, 'editor', 'The last line too.');
    await until(api, session, (state) => isQuiet(state) && (leadOf(state)?.runs.length ?? 0) > 2);
    await api.accept(session, 'editor');
    await assert.rejects(api.accept(session, 'editor'), { code: 'refused' });

    await writeFile(file, text('mine', 'twelve'));
    assert.deepEqual(await api.undo(session, 'editor', 'review.txt'), {
      id: null,
      undone: [],
      refused: [
        {
          path: 'review.txt',
          why: 'changed since by you or a program',
          reason: { code: 'overlap', by: [], outside: true },
        },
      ],
    });
    await writeFile(file, text('one', 'twelve'));
    const undone = await api.undo(session, null);
    assert.deepEqual(undone.undone, ['review.txt']);
    assert.equal(await readFile(file, 'utf8'), text('1', '12'));
    assert.ok(undone.id !== null);
    assert.deepEqual((await api.redo(session, undone.id)).undone, ['review.txt']);
    assert.equal(await readFile(file, 'utf8'), text('one', 'twelve'));
  });

  it('settings of one session are changed within their bounds', async () => {
    server.script({ lead: [say('Done.')] });
    const session = await api.delegate({ task: 'nothing', size: { min: 2, max: 3 } });
    await until(api, session, isQuiet);
    const settings = await api.settings(session, { mode: 'edits', limits: { steps: 7 } });
    assert.deepEqual(
      { size: settings.size, mode: settings.mode, steps: settings.limits.steps },
      { size: { min: 2, max: 3 }, mode: 'edits', steps: 7 },
    );
    await assert.rejects(api.settings(session, { size: { min: 5, max: 2 } }), {
      name: 'TeamroomError',
      code: 'refused',
      message: /1 ≤ least ≤ most/,
    });
  });

  it('the person writes to the lead and to a member, and stops a member with its name set free', async () => {
    server.script({
      lead: [
        call('team_add', { name: 'helper', role: 'helps', task: 'wait', goal: 'g' }),
        say('I wait.'),
        say('Understood.'),
        say('Seen.'),
      ],
      helper: [hold('helper', say('ready')), say('read')],
    });
    const session = await api.delegate({ task: 'work' });
    await until(api, session, (state) => {
      const lead = leadOf(state);
      const helper = agentNamed(state, 'helper');
      return (
        helper !== undefined &&
        state.open.runs.some((id) => helper.runs.includes(id)) &&
        !state.open.runs.some((id) => lead?.runs.includes(id))
      );
    });
    await api.send(session, 'and be quick', 'helper');
    assert.deepEqual(await api.stop(session, 'helper'), ['helper']);
    const stopped = await until(api, session, isQuiet);
    assert.equal(agentNamed(stopped, 'helper'), undefined);
    await api.send(session, 'go on');
    await until(api, session, (state) => isQuiet(state) && (leadOf(state)?.runs.length ?? 0) > 1);
    await assert.rejects(api.send(session, 'hello', 'helper'), {
      code: 'refused',
      message: /no agent named helper/,
    });
  });

  it('a session is deleted while its lead works: nothing of it is left, and the others stay', async () => {
    // In the place of what the tests before have left over.
    server.script({ lead: () => hold('deleted') });
    const session = await api.delegate({ task: 'work on' });
    await server.held('deleted');
    const others = (await api.sessions()).filter((id) => id !== session);
    await api.delete(session);
    server.release('deleted');
    assert.deepEqual(await api.sessions(), others);
    await assert.rejects(api.state(session), { name: 'TeamroomError' });
    await assert.rejects(api.delete(session), { code: 'no_session' });
  });

  it('what can not be done is an error with a code and a sentence', async () => {
    await assert.rejects(api.delegate({ task: '  ' }), { name: 'TeamroomError', code: 'bad_argument' });
    await assert.rejects(api.delegate({ task: 'x', model: 'nobody' }), {
      code: 'no_model',
      message: /nobody/,
    });
    await assert.rejects(api.state('nosuchsession'), { name: 'TeamroomError' });
  });
});
