import assert from 'node:assert/strict';
import { chmod, link, mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { edit } from '../../src/tools/edit';
import { mkdir as makeFolder } from '../../src/tools/mkdir';
import { mv } from '../../src/tools/mv';
import { read } from '../../src/tools/read';
import { rm } from '../../src/tools/rm';
import { write } from '../../src/tools/write';
import { MOST_TREE_FILES } from '../../src/workspace/port';
import { alice, bob, type TempWorkspace, tempWorkspace } from '../support/tempWorkspace';
import { ToolHost } from '../support/toolHost';

describe('mkdir, mv, rm, on real files', function () {
  this.timeout(10_000);
  let ws: TempWorkspace;
  let host: ToolHost;
  let dirty: Set<string>;

  beforeEach(async () => {
    dirty = new Set();
    ws = await tempWorkspace(
      { 'src/a.ts': 'one\n', 'src/deep/b.ts': 'two\n', 'c.txt': 'three\n' },
      { editor: { isDirty: (path) => dirty.has(path), didWrite: () => undefined } },
    );
    host = new ToolHost(ws);
  });
  afterEach(() => ws.dispose());

  const isThere = (path: string): Promise<boolean> =>
    stat(join(ws.root, path)).then(
      () => true,
      () => false,
    );
  const told = async (...call: Parameters<ToolHost['call']>): Promise<string> => {
    const { status, text } = await host.call(...call);
    return `${status}: ${text}`;
  };

  describe('mkdir', () => {
    it('makes the folder and those above it; one that is there is said and no error', async () => {
      const prepared = await host.prepare(makeFolder, { path: 'x/y' });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, { type: 'diff', path: 'x/y/', before: null, after: '' });
      assert.equal(await isThere('x'), false);
      assert.equal(await told(makeFolder, { path: 'x/y' }), 'ok: Made the folder x/y.');
      assert.equal(await isThere('x/y'), true);
      assert.equal(await told(makeFolder, { path: 'x/y' }), 'ok: x/y is a folder already.');
      assert.equal(await told(makeFolder, { path: '.' }), 'ok: . is a folder already.');
    });

    it('a file in its place, or in the way, and what leads out are told', async () => {
      assert.equal(
        await told(makeFolder, { path: 'c.txt' }),
        'error: "c.txt" exists already. It is a file, not a folder.',
      );
      assert.match(await told(makeFolder, { path: 'c.txt/x' }), /^error: .* isn't a folder/u);
      assert.match(await told(makeFolder, { path: '../x' }), /^refused: .*outside the workspace/u);
      await symlink(ws.around, join(ws.root, 'out'));
      assert.match(await told(makeFolder, { path: 'out/x' }), /^refused: .*outside the workspace/u);
    });

    it('a protected folder is named to the judge', async () => {
      const prepared = await host.prepare(makeFolder, { path: '.vscode' });
      assert.ok(prepared.type === 'ready');
      const [subject] = prepared.subjects;
      assert.ok(subject?.type === 'write');
      assert.equal(ws.gateway.care(subject.path), 'protected');
    });
  });

  describe('mv', () => {
    it('a file: with its mode, into folders that are made, shown before it happens', async () => {
      await chmod(join(ws.root, 'c.txt'), 0o755);
      const args = { from: 'c.txt', to: 'new/d.txt' };
      const prepared = await host.prepare(mv, args);
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, {
        type: 'diff',
        path: 'c.txt → new/d.txt',
        before: 'c.txt\n',
        after: 'new/d.txt\n',
      });
      assert.deepEqual(
        prepared.subjects.map((subject) => subject.type === 'write' && subject.path.shown),
        ['new/d.txt', 'c.txt'],
      );
      assert.equal(await told(mv, args), 'ok: Moved c.txt to new/d.txt.');
      assert.deepEqual([await isThere('c.txt'), await ws.text('new/d.txt')], [false, 'three\n']);
      assert.equal((await stat(join(ws.root, 'new/d.txt'))).mode & 0o777, 0o755);
      // It may be edited at once: what is in it was not changed.
      assert.match(await told(edit, { path: 'new/d.txt', old: 'three', new: '3' }), /^ok/u);
    });

    it('a folder with all that is in it, empty folders too', async () => {
      await mkdir(join(ws.root, 'src/void'));
      assert.equal(
        await told(mv, { from: 'src', to: 'lib/src' }),
        'ok: Moved src to lib/src (a folder with 2 files).',
      );
      assert.deepEqual(
        [await isThere('src'), await ws.text('lib/src/a.ts'), await ws.text('lib/src/deep/b.ts')],
        [false, 'one\n', 'two\n'],
      );
      assert.equal(await isThere('lib/src/void'), true);
    });

    it('never overwrites: a file, a folder, a link to nothing, what came up meanwhile', async () => {
      await symlink('nowhere', join(ws.root, 'broken'));
      for (const to of ['src/a.ts', 'src']) {
        assert.match(
          await told(mv, { from: 'c.txt', to }),
          /^error: .*exists already. Nothing is overwritten/u,
        );
      }
      assert.match(await told(mv, { from: 'c.txt', to: 'broken' }), /^refused/u);
      const context = host.context();
      for (const [from, to] of [
        ['c.txt', 'late.txt'],
        ['src', 'late'],
      ] as const) {
        const prepared = await host.prepare(mv, { from, to }, context);
        assert.ok(prepared.type === 'ready');
        await ws.put(to === 'late' ? 'late/x' : to, 'theirs\n');
        const done = await prepared.execute(context);
        assert.ok(done.type === 'result');
        assert.match(done.result.text, /exists already|was changed by something outside/u);
      }
      assert.deepEqual(
        [await ws.text('c.txt'), await ws.text('late.txt'), await ws.text('src/a.ts')],
        ['three\n', 'theirs\n', 'one\n'],
      );
    });

    it('bad moves are told: into itself, onto itself, the workspace, links, what is missing', async () => {
      await symlink('c.txt', join(ws.root, 'link'));
      assert.match(
        await told(mv, { from: 'src', to: 'src/deep/x' }),
        /^error: .*inside what is to be moved/u,
      );
      assert.match(await told(mv, { from: 'c.txt', to: './c.txt' }), /^error: .*the same/u);
      assert.match(await told(mv, { from: '.', to: 'x' }), /^error: /u);
      assert.match(await told(mv, { from: 'link', to: 'x' }), /^error: "link" is a link.*Use a command/u);
      assert.match(await told(mv, { from: 'zzz', to: 'x' }), /^error: "zzz" doesn't exist/u);
      assert.match(await told(mv, { from: 'c.txt', to: '../x' }), /^refused/u);
      assert.equal(await ws.text('c.txt'), 'three\n');
    });

    it('of a folder each file counts: read and changed since, unsaved, held by another, denied', async () => {
      const move = { from: 'src', to: 'lib' };
      await host.call(read, { path: 'src/deep/b.ts' });
      await ws.put('src/deep/b.ts', 'theirs\n');
      assert.match(await told(mv, move), /^refused: "src\/deep\/b.ts" was changed by something outside/u);
      await host.call(read, { path: 'src/deep/b.ts' });
      dirty.add(join(ws.root, 'src/a.ts'));
      assert.match(await told(mv, move), /^refused: "src\/a.ts" has unsaved changes/u);
      dirty.clear();
      await host.call(write, { path: 'src/new.ts', content: 'x\n' }, host.context(bob));
      assert.match(await told(mv, move), /^refused: "src\/new.ts" was written by bob/u);
      ws.gateway.release(bob);
      await ws.put('.teamroomignore', 'src/deep/b.ts\n');
      assert.match(await told(mv, move), /^refused: "src\/deep\/b.ts" is denied/u);
      await ws.put('.teamroomignore', 'lib/a.ts\n');
      assert.match(await told(mv, move), /^refused: "lib\/a.ts" is denied/u);
      await ws.put('.teamroomignore', '');
      assert.match(await told(mv, move), /^ok/u);
    });

    it('what was moved is held by who moved it until the turn ends', async () => {
      await host.call(mv, { from: 'c.txt', to: 'd.txt' });
      const late = await host.call(write, { path: 'c.txt', content: 'x' }, host.context(bob));
      assert.match(late.text, /was written by alice, whose turn still goes on/u);
      assert.match((await host.call(rm, { path: 'd.txt' }, host.context(bob))).text, /written by alice/u);
      ws.gateway.release(alice);
      assert.equal((await host.call(rm, { path: 'd.txt' }, host.context(bob))).status, 'ok');
    });
  });

  describe('rm', () => {
    it('a file, unread too; what it held is in the change', async () => {
      const prepared = await host.prepare(rm, { path: 'c.txt' });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, { type: 'diff', path: 'c.txt', before: 'three\n', after: null });
      assert.equal(await told(rm, { path: 'c.txt' }), 'ok: Removed c.txt.');
      assert.equal(await isThere('c.txt'), false);
      const [change] = host.written;
      assert.deepEqual([change?.kind, String(change?.before)], ['delete', 'three\n']);
      assert.match(await told(rm, { path: 'c.txt' }), /^error: "c.txt" doesn't exist/u);
    });

    it('a binary file too: its bytes are kept', async () => {
      await ws.put('bin', Buffer.from([1, 0, 2]));
      assert.equal(await told(rm, { path: 'bin' }), 'ok: Removed bin.');
      assert.deepEqual(host.written[0]?.before, Buffer.from([1, 0, 2]));
    });

    it('a folder only with recursive, with all of its files in the preview and kept', async () => {
      await mkdir(join(ws.root, 'src/void'));
      assert.equal(
        await told(rm, { path: 'src' }),
        'error: "src" is a folder with 2 files and 2 folders in it. Nothing was removed. Set recursive to remove it with all of them.',
      );
      const prepared = await host.prepare(rm, { path: 'src', recursive: true });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, {
        type: 'diff',
        path: 'src/a.ts, src/deep/b.ts',
        before: '──── src/a.ts\none\n\n──── src/deep/b.ts\ntwo\n',
        after: null,
      });
      assert.equal(await isThere('src'), true);
      assert.equal(await told(rm, { path: 'src', recursive: true }), 'ok: Removed the folder src (2 files).');
      assert.equal(await isThere('src'), false);
      assert.deepEqual(
        host.written.map((change) => [change.path.shown, String(change.before)]),
        [
          ['src/a.ts', 'one\n'],
          ['src/deep/b.ts', 'two\n'],
        ],
      );
    });

    it('links, the workspace, too many files and too much are refused, with nothing removed', async () => {
      await symlink(join(ws.root, 'c.txt'), join(ws.root, 'src/link'));
      const folder = { path: 'src', recursive: true };
      assert.match(await told(rm, folder), /^error: "src\/link" is a link.*kept for undo.*Use a command/u);
      assert.match(await told(rm, { path: 'src/link' }), /^error: "src\/link" is a link/u);
      assert.match(await told(rm, { path: '.', recursive: true }), /^error: .*open folder of the workspace/u);
      for (let i = 0; i <= MOST_TREE_FILES; i++) await ws.put(`many/${i}`, '');
      assert.match(await told(rm, { path: 'many', recursive: true }), /^error: .*more than 200 files/u);
      for (const name of ['1', '2', '3']) await ws.put(`much/${name}`, Buffer.alloc(4_000_000));
      assert.match(await told(rm, { path: 'much', recursive: true }), /^error: .*more than 10.0 MB/u);
      assert.deepEqual(
        [await ws.text('src/a.ts'), await ws.text('c.txt'), await isThere('many/0'), await isThere('much/1')],
        ['one\n', 'three\n', true, true],
      );
    });

    it('protected files inside are named to the judge, hard links too', async () => {
      await ws.put('p/.git/config', 'x');
      await ws.put('p/.env', 'KEY=1');
      await link(join(ws.root, 'c.txt'), join(ws.root, 'p/second'));
      const prepared = await host.prepare(rm, { path: 'p', recursive: true });
      assert.ok(prepared.type === 'ready');
      const careful = prepared.subjects.flatMap((subject) =>
        subject.type === 'write' && ws.gateway.care(subject.path) !== 'plain' ? [subject.path.shown] : [],
      );
      assert.deepEqual(careful, ['p/.env', 'p/second', 'p/.git/config', 'p/.git']);
    });

    it('what changed since it was read, is unsaved or held by another stays', async () => {
      await host.call(read, { path: 'c.txt' });
      await ws.put('c.txt', 'theirs\n');
      assert.match(await told(rm, { path: 'c.txt' }), /^refused: .*changed by something outside/u);
      await host.call(read, { path: 'c.txt' });
      dirty.add(join(ws.root, 'c.txt'));
      assert.match(await told(rm, { path: 'c.txt' }), /^refused: .*unsaved/u);
      dirty.clear();
      const context = host.context();
      const prepared = await host.prepare(rm, { path: 'src', recursive: true }, context);
      assert.ok(prepared.type === 'ready');
      await ws.put('src/deep/b.ts', 'later\n');
      const done = await prepared.execute(context);
      assert.ok(done.type === 'result');
      assert.match(
        done.result.text,
        /^It stopped in the middle. "src\/deep\/b.ts" was changed by something outside.*Done and standing: src\/a.ts\. Not done: src\/deep\/b.ts\./u,
      );
      assert.doesNotMatch(done.result.text, /Nothing was written/u);
      assert.equal(await ws.text('src/deep/b.ts'), 'later\n');
    });
  });
});
