import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { compare, type Pair, type Seen } from '../../src/workspace/attribution/compare';

const seen = (ino: number, hash: string | null, more: Partial<Seen> = {}): Seen => ({
  ino,
  size: hash?.length ?? 1,
  mtimeMs: 1000 + ino,
  mode: 0o644,
  hash,
  ...more,
});
const short = (pairs: readonly Pair[]) =>
  compare(pairs).map(({ kind, from, path }) =>
    from === null ? `${kind} ${path}` : `${kind} ${from} > ${path}`,
  );

describe('what a command did to each file, told from before and after', () => {
  it('tells a creation, a change, a deletion and a change of the mode alone', () => {
    assert.deepEqual(
      short([
        { path: 'new', before: null, after: seen(1, 'a') },
        { path: 'changed', before: seen(2, 'a'), after: seen(2, 'b', { mtimeMs: 9 }) },
        { path: 'gone', before: seen(3, 'x'), after: null },
        { path: 'mode', before: seen(4, 'm'), after: seen(4, 'm', { mode: 0o755 }) },
      ]),
      ['create new', 'modify changed', 'delete gone', 'modify mode'],
    );
  });

  it('leaves out a file that was only touched; with a content that nobody knows a new time is a change', () => {
    assert.deepEqual(short([{ path: 'a', before: seen(1, 'a'), after: seen(1, 'a', { mtimeMs: 9 }) }]), []);
    assert.deepEqual(short([{ path: 'a', before: seen(1, null), after: seen(1, null) }]), []);
    assert.deepEqual(short([{ path: 'a', before: seen(1, null), after: seen(1, null, { mtimeMs: 9 }) }]), [
      'modify a',
    ]);
  });

  it('tells a rename by the identity of the file, also when its content is not known, and when it was changed too', () => {
    const moved = (from: Seen, to: Seen) =>
      short([
        { path: 'a', before: from, after: null },
        { path: 'b', before: null, after: to },
      ]);
    assert.deepEqual(moved(seen(1, 'x'), seen(1, 'x')), ['rename a > b']);
    assert.deepEqual(moved(seen(1, null), seen(1, null)), ['rename a > b']);
    // A copy and a removal of the original.
    assert.deepEqual(moved(seen(1, 'x'), seen(2, 'x')), ['rename a > b']);
  });

  it('takes a new file with the number of a deleted one for a new file', () => {
    assert.deepEqual(
      short([
        { path: 'a', before: seen(1, 'x'), after: null },
        { path: 'b', before: null, after: seen(1, 'y', { mtimeMs: 9 }) },
      ]),
      ['delete a', 'create b'],
    );
  });

  it('does not guess which of several like files became which, nor about empty ones', () => {
    assert.deepEqual(
      short([
        { path: 'a', before: seen(1, 'x'), after: null },
        { path: 'b', before: seen(2, 'x'), after: null },
        { path: 'c', before: null, after: seen(3, 'x') },
      ]),
      ['delete a', 'delete b', 'create c'],
    );
    assert.deepEqual(
      short([
        { path: 'a', before: seen(1, ''), after: null },
        { path: 'b', before: null, after: seen(2, '') },
      ]),
      ['delete a', 'create b'],
    );
  });

  it('a file that was moved over another one is a deletion and a change: what it covered can be had back', () => {
    assert.deepEqual(
      short([
        { path: 'a', before: seen(1, 'x'), after: null },
        { path: 'b', before: seen(2, 'y'), after: seen(1, 'x') },
      ]),
      ['delete a', 'modify b'],
    );
  });

  it('whatever happened, what is told leads from the files before to the files after, each path named once', () => {
    const file = fc.record({
      ino: fc.integer({ min: 1, max: 5 }),
      size: fc.integer({ min: 0, max: 2 }),
      mtimeMs: fc.integer({ min: 1, max: 3 }),
      mode: fc.constantFrom(0o644, 0o755),
      hash: fc.constantFrom('x', 'y', 'z'),
    });
    const pairs = fc.uniqueArray(
      fc.record({
        path: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        before: fc.option(file),
        after: fc.option(file),
      }),
      { selector: (pair) => pair.path },
    );
    fc.assert(
      fc.property(pairs, (given) => {
        const told = compare(given);
        const named = told.flatMap(({ path, from }) => (from === null ? [path] : [path, from]));
        assert.equal(new Set(named).size, named.length, 'each path once');
        const files = new Map<string, Seen>(
          given.flatMap(({ path, before }) => (before === null ? [] : [[path, before] as const])),
        );
        for (const { path, from, kind, before, after } of told) {
          if (from !== null) {
            assert.equal(kind, 'rename');
            assert.equal(files.get(from), before, 'what the file was that is told as renamed');
            files.delete(from);
          } else assert.equal(files.get(path) ?? null, before);
          if (after === null) files.delete(path);
          else files.set(path, after);
        }
        const facts = (seen: Seen | null | undefined) => (seen == null ? null : [seen.hash, seen.mode]);
        for (const { path, after } of given) assert.deepEqual(facts(files.get(path)), facts(after), path);
      }),
    );
  });
});
