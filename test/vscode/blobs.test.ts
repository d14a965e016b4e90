import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { agentNamed } from '../../src/shared/lookup';
import type { State } from '../../src/shared/state';
import type { TeamroomApi } from '../../src/vscode/api';
import { blobUri } from '../../src/vscode/blobFs';
import { changedFiles } from '../../src/vscode/changedFiles';
import { call, calls, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { isQuiet, teamroom, until, useModel, workspaceRoot } from '../support/teamroomApi';

describe('contents before and after a change', () => {
  let server: ScriptedModel;
  let api: TeamroomApi;
  let session: string;
  let state: State;

  before(async () => {
    api = await teamroom();
    server = await startScriptedModel();
    await useModel(server);
    await writeFile(join(workspaceRoot(), 'old.txt'), 'before\n');
    server.script({
      lead: [
        call('team_add', { name: 'editor', role: 'edits', task: 'edit', goal: 'g' }),
        say('I wait.'),
        say('Done.'),
      ],
      editor: [
        call('read', { path: 'old.txt' }),
        calls(
          call('write', { path: 'old.txt', content: 'after\n' }),
          call('write', { path: 'new.txt', content: 'new\n' }),
        ),
        say('edited'),
      ],
    });
    session = await api.delegate({ task: 'edit', mode: 'edits' });
    state = await until(api, session, isQuiet);
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await server.close();
  });

  const files = () => {
    const editor = agentNamed(state, 'editor');
    assert.ok(editor);
    return { agent: editor.id, files: changedFiles(state, editor.id) };
  };
  const text = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();

  it('are read through teamroom-blob: as text, with the language of the file', async () => {
    const [old, added] = files().files;
    assert.ok(old && added);
    assert.equal(await text(blobUri(session, old.before, old.path)), 'before\n');
    assert.equal(await text(blobUri(session, old.after, old.path)), 'after\n');
    assert.equal(added.before, null);
    assert.equal(await text(blobUri(session, added.before, added.path)), '');
  });

  it('can not be written, renamed or deleted', async () => {
    const [old] = files().files;
    assert.ok(old);
    const uri = blobUri(session, old.before, old.path);
    const { fs } = vscode.workspace;
    assert.equal((await fs.stat(uri)).permissions, vscode.FilePermission.Readonly);
    assert.equal(fs.isWritableFileSystem('teamroom-blob'), false);
    await assert.rejects(Promise.resolve(fs.writeFile(uri, new Uint8Array())));
    await assert.rejects(Promise.resolve(fs.delete(uri)));
    const missing = blobUri(session, 'f'.repeat(64), 'old.txt');
    await assert.rejects(Promise.resolve(fs.readFile(missing)), /EntryNotFound|FileNotFound/);
  });

  const openDiff = async (path: string): Promise<vscode.TabInputTextDiff> => {
    await vscode.commands.executeCommand('teamroom.openDiff', { session, agent: files().agent, path });
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    return input;
  };

  it("a member's diff is the editor's own; its right side is the file itself until that has changed", async () => {
    const file = vscode.Uri.file(join(workspaceRoot(), 'old.txt')).toString();
    const untouched = await openDiff('old.txt');
    assert.equal(await text(untouched.original), 'before\n');
    assert.equal(untouched.modified.toString(), file);
    await writeFile(join(workspaceRoot(), 'old.txt'), 'later\n');
    const changed = await openDiff('old.txt');
    assert.equal(changed.modified.scheme, 'teamroom-blob');
    assert.equal(await text(changed.modified), 'after\n');
  });
});
