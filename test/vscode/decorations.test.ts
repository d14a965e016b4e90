import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { SessionId } from '../../src/shared/ids';
import { Decorations } from '../../src/vscode/decorations';
import { placeIn } from '../../src/vscode/views/agentsTree';
import { ManualClock } from '../support/scriptedModel/manualClock';
import { csvStory } from '../support/webview/story';

describe('decorations of changed files', () => {
  it('name who changed a file, and tell the editor of files whose mark is another now', () => {
    const story = csvStory();
    const clock = new ManualClock(story.now);
    const session = 's' as SessionId;
    const open = { open: () => [{ id: session, state: story.state }] };
    const decorations = new Decorations(
      open,
      (path) => placeIn([{ name: 'app', path: '/work' }], path),
      clock,
    );
    const told: string[] = [];
    decorations.onDidChangeFileDecorations((uris) => told.push(...uris.map((uri) => uri.fsPath)));
    const of = (path: string) => decorations.provideFileDecoration(vscode.Uri.file(path));
    assert.equal(of('/work/package.json'), undefined);
    decorations.touch();
    clock.advance(1000);
    assert.deepEqual(
      [of('/work/package.json')?.badge, of('/work/package.json')?.tooltip],
      ['T', 'Changed by ui'],
    );
    assert.equal(decorations.provideFileDecoration(vscode.Uri.parse('git:/work/package.json')), undefined);
    assert.equal(told.length, 4);
    decorations.touch();
    clock.advance(1000);
    assert.equal(told.length, 4);
    for (const change of [...story.state.changes.pages.flat()].filter(({ path }) => path === 'package.json'))
      story.push({ type: 'change.undone', changeId: change.id, by: { type: 'person' } });
    decorations.touch();
    clock.advance(1000);
    assert.deepEqual(told.slice(4), ['/work/package.json']);
    assert.equal(of('/work/package.json'), undefined);
    decorations.dispose();
  });
});
