import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { ripgrepPath } from '../../src/vscode/ripgrepPath';
import { Gateway, noEditor } from '../../src/workspace/gateway';
import type { PlacedPath } from '../../src/workspace/port';
import { hashOf } from '../../src/workspace/text';
import {
  alice,
  bob,
  neverStopped,
  problem,
  type TempWorkspace,
  tempWorkspace,
  value,
  writeAs,
} from '../support/tempWorkspace';
import { cacheRoot } from '../support/vscode/install';

const MAX = 1_000_000;

/** The ripgrep of a VS Code that the end-to-end tests have installed; null: none has been yet. */
function editorsRipgrep(): string | null {
  const home = cacheRoot();
  const editors = existsSync(home) ? readdirSync(home).filter((name) => name.startsWith('vscode-')) : [];
  const found = editors.map((name) => ripgrepPath(join(home, name, 'node_modules/code-server/lib/vscode')));
  return found.find((path) => path !== null) ?? null;
}

describe('the gateway', () => {
  let ws: TempWorkspace;
  let dirty: Set<string>;
  let written: string[];

  beforeEach(async () => {
    dirty = new Set();
    written = [];
    ws = await tempWorkspace(
      { 'a.txt': 'one\n', 'src/b.ts': 'two\r\n' },
      { editor: { isDirty: (path) => dirty.has(path), didWrite: (path) => written.push(path) } },
    );
  });
  afterEach(() => ws.dispose());

  const read = async (path: string, actor = alice) => ws.gateway.readText(await ws.place(path), actor, MAX);

  describe('reading and writing', () => {
    it('reads bytes as they are: byte order mark, CRLF, no final line break', async () => {
      for (const content of ['\ufeffa\r\nb', 'a\nb', '', 'ü 日本 😀']) {
        await ws.put('x', content);
        const file = value(await read('x'));
        assert.deepEqual([file.text, Buffer.from(file.bytes).toString('utf8')], [content, content]);
        assert.equal(file.hash, hashOf(Buffer.from(content, 'utf8')));
      }
    });

    it('creates with missing folders, replaces what was read, deletes, and tells the editor', async () => {
      value(await writeAs(ws, alice, 'new/deep/x.ts', 'x\n'));
      assert.equal(await ws.text('new/deep/x.ts'), 'x\n');
      value(await writeAs(ws, alice, 'new/deep/x.ts', 'y\n'));
      assert.equal(await ws.text('new/deep/x.ts'), 'y\n');
      value(await writeAs(ws, alice, 'new/deep/x.ts', null));
      assert.deepEqual(await readdir(join(ws.root, 'new/deep')), []);
      assert.deepEqual(written, Array(3).fill(join(ws.root, 'new/deep/x.ts')));
    });

    it('a plan holds both contents and changes nothing', async () => {
      value(await read('a.txt'));
      const plan = value(await ws.gateway.plan(await ws.place('a.txt'), Buffer.from('1\n'), alice));
      assert.deepEqual(
        [plan.kind, String(plan.before), String(plan.after), plan.beforeHash, plan.afterHash],
        ['modify', 'one\n', '1\n', hashOf(Buffer.from('one\n')), hashOf(Buffer.from('1\n'))],
      );
      assert.equal(await ws.text('a.txt'), 'one\n');
    });

    it('any bytes come back as they were written', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
          const path = await ws.place('bytes');
          const now = value(await ws.gateway.peek(path));
          value(await ws.gateway.restore(path, bytes, now?.hash ?? null));
          assert.deepEqual(new Uint8Array(await readFile(path.real)), bytes);
          assert.deepEqual(new Uint8Array(value(await ws.gateway.readBytes(path, 3000))), bytes);
        }),
        { numRuns: 30 },
      );
    });

    it('of two writes planned on the same state one wins and the other is told', async () => {
      value(await read('a.txt'));
      value(await read('a.txt', bob));
      const path = await ws.place('a.txt');
      const plans = [
        value(await ws.gateway.plan(path, Buffer.from('alice\n'), alice)),
        value(await ws.gateway.plan(path, Buffer.from('bob\n'), bob)),
      ] as const;
      const done = await Promise.all([ws.gateway.apply(plans[0], alice), ws.gateway.apply(plans[1], bob)]);
      assert.deepEqual(
        done.map((each) => (each.ok ? 'ok' : each.error.code)),
        ['ok', 'leased'],
      );
      assert.equal(await ws.text('a.txt'), 'alice\n');
    });

    it('of many that create the same file at once exactly one succeeds, also past the gateway', async () => {
      const path = await ws.place('race');
      const plan = value(await ws.gateway.plan(path, Buffer.from('mine'), alice));
      await writeFile(path.real, 'theirs', { flag: 'wx' });
      assert.deepEqual(problem(await ws.gateway.apply(plan, alice)), {
        code: 'stale',
        path: 'race',
        by: 'something outside',
      });
      assert.equal(await ws.text('race'), 'theirs');
    });
  });

  describe('stale check and leases', () => {
    it('an existing file must have been read by this agent', async () => {
      assert.deepEqual(problem(await writeAs(ws, alice, 'a.txt', 'x')), { code: 'unread', path: 'a.txt' });
      value(await read('a.txt', bob));
      assert.equal(problem(await writeAs(ws, alice, 'a.txt', 'x')).code, 'unread');
      value(await read('a.txt'));
      value(await writeAs(ws, alice, 'a.txt', 'x'));
    });

    it('names who changed it since: a member, the person, something outside', async () => {
      for (const actor of [alice, bob]) value(await read('a.txt', actor));
      value(await writeAs(ws, bob, 'a.txt', 'by bob\n'));
      ws.gateway.release(bob);
      assert.deepEqual(problem(await writeAs(ws, alice, 'a.txt', 'x')), {
        code: 'stale',
        path: 'a.txt',
        by: 'bob',
      });
      value(await read('a.txt'));
      await ws.put('a.txt', 'by the person\n');
      ws.gateway.noteExternalChange(join(ws.root, 'a.txt'), 'you');
      assert.deepEqual(problem(await writeAs(ws, alice, 'a.txt', 'x')), {
        code: 'stale',
        path: 'a.txt',
        by: 'you',
      });
      value(await writeAs({ ...ws }, alice, 'b.txt', 'x'));
      await ws.put('b.txt', 'outside\n');
      assert.deepEqual(problem(await writeAs(ws, alice, 'b.txt', 'y')), {
        code: 'stale',
        path: 'b.txt',
        by: 'something outside',
      });
      value(await read('b.txt'));
      value(await writeAs(ws, alice, 'b.txt', 'y'));
    });

    it('F9 a file deleted since is not made again by a write, until the agent has seen that it is gone', async () => {
      value(await read('a.txt'));
      await unlink(join(ws.root, 'a.txt'));
      assert.equal(problem(await writeAs(ws, alice, 'a.txt', 'x')).code, 'stale');
      assert.equal(problem(await read('a.txt')).code, 'missing');
      value(await writeAs(ws, alice, 'a.txt', 'x'));
    });

    it('a file is leased to its writer until the run ends, also across sessions', async () => {
      const other = { ...bob, session: 's2' };
      value(await read('a.txt'));
      value(await writeAs(ws, alice, 'a.txt', 'alice\n'));
      for (const [actor, to] of [
        [bob, 'alice'],
        [other, 'alice of another session'],
      ] as const) {
        value(await read('a.txt', actor));
        assert.deepEqual(problem(await writeAs(ws, actor, 'a.txt', 'x')), {
          code: 'leased',
          path: 'a.txt',
          to,
          elsewhere: actor === other,
        });
      }
      value(await writeAs(ws, alice, 'a.txt', 'again\n'));
      ws.gateway.release(bob);
      assert.equal(problem(await writeAs(ws, bob, 'a.txt', 'x')).code, 'leased');
      ws.gateway.release(alice);
      value(await read('a.txt', bob));
      value(await writeAs(ws, bob, 'a.txt', 'bob\n'));
    });

    it('unsaved text in an editor refuses reading, planning and writing', async () => {
      value(await read('a.txt'));
      const plan = value(await ws.gateway.plan(await ws.place('a.txt'), Buffer.from('x'), alice));
      dirty.add(join(ws.root, 'a.txt'));
      assert.equal(problem(await read('a.txt')).code, 'unsaved');
      assert.equal(problem(await writeAs(ws, alice, 'a.txt', 'x')).code, 'unsaved');
      assert.equal(problem(await ws.gateway.apply(plan, alice)).code, 'unsaved');
      assert.equal(
        problem(await ws.gateway.restore(await ws.place('a.txt'), null, plan.beforeHash)).code,
        'unsaved',
      );
      assert.equal(await ws.text('a.txt'), 'one\n');
    });

    it('after a restart nothing is seen: an agent reads again before it writes', async () => {
      value(await read('a.txt'));
      const again = await Gateway.open({
        folders: [{ name: 'ws', path: ws.root }],
        editor: noEditor,
        uniqueName: () => 'n',
      });
      const path = await ws.place('a.txt');
      assert.equal(problem(await again.plan(path, Buffer.from('x'), alice)).code, 'unread');
      value(await again.readText(path, alice, MAX));
      value(await again.plan(path, Buffer.from('x'), alice));
    });

    it('undo writes past leases and stale checks, but only over the content it expects', async () => {
      value(await read('a.txt'));
      value(await writeAs(ws, alice, 'a.txt', 'alice\n'));
      const path = await ws.place('a.txt');
      assert.equal(problem(await ws.gateway.restore(path, Buffer.from('one\n'), 'wrong')).code, 'stale');
      value(await ws.gateway.restore(path, Buffer.from('one\n'), hashOf(Buffer.from('alice\n'))));
      assert.equal(await ws.text('a.txt'), 'one\n');
      value(await ws.gateway.restore(path, null, hashOf(Buffer.from('one\n'))));
      assert.equal(value(await ws.gateway.peek(path)), null);
      value(await ws.gateway.restore(path, Buffer.from('back\n'), null));
      assert.equal(await ws.text('a.txt'), 'back\n');
    });
  });

  describe('ignore files', () => {
    beforeEach(async () => {
      await ws.put('.gitignore', 'dist/\n*.log\n!keep.log\nCase.txt\n');
      await ws.put('dist/out.js', 'needle\n');
      await ws.put('x.log', 'needle\n');
      await ws.put('keep.log', 'needle\n');
      await ws.put('case.txt', 'needle\n');
      await ws.put('node_modules/p/i.js', 'needle\n');
      await ws.put('src/.gitignore', '/gen.ts\n!x.log\n');
      await ws.put('src/gen.ts', 'needle\n');
      await ws.put('src/x.log', 'needle\n');
      await ws.put('src/deep/gen.ts', 'needle\n');
      await ws.put('.git/config', 'needle\n');
      await ws.put('.env', 'needle\n');
      await ws.put('.github/x.yml', 'needle\n');
    });
    const shown = ['.github/x.yml', 'case.txt', 'keep.log', 'src/deep/gen.ts', 'src/x.log'];

    for (const engine of ['own', 'ripgrep'] as const) {
      it(`list, glob and grep leave out what git ignores; secrets are not searched (${engine})`, async function () {
        const rgPath = engine === 'own' ? null : editorsRipgrep();
        if (engine === 'ripgrep' && rgPath === null) return this.skip();
        const gateway = await Gateway.open({
          folders: [{ name: 'ws', path: ws.root }],
          editor: noEditor,
          uniqueName: () => 'n',
          rgPath,
        });
        const search = { pattern: 'needle', under: null, glob: null, ignoreCase: false, limit: 100 };
        const found = value(await gateway.grep(search, neverStopped));
        assert.deepEqual(
          found.hits,
          shown.map((path) => ({ path, line: 1, text: 'needle' })),
        );
        const scoped = value(
          await gateway.grep({ ...search, under: await ws.place('src'), glob: '*.ts' }, neverStopped),
        );
        assert.deepEqual(
          scoped.hits.map((hit) => hit.path),
          ['src/deep/gen.ts'],
        );
        const ignored = { ...search, under: await ws.place('dist') };
        assert.deepEqual(
          value(await gateway.grep(ignored, neverStopped)).hits.map((hit) => hit.path),
          ['dist/out.js'],
        );
        const secret = { ...search, under: await ws.place('.env') };
        assert.deepEqual(
          value(await gateway.grep(secret, neverStopped)).hits.map((hit) => hit.path),
          ['.env'],
        );
        const caps = { ...search, limit: 2 };
        const capped = value(await gateway.grep(caps, neverStopped));
        assert.deepEqual([capped.hits.map((hit) => hit.path), capped.truncated], [shown.slice(0, 2), true]);
        const wrong = problem(await gateway.grep({ ...search, pattern: '(' }, neverStopped));
        assert.equal(wrong.code, 'invalid');
        const around = { ...search, pattern: '(?<=nee)dle', under: await ws.place('case.txt') };
        assert.equal(value(await gateway.grep(around, neverStopped)).hits.length, 1);
      });
    }

    it('named ignored files can be read, and listed when their folder is named', async () => {
      assert.equal(value(await read('dist/out.js')).text, 'needle\n');
      const listed = value(await ws.gateway.list(await ws.place('.'), 9, 100, neverStopped));
      assert.deepEqual(
        listed.entries.filter((entry) => entry.type === 'file').map((entry) => entry.path),
        [
          '.env',
          '.github/x.yml',
          '.gitignore',
          'a.txt',
          'case.txt',
          'keep.log',
          'src/.gitignore',
          'src/b.ts',
          'src/deep/gen.ts',
          'src/x.log',
        ],
      );
      const inside = value(await ws.gateway.list(await ws.place('node_modules'), 9, 100, neverStopped));
      assert.deepEqual(
        inside.entries.map((entry) => entry.path),
        ['node_modules/p', 'node_modules/p/i.js'],
      );
      const globbed = value(await ws.gateway.glob('src/**/*.ts', null, 100, neverStopped));
      assert.deepEqual(
        globbed.entries.map((entry) => entry.path),
        ['src/b.ts', 'src/deep/gen.ts'],
      );
      const anywhere = value(await ws.gateway.glob('*.{yml,log}', null, 100, neverStopped));
      assert.deepEqual(
        anywhere.entries.map((entry) => entry.path),
        ['.github/x.yml', 'keep.log', 'src/x.log'],
      );
    });

    it('.teamroomignore denies in every case and for every name, and fails closed', async () => {
      await ws.put('.teamroomignore', 'Private/\n*.secret\n');
      await ws.put('private/x', 'needle\n');
      await ws.put('src/a.secret', 'needle\n');
      await symlink('../private', join(ws.root, 'src/lead'));
      for (const path of [
        'private/x',
        'private',
        'PRIVATE/y',
        'src/a.secret',
        'src/lead/x',
        'private/new/y',
      ]) {
        assert.deepEqual(problem(await ws.gateway.place(path)), {
          code: 'denied',
          path,
          by: '.teamroomignore',
        });
      }
      const search = { pattern: 'needle', under: null, glob: null, ignoreCase: false, limit: 100 };
      const found = value(await ws.gateway.grep(search, neverStopped));
      assert.deepEqual(
        found.hits.map((hit) => hit.path),
        shown,
      );
      await rm(join(ws.root, '.teamroomignore'));
      await mkdir(join(ws.root, '.teamroomignore'));
      assert.equal(problem(await ws.gateway.place('a.txt')).code, 'denied');
      await rm(join(ws.root, '.teamroomignore'), { recursive: true });
      await symlink('.teamroomignore', join(ws.root, '.teamroomignore'));
      assert.equal(problem(await ws.gateway.place('a.txt')).code, 'denied');
      await rm(join(ws.root, '.teamroomignore'));
      assert.equal(value(await ws.gateway.place('private/x')).shown, 'private/x');
    });

    it('rules of the repository above the workspace folder hold too', async () => {
      const gateway = await Gateway.open({
        folders: [{ name: 'src', path: join(ws.root, 'src') }],
        editor: noEditor,
        uniqueName: () => 'n',
      });
      await ws.put('src/y.log', '');
      await ws.put('src/dist/z.ts', '');
      const listed = value(await gateway.list(value(await gateway.place('.')), 9, 100, neverStopped));
      const files = listed.entries.filter((entry) => entry.type === 'file').map((entry) => entry.path);
      assert.deepEqual(files, ['.gitignore', 'b.ts', 'deep/gen.ts', 'x.log']);
    });
  });

  describe('several folders', () => {
    it('paths begin with the folder’s name; a link from one to another is inside', async () => {
      const around = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-multi-')));
      try {
        for (const name of ['web', 'api']) await mkdir(join(around, name));
        await writeFile(join(around, 'api/x.ts'), 'needle\n');
        await symlink('../api', join(around, 'web/lead'));
        const gateway = await Gateway.open({
          folders: [
            { name: 'web', path: join(around, 'web') },
            { name: 'api', path: join(around, 'api') },
            { name: 'api', path: join(around, 'api') },
          ],
          editor: noEditor,
          uniqueName: () => 'n',
        });
        assert.deepEqual(
          gateway.folders.map((folder) => folder.name),
          ['web', 'api', 'api-2'],
        );
        const place = async (path: string): Promise<PlacedPath> => value(await gateway.place(path));
        assert.deepEqual(await place('api/x.ts'), {
          shown: 'api/x.ts',
          real: join(around, 'api/x.ts'),
          folder: 'api',
        });
        assert.equal((await place('web/lead/x.ts')).real, join(around, 'api/x.ts'));
        assert.equal(problem(await gateway.place('x.ts')).code, 'no_folder');
        assert.equal(problem(await gateway.place('.')).code, 'no_folder');
        const search = { pattern: 'needle', under: null, glob: null, ignoreCase: false, limit: 9 };
        const hits = value(await gateway.grep(search, neverStopped)).hits.map((hit) => hit.path);
        assert.deepEqual(hits, ['api/x.ts', 'api-2/x.ts']);
      } finally {
        await rm(around, { recursive: true, force: true });
      }
    });
  });

  it('an aborted search ends and says that it is not complete', async () => {
    const search = { pattern: 'one', under: null, glob: null, ignoreCase: false, limit: 9 };
    const found = value(await ws.gateway.grep(search, AbortSignal.abort()));
    assert.equal(found.truncated, true);
    assert.equal((await stat(ws.root)).isDirectory(), true);
  });
});
