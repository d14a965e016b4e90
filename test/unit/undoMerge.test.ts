import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { SessionRuntime } from '../../src/runtime/sessionRuntime';
import { type Content, contentOf, planTakeOut, type TakeOut } from '../../src/runtime/undoPlan';
import { blobIdOf } from '../../src/store/blobs';
import { withoutChange } from '../../src/workspace/ledger';
import { hunksOf, withoutHunk } from '../../src/workspace/ledgerHunks';
import type { WorkspacePort } from '../../src/workspace/port';
import { ledger } from '../support/undoRig';

const bytes = (text: string) => Buffer.from(text, 'utf8');
const textOf = (content: Uint8Array | null) =>
  content === null ? null : Buffer.from(content).toString('utf8');
const join = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** Texts with few different lines, so that lines repeat and a merge may go wrong. */
const someLines = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), { maxLength: 12 });
/** Some lines replaced, removed or put in; what is put in can be told from everything else. */
const edits = (who: string) =>
  fc.array(
    fc
      .record({ at: fc.nat(12), remove: fc.nat(2), insert: fc.nat(2), n: fc.nat(1000) })
      .map((edit) => ({ ...edit, who })),
    { maxLength: 3 },
  );
type Edit = {
  readonly at: number;
  readonly remove: number;
  readonly insert: number;
  readonly n: number;
  readonly who: string;
};

function apply(lines: readonly string[], changes: readonly Edit[]): string[] {
  const result = [...lines];
  for (const { at, remove, insert, n, who } of changes)
    result.splice(at, remove, ...Array.from({ length: insert }, (_, i) => `${who} ${n} ${i}`));
  return result;
}

/** Files in memory, as the planner sees them. */
class Files {
  readonly files = new Map<string, Uint8Array>();
  readonly blobs = new Map<string, Uint8Array>();
  readonly parts = {
    ledger,
    workspace: {
      place: async (path: string) => ({ ok: true, value: { shown: path, real: path, folder: '' } }),
      peek: async ({ real }: { real: string }) => {
        const found = this.files.get(real);
        const value =
          found === undefined ? null : { bytes: found, hash: contentOf(found, null).hash, mode: 0o644 };
        return { ok: true, value };
      },
    } as unknown as WorkspacePort,
  };
  readonly runtime = {
    store: {
      keepBytes: (content: Uint8Array) => {
        this.blobs.set(blobIdOf(content), content);
        return { blob: blobIdOf(content), bytes: content.length };
      },
    },
  } as unknown as SessionRuntime;

  /** Takes changes out, newest first; answers the changes that this was, to be taken out again, or null: refused. */
  async takeOut(changes: readonly TakeOut[]): Promise<readonly TakeOut[] | null> {
    const plan = await planTakeOut(this.parts, this.runtime, changes);
    if (!plan.ok) return null;
    return plan.value.map((write) => {
      const side = (blob: string | null, hash: string | null, mode: number | null): Content => ({
        bytes: blob === null ? null : (this.blobs.get(blob) ?? null),
        hash,
        mode,
      });
      const before = side(write.before, write.beforeHash, write.mode?.before ?? null);
      const after = side(write.after, write.afterHash, write.mode?.after ?? null);
      if (after.bytes === null) this.files.delete(write.path);
      else this.files.set(write.path, after.bytes);
      return { path: write.path, from: null, before, after, isKnown: true };
    });
  }
}

const change = (path: string, before: string | null, after: string | null): TakeOut => ({
  path,
  from: null,
  before: contentOf(before === null ? null : bytes(before), null),
  after: contentOf(after === null ? null : bytes(after), null),
  isKnown: true,
});

