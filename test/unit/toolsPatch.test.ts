import assert from 'node:assert/strict';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import * as fc from 'fast-check';
import { applyPatch } from '../../src/tools/applyPatch';
import { multiedit } from '../../src/tools/multiedit';
import { patched } from '../../src/tools/patch/apply';
import { parsePatchText } from '../../src/tools/patch/parse';
import { read } from '../../src/tools/read';
import { write } from '../../src/tools/write';
import { bob, type TempWorkspace, tempWorkspace } from '../support/tempWorkspace';
import { ToolHost } from '../support/toolHost';

const A = 'function a() {\n  return 1;\n}\n\nfunction b() {\n  return 1;\n}\n';

describe('multiedit and apply_patch, on real files', function () {
  this.timeout(20_000);
  let ws: TempWorkspace;
  let host: ToolHost;

  beforeEach(async () => {
    ws = await tempWorkspace({ 'a.ts': A, 'b.txt': 'one\ntwo\nthree\n', 'sub/c.txt': 'c\n' });
    host = new ToolHost(ws);
    for (const path of ['a.ts', 'b.txt', 'sub/c.txt']) await host.call(read, { path });
  });
  afterEach(() => ws.dispose());

  const told = async (...call: Parameters<ToolHost['call']>): Promise<string> => {
    const { status, text } = await host.call(...call);
    return `${status}: ${text}`;
  };
  const patch = (text: string) => told(applyPatch, { patch: text });
  const begin = (...lines: readonly string[]) =>
    patch(['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
  const names = async () => (await readdir(ws.root, { recursive: true })).sort();

  /** Every file of the workspace with its content. */
  async function everything(): Promise<Record<string, string>> {
    const all: Record<string, string> = {};
    for (const name of await names()) {
      const path = join(ws.root, name);
      if ((await stat(path)).isFile()) all[name] = (await readFile(path)).toString('latin1');
    }
    return all;
  }

  describe('multiedit', () => {
    const edits = (...list: readonly (readonly [string, string, boolean?])[]) =>
      told(multiedit, {
        path: 'b.txt',
        edits: list.map(([old, now, all]) => ({
          old,
          new: now,
          ...(all === undefined ? {} : { replace_all: all }),
        })),
      });

    it('edits follow each other, and are one change', async () => {
      const prepared = await host.prepare(multiedit, {
        path: 'b.txt',
        edits: [{ old: 'two', new: '2' }],
      });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, {
        type: 'diff',
        path: 'b.txt',
        before: 'one\ntwo\nthree\n',
        after: 'one\n2\nthree\n',
      });
      assert.equal(
        await edits(['two', 'one'], ['one', '1', true]),
        'ok: Edited b.txt: 2 edits, 3 replacements.',
      );
      assert.equal(await ws.text('b.txt'), '1\n1\nthree\n');
      assert.equal(host.written.length, 1);
    });

    it('if one of them does not fit none is made, and it is named', async () => {
      assert.match(
        await edits(['two', '2'], ['two', '3']),
        /^error: "old" of edit 2 doesn't occur in b.txt. Nothing was changed.*\(Edit 2 is looked for in the text that edits 1 to 1 left\.\)$/su,
      );
      assert.match(
        await edits(['e', 'E']),
        /^error: "old" of edit 1 occurs 3 times in b.txt, at lines 1, 3, 3/u,
      );
      assert.match(await edits(), /^error: "edits" is empty/u);
      assert.match(await edits(['two', 'two']), /^error: "old" and "new" of edit 1 are the same/u);
      assert.match(await edits(['two', '\0']), /^error: The new text of edit 1 can't be written/u);
      assert.match(await edits(['two', '2'], ['2', 'two']), /^ok: b.txt has exactly this content already/u);
      assert.match(
        await told(multiedit, { path: 'none', edits: [{ old: 'a', new: 'b' }] }),
        /^error: "none"/u,
      );
      await ws.put('unread', 'secret\n');
      const unread = await told(multiedit, { path: 'unread', edits: [{ old: 'a', new: 'b' }] });
      assert.match(unread, /^refused: .*haven't read it yet/u);
      assert.equal(await ws.text('b.txt'), 'one\ntwo\nthree\n');
      assert.equal(host.written.length, 0);
    });

    it('F9 a CRLF file stays one', async () => {
      await ws.put('b.txt', '\ufeffone\r\ntwo\r\n');
      await host.call(read, { path: 'b.txt' });
      assert.match(await edits(['one\ntwo', '1\n2'], ['2\n', '2\n3\n']), /^ok/u);
      assert.equal(await ws.text('b.txt'), '\ufeff1\r\n2\r\n3\r\n');
    });

    it('whatever the edits are: all of them or none, and what is written is what they say one by one', async () => {
      const word = fc.constantFrom('a', 'b', 'ab', 'ba', '\n', 'a\n');
      const edit = fc.record({ old: word, new: word, replace_all: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(word, { maxLength: 8 }).map((words) => words.join('')),
          fc.array(edit, { minLength: 1, maxLength: 4 }),
          async (before, list) => {
            await ws.put('p', before);
            await host.call(read, { path: 'p' });
            const result = await host.call(multiedit, { path: 'p', edits: list });
            const expected = list.reduce<string | null>((text, each) => {
              if (text === null || each.old === each.new) return null;
              const parts = text.split(each.old);
              return parts.length === 1 || (parts.length > 2 && !each.replace_all)
                ? null
                : parts.join(each.new);
            }, before);
            assert.equal(result.status, expected === null ? 'error' : 'ok', result.text);
            assert.equal(await ws.text('p'), expected ?? before);
          },
        ),
        { numRuns: 150 },
      );
    });
  });

  describe('apply_patch', () => {
    it('adds, updates, moves and deletes in one go, shown as one diff before', async () => {
      await chmod(join(ws.root, 'sub/c.txt'), 0o755);
      const lines = [
        '*** Begin Patch',
        '*** Add File: new/n.txt',
        '+n',
        '+',
        '*** Update File: b.txt',
        '@@',
        ' one',
        '-two',
        '+2',
        '*** Update File: sub/c.txt',
        '*** Move to: sub/d.txt',
        '-c',
        '+d',
        '*** Delete File: a.ts',
        '*** End Patch',
      ];
      const prepared = await host.prepare(applyPatch, { patch: lines.join('\n') });
      assert.ok(prepared.type === 'ready');
      assert.deepEqual(prepared.preview, {
        type: 'diff',
        path: 'new/n.txt, b.txt, sub/d.txt, sub/c.txt, a.ts',
        before: `──── b.txt\none\ntwo\nthree\n\n──── sub/c.txt\nc\n\n──── a.ts\n${A}`,
        after: '──── new/n.txt\nn\n\n\n──── b.txt\none\n2\nthree\n\n──── sub/d.txt\nd\n',
      });
      assert.equal(
        await patch(lines.join('\n')),
        'ok: Patched: created new/n.txt; changed b.txt (line 1); moved and changed sub/c.txt to sub/d.txt; deleted a.ts.',
      );
      assert.deepEqual(await everything(), {
        'b.txt': 'one\n2\nthree\n',
        'new/n.txt': 'n\n\n',
        'sub/d.txt': 'd\n',
      });
      assert.equal((await stat(join(ws.root, 'sub/d.txt'))).mode & 0o777, 0o755);
    });

    it('a unified diff, git’s too, with wrong counts', async () => {
      const text = [
        'diff --git a/b.txt b/b.txt',
        'index 1234567..89abcde 100644',
        '--- a/b.txt',
        '+++ b/b.txt',
        '@@ -1,9 +1,7 @@',
        ' one',
        '-two',
        '+2',
        ' three',
        'diff --git a/sub/c.txt b/sub/c.txt',
        'deleted file mode 100644',
        '--- a/sub/c.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-c',
        '--- /dev/null',
        '+++ b/n.txt',
        '@@ -0,0 +1 @@',
        '+n',
        '\\ No newline at end of file',
        '',
      ].join('\n');
      assert.equal(
        await patch(text),
        'ok: Patched: changed b.txt (line 1); deleted sub/c.txt; created n.txt.',
      );
      assert.deepEqual(await everything(), { 'a.ts': A, 'b.txt': 'one\n2\nthree\n', 'n.txt': 'n' });
    });

    it('a place that occurs twice is refused; a number, an @@ line or the end of the file tell which', async () => {
      const twice = ['*** Update File: a.ts', '-  return 1;', '+  return 2;'];
      assert.match(await begin(...twice), /^error: a.ts: Hunk 1 fits at several places: lines 2, 6\./u);
      assert.equal(await ws.text('a.ts'), A);
      const at = (line: string) => ['*** Update File: a.ts', `@@ ${line}`, ...twice.slice(1)];
      assert.match(await begin(...at('function c() {')), /^error: .*"function c\(\) \{" doesn't occur/u);
      assert.equal(await begin(...at('function b() {')), 'ok: Patched: changed a.ts (line 6).');
      assert.equal(await ws.text('a.ts'), A.replace(/1;(?!.*1;)/su, '2;'));
      const numbered = ['--- a/a.ts', '+++ b/a.ts', '@@ -1,1 +1,1 @@', '-}', '+};'];
      assert.match(await patch(numbered.join('\n')), /^error: .*several places: lines 3, 7/u);
      assert.match(await patch(numbered.join('\n').replace('-1,1', '-3,1')), /^ok/u);
      assert.match(await begin('*** Update File: a.ts', '-}', '+}.', '*** End of File'), /^ok.*line 7/u);
      assert.match(await ws.text('a.ts'), /\};\n\n[\s\S]*\}\.\n$/u);
    });

    it('other spaces are tolerated where one place is meant, and it is said; the file’s lines stay', async () => {
      const loose = ['*** Update File: a.ts', ' function a()  {', '-return 1;', '+  return 9;'];
      assert.match(await begin(...loose), /^error: .*doesn't fit/u);
      assert.equal(
        await begin('*** Update File: a.ts', 'function a() {', '-return 1;'.replace('-', '-'), '+x'),
        'error: The patch can\'t be read at its line 3 ("function a() {"): a line of a hunk begins with " ", "+" or "-". Nothing was written.',
      );
      assert.equal(
        await begin('*** Update File: a.ts', '   function a() {', '-return 1;', '+  return 9;'),
        'ok: Patched: changed a.ts (line 1), where hunk 1 had other spaces than the file.',
      );
      assert.equal(await ws.text('a.ts'), A.replace('1', '9'));
      const ambiguous = ['*** Update File: b.txt', '-x', '+y'];
      await ws.put('b.txt', ' x\n  x\n');
      await host.call(read, { path: 'b.txt' });
      assert.match(await begin(...ambiguous), /^error: .*several places: lines 1, 2/u);
    });

    it('hunks that only add must say where', async () => {
      assert.match(await begin('*** Update File: b.txt', '+x'), /^error: .*doesn't say where/u);
      assert.match(await begin('*** Update File: b.txt', '@@ two', '+x'), /^ok/u);
      assert.match(await begin('*** Update File: b.txt', '+end', '*** End of File'), /^ok/u);
      assert.equal(await ws.text('b.txt'), 'one\ntwo\nx\nthree\nend\n');
    });

    it('if one file can not be patched none is, and each problem is told', async () => {
      await ws.put('unread.txt', 'u\n');
      await ws.put('bin', Buffer.from([1, 0, 2]));
      await host.call(write, { path: 'his.txt', content: 'x\n' }, host.context(bob));
      const before = await everything();
      const answer = await begin(
        '*** Update File: b.txt',
        '-two',
        '+2',
        '*** Update File: unread.txt',
        '-u',
        '+v',
        '*** Update File: none.txt',
        '-u',
        '+v',
        '*** Add File: a.ts',
        '+x',
        '*** Delete File: his.txt',
        '*** Delete File: sub',
        '*** Add File: ../out.txt',
        '+x',
      );
      assert.match(answer, /^error: "unread.txt" exists and you haven't read it yet/u);
      assert.match(
        answer,
        /\n"none.txt" doesn't exist\. Use write to create it\.\n"a.ts" exists already\. Update it/u,
      );
      assert.match(answer, /\n"his.txt" was written by bob.*\n"sub" is a folder, not a file/u);
      assert.match(answer, /\n1 more file can't be patched either\.\nNothing was written\.$/u);
      assert.deepEqual(await everything(), before);
      assert.match(await begin('*** Update File: unread.txt', '-u', '+v'), /^refused/u);
      assert.match(await begin('*** Update File: bin', '-u', '+v'), /^error: "bin" is a binary/u);
      assert.match(
        await begin('*** Update File: b.txt', '-one', '+1', '*** Update File: ./b.txt', '-two', '+2'),
        /^error: b.txt is in the patch twice/u,
      );
      assert.match(
        await begin('*** Update File: b.txt', '*** Move to: sub/c.txt'),
        /^error: "sub\/c.txt" exists already/u,
      );
      assert.deepEqual(await everything(), before);
    });

    it('what fails in the middle tells exactly what was written', async () => {
      const context = host.context();
      const text = ['*** Update File: b.txt', '-two', '+2', '*** Update File: sub/c.txt', '-c', '+d'];
      const prepared = await host.prepare(
        applyPatch,
        { patch: ['*** Begin Patch', ...text, '*** End Patch'].join('\n') },
        context,
      );
      assert.ok(prepared.type === 'ready');
      await ws.put('sub/c.txt', 'theirs\n');
      const done = await prepared.execute(context);
      assert.deepEqual(done, {
        type: 'result',
        result: {
          status: 'error',
          text: 'It stopped in the middle. "sub/c.txt" was changed by something outside since you last read it. Read it again and make your change to what is there now. Done and standing: b.txt. Not done: sub/c.txt. Look at what is there before you go on.',
        },
      });
      assert.deepEqual([await ws.text('b.txt'), await ws.text('sub/c.txt')], ['one\n2\nthree\n', 'theirs\n']);
    });

    it('what can not be read says where and what is expected', async () => {
      const cases: readonly (readonly [string, RegExp])[] = [
        ['hello', /A patch begins with "\*\*\* Begin Patch" or is a unified diff/u],
        [
          '*** Begin Patch\n*** Update File: b.txt\n-two\n+2',
          /doesn't end with "\*\*\* End Patch": it may have been cut/u,
        ],
        ['*** Begin Patch\n*** End Patch', /The patch is empty/u],
        [
          '*** Begin Patch\n*** Update File:\n-a\n*** End Patch',
          /line 2 .*expected "\*\*\* Add File: path"/u,
        ],
        ['*** Begin Patch\n*** Add File: x\nx\n*** End Patch', /line 3 \("x"\): every line of a new file/u],
        [
          '*** Begin Patch\n*** Update File: b.txt\n one\n*** End Patch',
          /the hunk before it changes nothing/u,
        ],
        ['*** Begin Patch\n*** Update File: b.txt\n*** End Patch', /there is no change for b.txt/u],
        ['--- a/b.txt\n+++ b/b.txt\n@@\n-two\n+2\n', /line 3 \("@@"\): a hunk begins with "@@ -line/u],
        ['--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+2\nrest\n', /line 6 \("rest"\)/u],
        ['--- a/b.txt\n@@ -1 +1 @@\n-two\n+2\n', /can't be read: Missing "\+\+\+/u],
        ['diff --git a/b b/b\nBinary files a/b and b/b differ\n', /binary; only text/u],
        ['diff --git a/b.txt b/b.txt\nold mode 100644\nnew mode 100755\n', /sets the mode of b.txt/u],
        ['--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-two\n', /deletes a file with other content/u],
        ['\ud800', /surrogate/u],
      ];
      const before = await everything();
      for (const [text, why] of cases) {
        const answer = await patch(text);
        assert.match(answer, /^error: /u, text);
        assert.match(answer, why, text);
        assert.match(answer, /Nothing was written\.$/u, text);
      }
      assert.deepEqual(await everything(), before);
      assert.match(await patch('x'.repeat(2_000_001)), /2.0 MB; at most 2 MB/u);
    });

    it('F9 keeps CRLF, the byte order mark and a missing final line break', async () => {
      await ws.put('b.txt', '\ufeffone\r\ntwo\r\nthree');
      await host.call(read, { path: 'b.txt' });
      assert.match(await begin('*** Update File: b.txt', ' one', '-two', '+2', '+2b'), /^ok/u);
      assert.equal(await ws.text('b.txt'), '\ufeffone\r\n2\r\n2b\r\nthree');
    });
  });

  describe('whatever a model writes', () => {
    const line = fc.constantFrom('a', 'b', 'c', '  a', '', '-x', '+x', '--- a/q', '+++ b/q', '@@ -1 +1 @@');
    const content = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
      .map(([lines, ends]) => (lines.length === 0 ? '' : lines.join('\n') + (ends ? '\n' : '')));

    it('a diff that the library makes gives the text that it was made for, or is refused as unclear', () => {
      let applied = 0;
      fc.assert(
        fc.property(content, content, fc.nat({ max: 4 }), (before, after, context) => {
          fc.pre(before !== after && before !== '' && after !== '');
          const text = createTwoFilesPatch('a/p', 'b/p', before, after, undefined, undefined, { context });
          const files = parsePatchText(text);
          if (!files.ok) return;
          const [file] = files.value;
          if (file?.type !== 'update' || files.value.length > 1) return;
          const result = patched(before, file.hunks, file.finalBreak);
          if (result.type === 'problem') {
            assert.match(result.text, /several places|doesn't say where|doesn't fit/u);
            return;
          }
          applied++;
          assert.equal(result.text, after, text);
        }),
        { numRuns: 2000 },
      );
      assert.ok(applied > 500, `${applied} applied`);
    });

    it('whatever is refused has written nothing; what is done has said so', async () => {
      const piece = fc.constantFrom(
        '*** Begin Patch',
        '*** End Patch',
        '*** Update File: b.txt',
        '*** Add File: n.txt',
        '*** Delete File: sub/c.txt',
        '*** Move to: m.txt',
        '@@',
        '@@ one',
        ' one',
        '-two',
        '+2',
        ' three',
        '',
        'junk',
        '--- a/b.txt',
        '+++ b/b.txt',
        '@@ -1,3 +1,3 @@',
        '*** End of File',
      );
      const framed = fc
        .tuple(fc.array(piece, { maxLength: 10 }), fc.boolean())
        .map(([lines, isFramed]) =>
          (isFramed ? ['*** Begin Patch', ...lines, '*** End Patch'] : lines).join('\n'),
        );
      let done = 0;
      await fc.assert(
        fc.asyncProperty(framed, async (text) => {
          const fresh = await tempWorkspace({ 'b.txt': 'one\ntwo\nthree\n', 'sub/c.txt': 'c\n' });
          try {
            const freshHost = new ToolHost(fresh);
            for (const path of ['b.txt', 'sub/c.txt']) await freshHost.call(read, { path });
            const result = await freshHost.call(applyPatch, { patch: text === '' ? ' ' : text });
            const changed = freshHost.written.length > 0;
            assert.equal(result.status === 'ok', changed, `${text}\n${result.text}`);
            if (changed) done++;
          } finally {
            await fresh.dispose();
          }
        }),
        // That one is good is chance; this one always is.
        {
          numRuns: 400,
          examples: [['*** Begin Patch\n*** Update File: b.txt\n@@\n one\n-two\n*** End Patch']],
        },
      );
      assert.ok(done > 0, 'none was ever done');
    });
  });
});
