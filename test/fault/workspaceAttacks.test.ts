import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { judge } from '../../src/workspace/permission';
import type { PermissionMode, Subject } from '../../src/workspace/port';
import { Shell } from '../../src/workspace/shell/run';
import {
  alice,
  neverStopped,
  problem,
  type TempWorkspace,
  tempWorkspace,
  value,
  writeAs,
} from '../support/tempWorkspace';

describe('attacks on the workspace, on real files', () => {
  let ws: TempWorkspace;

  beforeEach(async () => {
    ws = await tempWorkspace({ 'src/a.ts': 'a\n', '.env': 'KEY=1\n', 'AGENTS.md': 'x\n' });
    await mkdir(join(ws.around, 'out'));
    await writeFile(join(ws.around, 'out/secret'), 'secret\n');
    await mkdir(join(ws.around, 'ws-evil'));
  });
  afterEach(() => ws.dispose());

  const codeOf = async (path: string): Promise<string> => {
    const placed = await ws.gateway.place(path);
    return placed.ok ? 'placed' : placed.error.code;
  };
  /** How a write of the path is judged when the person lets writes run. */
  const judged = async (path: string, mode: PermissionMode = 'edits'): Promise<string> => {
    const subject: Subject = { type: 'write', path: await ws.place(path) };
    const verdict = judge({
      mode,
      rules: [{ effect: 'allow', tool: '*', pattern: null }],
      tool: 'write',
      risk: 'write',
      subjects: [subject],
      care: (placed) => ws.gateway.care(placed),
    });
    return verdict.type === 'ask' ? verdict.why.code : verdict.type;
  };
  const untouched = async (): Promise<void> => {
    assert.deepEqual(await readdir(join(ws.around, 'out')), ['secret']);
    assert.equal(await readFile(join(ws.around, 'out/secret'), 'utf8'), 'secret\n');
  };

  it('A1 A2 A3 writing what steers editors and agents asks in every mode, whatever rules allow', async () => {
    for (const mode of ['ask', 'edits', 'auto'] as const) {
      for (const path of [
        '.vscode/settings.json',
        '.VSCODE/Settings.JSON',
        'x.code-workspace',
        '.vscode/tasks.json',
        '.mcp.json',
        '.claude/hooks/x.sh',
        'AGENTS.md',
        'agents.md',
        '.git/hooks/pre-commit',
      ]) {
        assert.equal(await judged(path, mode), 'protected_path', `${mode} ${path}`);
      }
      assert.equal(await judged('.env', mode), 'secret_path');
    }
    assert.equal(await judged('src/new.ts'), 'allow');
    assert.equal(await codeOf('.vscode\\settings.json'), 'invalid');
  });

  it('A4 A5 paths that lead or look outside are refused, also for files that exist', async () => {
    for (const path of [
      '../out/secret',
      join(ws.around, 'out/secret'),
      'src/../../out/secret',
      '/etc/passwd',
    ]) {
      assert.equal(await codeOf(path), 'outside', path);
    }
    for (const path of [
      '~/x',
      'file:///etc/passwd',
      '%2e%2e/out/secret',
      'src/a.ts\0',
      'src/a.ts:x',
      'src/a.ts.',
    ]) {
      assert.equal(await codeOf(path), 'invalid', path);
    }
  });

  it('A6 a link to a file or folder outside is refused; one that stays inside is followed', async () => {
    await symlink(join(ws.around, 'out'), join(ws.root, 'lead'));
    await symlink('../../out/secret', join(ws.root, 'src/file'));
    await symlink('src', join(ws.root, 'inner'));
    assert.equal(await codeOf('lead/secret'), 'outside');
    assert.equal(await codeOf('lead'), 'outside');
    assert.equal(await codeOf('src/file'), 'outside');
    const inner = await ws.place('inner/a.ts');
    assert.deepEqual([inner.shown, inner.real], ['inner/a.ts', join(ws.root, 'src/a.ts')]);
  });

  it('A7 new files under a linked folder and dangling links are refused', async () => {
    await symlink(join(ws.around, 'out'), join(ws.root, 'lead'));
    await symlink(join(ws.around, 'out/none'), join(ws.root, 'dangling'));
    await symlink(join(ws.around, 'nowhere'), join(ws.root, 'void'));
    await symlink('loop', join(ws.root, 'loop'));
    for (const path of ['lead/new', 'lead/deep/new', 'dangling', 'void/new', 'void/deep/new']) {
      assert.equal(await codeOf(path), 'outside', path);
    }
    assert.equal(await codeOf('loop'), 'invalid');
    assert.equal(await codeOf('src/a.ts/new'), 'not_a_folder');
    await untouched();
  });

  it('A8 a folder swapped for a link between the check and the write is not followed', async () => {
    // The same name and content as the real one: only where it lies tells them apart.
    await mkdir(join(ws.around, 'decoy'));
    await writeFile(join(ws.around, 'decoy/a.ts'), 'a\n');
    for (const path of ['src/new.ts', 'src/a.ts', 'src/deep/er/new.ts']) {
      const placed = await ws.place(path);
      value(await ws.gateway.readText(await ws.place('src/a.ts'), alice, 1000));
      const planned = value(await ws.gateway.plan(placed, Buffer.from('evil'), alice));
      await rename(join(ws.root, 'src'), join(ws.root, 'was'));
      await symlink(join(ws.around, 'decoy'), join(ws.root, 'src'));
      const applied = problem(await ws.gateway.apply(planned, alice));
      assert.ok(['outside', 'not_a_folder'].includes(applied.code), `${path}: ${applied.code}`);
      const read = problem(await ws.gateway.readText(placed, alice, 1000));
      assert.ok(['outside', 'missing'].includes(read.code), `${path}: ${read.code}`);
      assert.deepEqual(await readdir(join(ws.around, 'decoy'), { recursive: true }), ['a.ts']);
      assert.equal(await readFile(join(ws.around, 'decoy/a.ts'), 'utf8'), 'a\n');
      await rm(join(ws.root, 'src'));
      await rename(join(ws.root, 'was'), join(ws.root, 'src'));
    }
    assert.equal(await ws.text('src/a.ts'), 'a\n');
    assert.deepEqual(await readdir(join(ws.root, 'src')), ['a.ts']);
  });

  it('A8 the folder above the workspace swapped for a link to a copy is noticed', async () => {
    const placed = await ws.place('src/a.ts');
    value(await ws.gateway.readText(placed, alice, 1000));
    const planned = value(await ws.gateway.plan(placed, Buffer.from('evil'), alice));
    const copy = `${ws.around}-copy`;
    const moved = `${ws.around}-moved`;
    await cp(ws.around, copy, { recursive: true });
    await rename(ws.around, moved);
    try {
      await symlink(copy, ws.around);
      assert.equal(problem(await ws.gateway.apply(planned, alice)).code, 'outside');
      assert.equal(problem(await ws.gateway.readText(placed, alice, 1000)).code, 'outside');
      assert.equal(await readFile(join(copy, 'ws/src/a.ts'), 'utf8'), 'a\n');
      await rm(ws.around);
    } finally {
      await rename(moved, ws.around);
      await rm(copy, { recursive: true });
    }
  });

  it('A8 a file swapped for a link before the read or the write is not followed', async () => {
    const placed = await ws.place('src/a.ts');
    value(await ws.gateway.readText(placed, alice, 1000));
    const planned = value(await ws.gateway.plan(placed, Buffer.from('evil'), alice));
    await rm(join(ws.root, 'src/a.ts'));
    await symlink(join(ws.around, 'out/secret'), join(ws.root, 'src/a.ts'));
    assert.equal(problem(await ws.gateway.apply(planned, alice)).code, 'not_a_file');
    assert.equal(problem(await ws.gateway.readText(placed, alice, 1000)).code, 'not_a_file');
    await untouched();
  });

  it('A9 a second name of a file outside asks, and a write breaks the tie instead of following it', async () => {
    await link(join(ws.around, 'out/secret'), join(ws.root, 'src/tied'));
    assert.equal(await judged('src/tied'), 'protected_path');
    value(await ws.gateway.readText(await ws.place('src/tied'), alice, 1000));
    value(await writeAs(ws, alice, 'src/tied', 'mine\n'));
    await untouched();
    assert.equal(await ws.text('src/tied'), 'mine\n');
  });

  it('A10 a folder beside the workspace whose name only begins alike is outside', async () => {
    assert.equal(await codeOf('../ws-evil/x'), 'outside');
    assert.equal(await codeOf(join(ws.around, 'ws-evil/x')), 'outside');
    await symlink(join(ws.around, 'ws-evil'), join(ws.root, 'lead'));
    assert.equal(await codeOf('lead/x'), 'outside');
  });

  it('A29 pipes, sockets, devices, huge and binary files are told, and never block', async () => {
    assert.equal(spawnSync('mkfifo', [join(ws.root, 'pipe')]).status, 0);
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(ws.root, 'sock'), done));
    await ws.put('big', Buffer.alloc(2000, 97));
    await ws.put('zero', Buffer.from([97, 0, 98]));
    await ws.put('latin', Buffer.from([0xe4, 0x0a]));
    await ws.put('utf16', Buffer.from([0xff, 0xfe, 0x61, 0x00]));
    const read = async (path: string) =>
      problem(await ws.gateway.readText(await ws.place(path), alice, 1000));
    try {
      assert.deepEqual(await read('pipe'), { code: 'not_a_file', path: 'pipe', what: 'a pipe' });
      assert.deepEqual(await read('sock'), { code: 'not_a_file', path: 'sock', what: 'a socket' });
      assert.deepEqual(await read('src'), { code: 'not_a_file', path: 'src', what: 'a folder' });
      assert.deepEqual(await read('big'), { code: 'too_large', path: 'big', bytes: 2000, limit: 1000 });
      assert.deepEqual(await read('zero'), { code: 'binary', path: 'zero', bytes: 3 });
      assert.deepEqual(await read('latin'), { code: 'not_utf8', path: 'latin', bytes: 2 });
      assert.deepEqual(await read('utf16'), { code: 'not_utf8', path: 'utf16', bytes: 4 });
      assert.deepEqual(await read('none'), { code: 'missing', path: 'none' });
      const search = { pattern: 'x', under: null, glob: null, ignoreCase: false, limit: 10 };
      assert.deepEqual(
        value(await ws.gateway.grep(search, neverStopped)).hits.map((hit) => hit.path),
        ['AGENTS.md'],
      );
      assert.equal(problem(await writeAs(ws, alice, 'pipe', 'x')).code, 'not_a_file');
    } finally {
      await new Promise((done) => server.close(done));
    }
  });

  it('A29 a pattern or a file made to take for ever ends in time', async function () {
    this.timeout(20_000);
    await ws.put('slow.txt', `${'a'.repeat(5000)}b\n`);
    const search = { pattern: '(a+)+$', under: null, glob: '*.txt', ignoreCase: false, limit: 10 };
    const found = value(await ws.gateway.grep(search, neverStopped));
    assert.deepEqual([found.hits, found.skipped], [[], 1]);
    const stars = `${'*a'.repeat(12)}b`;
    await ws.put('a'.repeat(200), '');
    const globbed = await ws.gateway.glob(stars, null, 10, neverStopped);
    assert.ok(globbed.ok || globbed.error.code === 'invalid');
    assert.equal(problem(await ws.gateway.glob('*'.repeat(13), null, 10, neverStopped)).code, 'invalid');
  });

  it('A31 commands that name protected or secret files ask in every mode', async () => {
    const verdictOf = async (command: string): Promise<string> => {
      const cwd = await ws.place('.');
      const inspection = await ws.gateway.inspect(command, cwd);
      const verdict = judge({
        mode: 'auto',
        rules: [],
        tool: 'bash',
        risk: 'execute',
        subjects: [{ type: 'command', command, cwd, inspection }],
        care: (path) => ws.gateway.care(path),
      });
      return verdict.type === 'ask' ? verdict.why.code : verdict.type;
    };
    for (const command of [
      'rm -rf .git',
      'mv a .vscode/settings.json',
      'chmod +x .git/hooks/pre-commit',
      'echo x > .VSCODE/settings.json',
      'cp evil sub/.github/workflows/ci.yml',
      'dd if=x of=.git/config',
      'tar xf x.tar --directory=.husky',
    ]) {
      assert.equal(await verdictOf(command), 'protected_path', command);
    }
    for (const command of [
      'cat .env',
      'cp .env x',
      'cat src/../.env',
      'head -3 ./.ENV.local',
      'git show HEAD:.env',
    ]) {
      assert.equal(await verdictOf(command), 'secret_path', command);
    }
    assert.equal(await verdictOf('echo "'), 'unparsable_command');
    assert.equal(await verdictOf('npm test'), 'allow');
  });

  it('A31 deleting a protected file is judged like writing it', async () => {
    assert.equal(await judged('.git/config'), 'protected_path');
    const planned = value(await ws.gateway.plan(await ws.place('src/none.ts'), Buffer.from('x'), alice));
    assert.equal(planned.kind, 'create');
    assert.equal(problem(await ws.gateway.plan(await ws.place('src/none.ts'), null, alice)).code, 'missing');
  });

  it('a reading command that names something outside, secret or denied is none', async () => {
    await ws.put('.teamroomignore', 'private/\n');
    await ws.put('private/x', 'x\n');
    await symlink(join(ws.around, 'out'), join(ws.root, 'lead'));
    await symlink('../../out', join(ws.root, 'src/up'));
    await ws.put('deep/er/x', 'x\n');
    await symlink('../src', join(ws.root, 'deep/link'));
    const reading = async (command: string): Promise<boolean> =>
      (await ws.gateway.inspect(command, await ws.place('.'))).reading;
    for (const command of [
      'cat /etc/passwd',
      'cat ../out/secret',
      'ls ..',
      'ls /',
      'cat .env',
      'cat lead/secret',
      'ls lead',
      'cat deep/link/../../out/secret',
      'cd lead && cat secret',
      'cd src && cat ../../out/secret',
      'cd deep && cat ../../out/secret',
      'cd deep/er; cat ../../out/x',
      'cd deep/er && true; cat ../../out/x',
      'cd deep/er && true || cat ../x',
      'cd deep/er | cat ../x',
      'cat .e*',
      'cat *',
      'grep -r x .',
      'grep -rn x',
      'rg --hidden x',
      'cat private/x',
      'grep -r x private',
      'ls src/*',
      'wc -l < .env',
      'find / -name x',
      'test -f /etc/passwd',
      'git diff /etc/passwd src/a.ts',
      'git diff --no-index /etc/passwd src/a.ts',
      'grep -f /etc/passwd src/a.ts',
      'grep -f.env src/a.ts',
      'stat -c %n ../out/secret',
    ]) {
      assert.equal(await reading(command), false, command);
    }
    for (const command of [
      'cat src/a.ts',
      'ls',
      'ls -la .env',
      'cat deep/er/../er/x',
      'cd deep && cat er/x',
      'cd deep/er && cat ../../src/a.ts',
      'cat deep/*/x',
      "grep -rn --include='*.ts' a .",
      'grep -rn x deep',
      `cat ${join(ws.root, 'src/a.ts')}`,
      'git status',
      'find . -name x',
      'cat src/missing.ts',
    ]) {
      assert.equal(await reading(command), true, command);
    }
  });

  it('A14 a folder made to look like a bare repository is none, and starts nothing', async () => {
    const marker = join(ws.around, 'pwned');
    await ws.put('sub/HEAD', 'ref: refs/heads/x\n');
    await ws.put('sub/refs/x', '');
    await ws.put('sub/objects/x', '');
    await ws.put('sub/config', `[core]\nbare = false\nworktree = ..\nfsmonitor = "touch ${marker}; true"\n`);
    const sub = await ws.place('sub');
    assert.equal((await ws.gateway.inspect('git status', sub)).reading, false);
    assert.equal((await ws.gateway.inspect('cd sub && git status', await ws.place('.'))).reading, false);
    const shell = new Shell({ clock: systemClock, onLateFailure: (error) => assert.fail(String(error)) });
    const request = { command: 'git status', cwd: sub, timeoutMs: 20_000, maxOutputBytes: 10_000 };
    const outcome = await shell.run(
      request,
      async () => undefined,
      () => undefined,
      neverStopped,
    );
    assert.match(outcome.output, /bare repository|not a git repository/u);
    assert.equal(existsSync(marker), false);
  });

  it('A14 git asks where the repository itself names programs for what it reads', async () => {
    spawnSync('git', ['init', '-q'], { cwd: ws.root });
    const reading = async () => (await ws.gateway.inspect('git log -p', await ws.place('src'))).reading;
    assert.equal(await reading(), true);
    spawnSync('git', ['config', 'diff.x.textconv', 'touch pwned; cat'], { cwd: ws.root });
    assert.equal(await reading(), false);
  });

  it('nothing is left behind when a write fails, and the mode of a file is kept', async () => {
    await chmod(join(ws.root, 'src/a.ts'), 0o755);
    value(await ws.gateway.readText(await ws.place('src/a.ts'), alice, 1000));
    value(await writeAs(ws, alice, 'src/a.ts', 'new\n'));
    assert.equal((await stat(join(ws.root, 'src/a.ts'))).mode & 0o777, 0o755);
    const planned = value(await ws.gateway.plan(await ws.place('src/b.ts'), Buffer.from('mine'), alice));
    await ws.put('src/b.ts', 'theirs');
    assert.equal(problem(await ws.gateway.apply(planned, alice)).code, 'stale');
    assert.equal(await ws.text('src/b.ts'), 'theirs');
    assert.deepEqual((await readdir(join(ws.root, 'src'))).sort(), ['a.ts', 'b.ts']);
    assert.equal((await lstat(join(ws.root, 'src/a.ts'))).isFile(), true);
    assert.equal(existsSync(join(ws.root, 'src/c.ts')), false);
  });
});
