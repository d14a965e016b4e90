import assert from 'node:assert/strict';
import * as vscode from 'vscode';

describe('the installed extension', () => {
  const extension = () => {
    const found = vscode.extensions.getExtension('teamroom.teamroom');
    assert.ok(found, 'the VSIX is installed');
    return found;
  };

  it('activates in a real extension host and exports its versioned API', async () => {
    const api: unknown = await extension().activate();
    assert.ok(typeof api === 'object' && api !== null && 'version' in api);
    assert.equal(api.version, 1);
  });

  it('has cost the window less than 100 ms and has not loaded the engine', async () => {
    const api: unknown = await extension().activate();
    assert.ok(typeof api === 'object' && api !== null);
    assert.ok('activationMs' in api && typeof api.activationMs === 'number');
    assert.ok(api.activationMs < 100, `${api.activationMs} ms`);
    assert.ok('engineLoaded' in api && typeof api.engineLoaded === 'function');
    assert.equal(api.engineLoaded(), false);
  });

  it('registers every command of its manifest', async () => {
    const contributed: readonly { readonly command: string }[] = extension().packageJSON.contributes.commands;
    const all = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      contributed.map((item) => item.command).filter((command) => !all.has(command)),
      [],
    );
  });

  it('runs from the VSIX, not from the repository', () => {
    assert.match(extension().extensionPath, /\/e\/teamroom\.teamroom-/);
  });
});
