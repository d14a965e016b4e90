import assert from 'node:assert/strict';
import fc from 'fast-check';
import { chooseCuts, chooseKept, firstUnseen, LEAST_CHARS, type PartShape } from '../../src/agent/choice';
import type { CallId } from '../../src/shared/ids';

/** Parts as contexts have them: words at the beginning at most, then inputs and steps with results. */
const contexts = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('input' as const), own: fc.nat(500), results: fc.constant([]) }),
        fc.record({
          kind: fc.constant('step' as const),
          own: fc.nat(500),
          results: fc.array(fc.nat(20_000), { maxLength: 4 }),
        }),
      ),
      { maxLength: 40 },
    ),
  )
  .map(([hasWords, rest]): readonly PartShape[] => {
    let next = 0;
    const parts = rest.map(({ kind, own, results }): PartShape => {
      const shaped = results.map((chars) => ({
        callId: `c${next++}` as CallId,
        tokens: Math.ceil(chars / 4) + 4,
        chars,
      }));
      const tokens = own + 4 + shaped.reduce((sum, result) => sum + result.tokens, 0);
      return { kind, tokens, results: shaped };
    });
    return hasWords ? [{ kind: 'words', tokens: 800, results: [] }, ...parts] : parts;
  });
const rooms = fc.record({ keep: fc.nat(12_000), least: fc.integer({ min: 1, max: 3000 }) });

const NOTE = 120;

const tokensOf = (parts: readonly PartShape[]) => parts.reduce((sum, part) => sum + part.tokens, 0);

describe('what of a context is kept', () => {
  it('what the model has not answered yet always stays; the newest whole steps that fit stay; words are never kept', () => {
    fc.assert(
      fc.property(contexts, rooms, (parts, room) => {
        const choice = chooseKept(parts, room);
        if (choice === null) return;
        assert.ok(choice.from <= firstUnseen(parts), 'nothing new to the model is left out');
        const kept = parts.slice(choice.from);
        if (choice.from > 0) {
          assert.ok(!kept.some((part) => part.kind === 'words'));
          const before = parts[choice.from - 1];
          const fits = before !== undefined && tokensOf([before, ...kept]) <= room.keep;
          assert.ok(!fits || before?.kind === 'words', 'one more would have fitted');
          if (choice.from < firstUnseen(parts)) assert.ok(tokensOf(kept) <= room.keep);
        }
      }),
    );
  });

  it('what is left out is worth a summary, or only results are cut: a choice always wins room', () => {
    fc.assert(
      fc.property(contexts, rooms, (parts, room) => {
        const choice = chooseKept(parts, room);
        if (choice === null) return;
        const out = parts.slice(0, choice.from).filter((part) => part.kind !== 'words');
        assert.ok(choice.from === 0 ? choice.cut.length > 0 : tokensOf(out) >= room.least);
      }),
    );
  });

  it('cuts shorten and keep a beginning, never touch a result twice, and are only made where there is no room', () => {
    fc.assert(
      fc.property(contexts, rooms, fc.nat(20_000), (parts, room, save) => {
        const lengths = new Map(
          parts.flatMap((part) => part.results.map((each) => [each.callId, each.chars])),
        );
        const kept = chooseKept(parts, room)?.cut ?? [];
        const older = chooseCuts(parts, save);
        for (const { callId, chars } of [...kept, ...older]) {
          assert.ok(chars >= LEAST_CHARS && chars < (lengths.get(callId) ?? 0));
        }
        assert.equal(
          new Set([...kept, ...older].map((each) => each.callId)).size,
          kept.length + older.length,
        );
        if (kept.length > 0) assert.ok(tokensOf(parts.slice(firstUnseen(parts))) > room.keep);
        if (save === 0) assert.deepEqual(older, []);
      }),
    );
  });

  it('cutting comes to an end: what was cut is not cut again', () => {
    fc.assert(
      fc.property(contexts, (parts) => {
        const cut = new Map(
          chooseCuts(parts, Number.MAX_SAFE_INTEGER).map((each) => [each.callId, each.chars]),
        );
        const after = parts.map((part) => ({
          ...part,
          results: part.results.map((each) => ({ ...each, chars: cut.get(each.callId) ?? each.chars })),
        }));
        assert.deepEqual(chooseCuts(after, Number.MAX_SAFE_INTEGER), []);
        // The newest, with a note in the place of what was cut.
        let now = parts;
        for (let rounds = 0; ; rounds++) {
          assert.ok(rounds < 200);
          const more = new Map(
            (chooseKept(now, { keep: 0, least: 1e9 })?.cut ?? []).map((each) => [each.callId, each.chars]),
          );
          if (more.size === 0) break;
          now = now.map((part) => ({
            ...part,
            results: part.results.map((each) => {
              const chars = more.get(each.callId);
              return chars === undefined ? each : { ...each, chars: chars + NOTE, tokens: chars / 4 + 30 };
            }),
          }));
        }
      }),
    );
  });
});
