import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { values } from '../../src/base/table';
import { agentNamed, agentOf, runOf } from '../../src/shared/lookup';
import type { State } from '../../src/shared/state';
import type { TeamroomApi } from '../../src/vscode/api';
import { call, calls, hold, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { isQuiet, teamroom, until, useModel, workspaceRoot } from '../support/teamroomApi';
import { eventually } from '../support/vscode/eventually';

const NAMES = ['one.txt', 'two.txt', 'three.txt'];
const LINES = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}\n`).join('');

const at = (path: string) => join(workspaceRoot(), path);
const bash = (command: string) => call('bash', { command });
const edit = (path: string, old: string, to: string) => call('edit', { path, old, new: to });
const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });

/** As the person does it: in an open editor, then saved. */
async function typeAndSave(path: string, old: string, to: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(at(path));
  const editor = await vscode.window.showTextDocument(document);
  const start = document.getText().indexOf(old);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(start + old.length));
  assert.ok(await editor.edit((builder) => builder.replace(range, to)));
  assert.ok(await document.save(), `${path} is saved`);
}

const turnsOf = (state: State, name: string): number =>
  (agentNamed(state, name)?.runs ?? []).filter((id) => runOf(state, id)?.phase.status === 'ended').length;

describe('two members and the person on the same three files at once, partly by shell', () => {
  let server: ScriptedModel;
  let api: TeamroomApi;

  before(async () => {
    api = await teamroom();
    server = await startScriptedModel();
    await useModel(server);
  });
  after(async () => {
    await server.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('each change is told as that of who made it, and when one member is undone nothing else changes', async () => {
    // Ignored: by files in it the commands wait for the test.
    await mkdir(at('node_modules'), { recursive: true });
    for (const name of NAMES) await writeFile(at(name), LINES);
    server.script({
      lead: [calls(member('ann'), member('bob')), say('Two.'), say('One is done.'), say('Both are done.')],
      ann: [
        bash(
          `sed -i s/1/a/ ${NAMES.join(' ')}; touch node_modules/ready; until [ -e node_modules/go ]; do sleep 0.02; done; sed -i s/2/a/ one.txt two.txt`,
        ),
        say('ann: done.'),
      ],
      bob: [
        hold('bob', calls(...NAMES.map((path) => call('read', { path })))),
        calls(edit('one.txt', '9', 'b'), edit('two.txt', '9', 'b')),
        hold('bob ends', bash('sed -i s/8/b/ two.txt three.txt')),
        say('bob: done.'),
      ],
    });
    const session = await api.delegate({ task: 'three files', mode: 'auto' });
    await eventually('ann works', async () => (existsSync(at('node_modules/ready')) ? true : undefined));
    await typeAndSave('two.txt', '5', 'person');
    await typeAndSave('three.txt', '5', 'person');
    await server.held('bob');
    server.release('bob');
    await server.held('bob ends');
    await writeFile(at('node_modules/go'), '');
    await until(api, session, (state) => turnsOf(state, 'ann') === 1);
    server.release('bob ends');
    const state = await until(api, session, isQuiet);

    const made = [...values(state.changes)].map(
      ({ agentId, by, path, kind, added, removed, sharedWith }) =>
        `${agentOf(state, agentId)?.name} by ${by ?? 'tool'}: ${kind} ${path} +${added} -${removed}${sharedWith === undefined ? '' : ' shared'}`,
    );
    assert.deepEqual(made.toSorted(), [
      'ann by command: modify one.txt +1 -1',
      'ann by command: modify one.txt +1 -1',
      'ann by command: modify three.txt +1 -1',
      'ann by command: modify two.txt +1 -1',
      'ann by command: modify two.txt +1 -1',
      'bob by command: modify three.txt +1 -1',
      'bob by command: modify two.txt +1 -1',
      'bob by tool: modify one.txt +1 -1',
      'bob by tool: modify two.txt +1 -1',
    ]);
    const undone = await api.undo(session, 'ann');
    assert.deepEqual(undone.refused, []);
    const left = await Promise.all(
      NAMES.map(async (name) => (await readFile(at(name), 'utf8')).replaceAll('\n', '')),
    );
    assert.deepEqual(left, ['12345678b', '1234person67bb', '1234person67b9']);
  });
});
