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

  it('runs from the VSIX, not from the repository', () => {
    assert.match(extension().extensionPath, /\/e\/teamroom\.teamroom-/);
  });
});
