import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { ListOp, Row } from '../../src/shared/protocol';
import { partsOf, tamed } from '../../webview/hidden';
import { offsetOf, RowCache, windowOf } from '../../webview/rowCache';

const row = (key: string, at = 0): Row => ({
  type: 'halted',
  retry: null,
  key,
  run: 'r0' as never,
  agent: { id: 'a0' as never, name: 'lead', dot: 0 },
  at,
});

describe('rows that a view has loaded', () => {
  it('are those of the host, by position, whatever is inserted, removed or paged in', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat()), { maxLength: 80 }), fc.nat(500), (acts, start) => {
        const host = Array.from({ length: start }, (_, i) => row(`k${i}`));
        const cache = new RowCache();
        cache.reset(host.length);
        let fresh = 0;
        for (const [what, n] of acts) {
          const index = host.length === 0 ? 0 : n % host.length;
          if (what === 0) {
            const added = row(`n${fresh++}`);
            host.splice(index, 0, added);
            cache.apply({ op: 'insert', list: 'room', index, row: added });
          } else if (what === 1 && host.length > 0) {
            const [gone] = host.splice(index, 1);
            cache.apply({ op: 'remove', list: 'room', index, key: gone?.key ?? '' });
          } else if (what === 2 && host.length > 0) {
            host[index] = row(host[index]?.key ?? '', n);
            cache.apply({ op: 'set', list: 'room', row: host[index] as Row } satisfies ListOp);
          } else {
            for (const from of cache.missing(index, Math.min(host.length, index + 20)))
              cache.put({ list: 'room', from, total: host.length, rows: host.slice(from, from + 200) });
          }
        }
        assert.equal(cache.total, host.length);
        host.forEach((expected, i) => {
          const got = cache.at(i);
          if (got !== undefined) assert.deepEqual(got, expected);
        });
        cache.missing(0, host.length).forEach((from) => {
          cache.put({ list: 'room', from, total: host.length, rows: host.slice(from, from + 200) });
        });
        assert.deepEqual(
          host.map((_, i) => cache.at(i)),
          host,
        );
      }),
    );
  });

  it('each missing page is asked for once', () => {
    const cache = new RowCache();
    cache.reset(1000);
    assert.deepEqual(cache.missing(150, 450), [0, 200, 400]);
    assert.deepEqual(cache.missing(0, 600), []);
    assert.deepEqual(cache.missing(590, 610), [600]);
  });

  it('those drawn cover what is in sight, and the space above and below is that of the others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { maxLength: 200 }),
        fc.nat(60_000),
        fc.integer({ min: 1, max: 2000 }),
        (heights, top, sight) => {
          const total = offsetOf(heights, heights.length);
          const drawn = windowOf(heights, top, sight, 600);
          const inside = offsetOf(heights, drawn.to) - offsetOf(heights, drawn.from);
          assert.equal(drawn.above, offsetOf(heights, drawn.from));
          assert.equal(drawn.above + inside + drawn.below, total);
          if (top >= total) return;
          assert.ok(drawn.above <= top || drawn.from === 0);
          assert.ok(drawn.above + inside >= Math.min(total, top + sight));
          // One more at the upper and the lower edge than the pixels ask for.
          const inner = offsetOf(heights, drawn.to - 1) - offsetOf(heights, drawn.from + 1);
          assert.ok(inner <= sight + 1200, `${inner} px`);
        },
      ),
    );
  });
});

describe('A25 characters that are not seen', () => {
  it('are named where something is decided; what is seen stays as it is', () => {
    const shown = (text: string) =>
      partsOf(text)
        .map((part) => (part.type === 'hidden' ? `⟨${part.text}⟩` : part.text))
        .join('');
    assert.equal(shown('npm test\n\tok'), 'npm test\n\tok');
    assert.equal(shown('Grüße, 日本語, Привет, 👍'), 'Grüße, 日本語, Привет, 👍');
    assert.equal(shown('a\u202Eb\u200Bc\u0000d\uFEFF'), 'a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩d⟨U+FEFF⟩');
    assert.equal(shown('\u{E0041}\u{E0100}\u2066'), '⟨U+E0041⟩⟨U+E0100⟩⟨U+2066⟩');
    assert.equal(shown('\u001b[31mred\r'), '⟨U+001B⟩[31mred⟨U+000D⟩');
    assert.deepEqual(partsOf(''), []);
  });

  it('in prose only those that turn it or hide words: joiners belong to scripts and emoji', () => {
    assert.equal(tamed('👩\u200D💻 می\u200Cخواهم'), '👩\u200D💻 می\u200Cخواهم');
    assert.equal(tamed('a\u202Eb\u{E0041}'), 'a⟨U+202E⟩b⟨U+E0041⟩');
  });

  it('nothing is lost: the parts are the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const back = partsOf(text)
          .map((part) =>
            part.type === 'hidden'
              ? String.fromCodePoint(Number.parseInt(part.text.slice(2), 16))
              : part.text,
          )
          .join('');
        assert.equal(back, text);
      }),
    );
  });
});
