import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { countLines, withoutChange } from '../../src/workspace/ledger';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');
/** The text that is left without the change, or the refusal. */
function without(before: string | null, after: string | null, current: string | null): string | null {
  const of = (text: string | null) => (text === null ? null : bytes(text));
  const result = withoutChange(of(before), of(after), of(current));
  if (!result.ok) return `refused: ${result.error}`;
  return result.value === null ? null : Buffer.from(result.value).toString('utf8');
}

describe('line counts of a change', () => {
  it('counts added and removed lines, of new, removed and changed files', () => {
    const counts = (before: string | null, after: string | null) =>
      countLines(before === null ? null : bytes(before), after === null ? null : bytes(after));
    assert.deepEqual(counts(null, 'a\nb\n'), { added: 2, removed: 0 });
    assert.deepEqual(counts('a\nb\n', null), { added: 0, removed: 2 });
    assert.deepEqual(counts('a\nb\nc\n', 'a\nx\ny\nc\n'), { added: 2, removed: 1 });
    assert.deepEqual(counts('a\n', 'a\n'), { added: 0, removed: 0 });
    assert.deepEqual(counts('a\n', 'a'), { added: 1, removed: 1 });
    assert.deepEqual(counts('a\n', 'a\r\n'), { added: 1, removed: 1 });
    assert.deepEqual(countLines(bytes('a'), new Uint8Array([0, 1])), { added: 0, removed: 0 });
  });

  it('B19 a total rewrite of 5,000 lines ends in time, with an upper bound', function () {
    this.timeout(10_000);
    const [before, after] = ['a', 'b'].map((letter) =>
      bytes(Array.from({ length: 5000 }, (_, i) => `${letter} ${i * 7919}\n`).join('')),
    );
    const began = performance.now();
    const counts = countLines(before ?? null, after ?? null);
    assert.ok(performance.now() - began < 1000);
    assert.deepEqual([counts.added, counts.removed], [5000, 5000]);
  });
});

describe('a file without one earlier change', () => {
  it('is what it was before, to the byte, if nothing came since', () => {
    assert.equal(without('a\r\nb', 'x\n', 'x\n'), 'a\r\nb');
    assert.equal(without(null, 'x\n', 'x\n'), null);
    assert.equal(without('x\n', null, null), 'x\n');
    const binary = new Uint8Array([0, 255, 1]);
    assert.deepEqual(withoutChange(binary, bytes('x'), bytes('x')), { ok: true, value: binary });
  });

  it('keeps what others did elsewhere in the file', () => {
    const before = '1\n2\n3\n4\n5\n6\n';
    const after = '1\nTWO\n3\n4\n5\n6\n';
    assert.equal(without(before, after, '1\nTWO\n3\n4\nFIVE\n6\n7\n'), '1\n2\n3\n4\nFIVE\n6\n7\n');
    assert.equal(without(before, after, before), before);
  });

  it('refuses where others changed the same lines, and files made or removed and changed since', () => {
    assert.equal(without('1\n2\n3\n', '1\nTWO\n3\n', '1\nZWEI\n3\n'), 'refused: conflict');
    assert.equal(without('1\n2\n3\n', '1\nTWO\n3\n', '1\nTWO\nTHREE\n'), 'refused: conflict');
    assert.equal(without(null, 'x\n', 'x\ny\n'), 'refused: conflict');
    assert.equal(without('x\n', null, 'new\n'), 'refused: conflict');
    assert.equal(without('a\n', 'b\n', null), 'refused: conflict');
    const binary = new Uint8Array([0, 1]);
    assert.deepEqual(withoutChange(bytes('a'), bytes('b'), binary), { ok: false, error: 'binary' });
  });

  it('F9 line ends: CRLF against LF is no conflict, and the present ones stay; mixed ones are lines of their own', () => {
    assert.equal(
      without('1\n2\n3\n4\n', '1\nTWO\n3\n4\n', '1\r\nTWO\r\n3\r\n4\r\n5\r\n'),
      '1\r\n2\r\n3\r\n4\r\n5\r\n',
    );
    assert.equal(without('1\r\n2\r\n3\r\n', '1\r\nTWO\r\n3\r\n', '0\n1\nTWO\n3\n'), '0\n1\n2\n3\n');
    const mixed = '1\r\nTWO\n3\n4\r\n';
    assert.equal(without('1\r\n2\n3\n4\r\n', mixed, `${mixed}5\n`), '1\r\n2\n3\n4\r\n5\n');
  });

  it('a change and its undo are nothing, whatever others append after it', () => {
    const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, lines, (before, after, tail) => {
        const [b, a, t] = [before, after, tail].map((each) => each.join(''));
        const separator = '----\n====\n++++\n';
        const current = `${a}${separator}${t}`;
        const result = without(`${b}${separator}`, `${a}${separator}`, current);
        assert.ok(result === `${b}${separator}${t}`, `${JSON.stringify([b, a, t])} ${result}`);
      }),
      { numRuns: 300 },
    );
  });

  it('B19 merging a 5,000-line rewrite ends in time', function () {
    this.timeout(10_000);
    const text = (letter: string) => Array.from({ length: 5000 }, (_, i) => `${letter} ${i}\n`).join('');
    const began = performance.now();
    const result = without(text('a'), text('b'), `first\n${text('b')}`);
    assert.ok(performance.now() - began < 1000);
    assert.ok(result === `first\n${text('a')}` || result?.startsWith('refused'));
  });
});
