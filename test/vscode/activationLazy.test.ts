import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { isTeamroomLoaded } from '../support/loadedBundles';
import { teamroom } from '../support/teamroomApi';

describe('activation', () => {
  it('B16 takes at most 60 ms and loads no engine', async () => {
    const api = await teamroom();
    console.log(`activated in ${api.activationMs.toFixed(1)} ms`);
    assert.ok(api.activationMs <= 60, `${api.activationMs} ms`);
    assert.equal(api.engineLoaded(), false);
    assert.deepEqual(isTeamroomLoaded(['extension.js', 'engine.js', 'openai.js']), [true, false, false]);
  });

  it('registers every command of the manifest', async () => {
    const extension = vscode.extensions.getExtension('teamroom.teamroom');
    const manifest: { contributes: { commands: { command: string }[] } } = extension?.packageJSON;
    const contributed = manifest.contributes.commands.map(({ command }) => command).sort();
    const registered = (await vscode.commands.getCommands(true)).filter((id) => contributed.includes(id));
    assert.deepEqual(registered.sort(), contributed);
  });

  it('the engine is loaded by the first call that needs it', async () => {
    const api = await teamroom();
    assert.deepEqual(await api.sessions(), []);
    assert.equal(api.engineLoaded(), true);
    assert.deepEqual(isTeamroomLoaded(['engine.js', 'openai.js']), [true, false]);
  });
});