describe('undo by three-way merge, over random texts', () => {
  it('loses no later edit: what somebody put in is there, what somebody took out is not, or it is refused', () => {
    let merged = 0;
    fc.assert(
      fc.property(someLines, edits('agent'), edits('person'), (base, agent, person) => {
        const after = apply(base, agent);
        const now = apply(after, person);
        const result = withoutChange(bytes(join(base)), bytes(join(after)), bytes(join(now)));
        if (!result.ok) return;
        merged++;
        const left = (textOf(result.value) ?? '').split('\n');
        const added = now.filter((line) => line.startsWith('person'));
        for (const line of added) assert.ok(left.includes(line), `${line} of the person is there`);
        // The agent's lines that the person took out don't come back, and those that are left are not there any more.
        const taken = after.filter((line) => line.startsWith('agent'));
        for (const line of taken) assert.ok(!left.includes(line), `${line} of the agent is gone`);
      }),
      { numRuns: 1500 },
    );
    assert.ok(merged > 200, `${merged} of them could be merged`);
  });

  it('edits far from each other always merge, and the result is as if the change had never been', () => {
    const gap = ['-- 1', '-- 2', '-- 3', '-- 4'];
    const block = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });
    fc.assert(
      fc.property(block, edits('agent'), block, edits('person'), (first, agent, second, person) => {
        const text = (a: readonly string[], b: readonly string[]) => join([...a, ...gap, ...b]);
        const [own, other] = [apply(first, agent), apply(second, person)];
        const result = withoutChange(
          bytes(text(first, second)),
          bytes(text(own, second)),
          bytes(text(own, other)),
        );
        assert.ok(result.ok);
        assert.equal(textOf(result.value), text(first, other));
      }),
      { numRuns: 500 },
    );
  });

  it('an undo that is undone is as if nothing had been, for several files made, changed, removed and renamed', async () => {
    const content = fc.option(someLines.map(join), { nil: null });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(content, content, content), { minLength: 1, maxLength: 4 }),
        async (steps) => {
          const files = new Files();
          const changes = steps.flatMap(([first, second, third], index) => [
            change(`${index}`, first, second),
            change(`${index}`, second, third),
          ]);
          for (const [index, [, , third]] of steps.entries())
            if (third !== null) files.files.set(`${index}`, bytes(third));
          const before = new Map(files.files);
          const undone = await files.takeOut(changes.toReversed());
          assert.ok(undone);
          for (const [index, [first]] of steps.entries())
            assert.equal(textOf(files.files.get(`${index}`) ?? null), first);
          const redone = await files.takeOut(undone.toReversed());
          assert.ok(redone);
          assert.deepEqual([...files.files].sort(), [...before].sort());
          assert.ok(await files.takeOut(redone.toReversed()));
          for (const [index, [first]] of steps.entries())
            assert.equal(textOf(files.files.get(`${index}`) ?? null), first);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('an undo and its undo keep what somebody wrote far away in between', async () => {
    await fc.assert(
      fc.asyncProperty(someLines, edits('agent'), edits('person'), async (base, agent, person) => {
        const files = new Files();
        const gap = ['-- 1', '-- 2', '-- 3', '-- 4'];
        const text = (a: readonly string[], b: readonly string[]) => join([...a, ...gap, ...b]);
        const own = apply(base, agent);
        const tail = ['x', 'y', 'z'];
        files.files.set('f', bytes(text(own, tail)));
        const undone = await files.takeOut([change('f', text(base, tail), text(own, tail))]);
        assert.ok(undone);
        const later = apply(tail, person);
        files.files.set('f', bytes(text(base, later)));
        assert.ok(await files.takeOut(undone.toReversed()));
        assert.equal(textOf(files.files.get('f') ?? null), text(own, later));
      }),
      { numRuns: 200 },
    );
  });
});

describe('hunks', () => {
  it('are the whole change: without each of them in turn, in any order, it is what it was before', () => {
    fc.assert(
      fc.property(
        someLines,
        someLines,
        someLines,
        edits('agent'),
        edits('agent'),
        fc.nat(),
        (a, b, c, one, two, pick) => {
          const gap = Array.from({ length: 8 }, (_, i) => `-- ${i}`);
          const before = join([...a, ...gap, ...b, ...gap, ...c]);
          const after = join([...apply(a, one), ...gap, ...b, ...gap, ...apply(c, two)]);
          const hunks = hunksOf(bytes(before), bytes(after));
          assert.ok(hunks);
          assert.equal(new Set(hunks.map((hunk) => hunk.id)).size, hunks.length);
          let now: Uint8Array | null = bytes(after);
          const left = [...hunks];
          for (let turn = pick; left.length > 0; turn += 7) {
            const [hunk] = left.splice(turn % left.length, 1);
            assert.ok(hunk);
            const wanted = withoutHunk(bytes(before), bytes(after), hunk.id);
            const merged = withoutChange(wanted, bytes(after), now);
            assert.ok(merged.ok, 'hunks do not overlap');
            now = merged.value;
          }
          assert.equal(textOf(now), before);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('say where they stand, as diffs count, and hold the lines around', () => {
    const text = (...words: readonly string[]) => bytes(join(words));
    const [hunk, ...more] =
      hunksOf(text('1', '2', '3', '4', '5', '6'), text('1', '2', '3', '4', 'five', '6')) ?? [];
    assert.deepEqual(more, []);
    assert.deepEqual(
      [hunk?.oldStart, hunk?.newStart, hunk?.lines.map(({ mark, text: line }) => mark + line.trim())],
      [2, 2, [' 2', ' 3', ' 4', '-5', '+five', ' 6']],
    );
    const [made] = hunksOf(null, text('a')) ?? [];
    assert.deepEqual([made?.oldStart, made?.newStart], [0, 1]);
    const [gone] = hunksOf(text('a'), null) ?? [];
    assert.deepEqual([gone?.oldStart, gone?.newStart], [1, 0]);
    assert.deepEqual(hunksOf(text('a'), text('a')), []);
    assert.equal(hunksOf(new Uint8Array([0]), text('a')), null);
    assert.equal(withoutHunk(text('a'), text('b'), 'no such hunk'), null);
  });
});
