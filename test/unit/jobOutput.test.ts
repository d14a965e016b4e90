import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JobOutput, partFrom } from '../../src/runtime/jobOutput';

describe('the output of a command in the background', () => {
  it('keeps its end within the bound, whatever comes in; offsets count from the beginning', () => {
    const chunks = fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 40 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 50 }), (came, most) => {
        const output = new JobOutput(most);
        for (const chunk of came) output.add(chunk);
        const all = came.join('');
        const kept = output.whole();
        assert.equal(output.total, all.length);
        assert.equal(kept.text, all.slice(-most).toWellFormed());
        assert.equal(kept.from, Math.max(0, all.length - most));
      }),
    );
  });

  it('is read in parts that join to what is kept, from any offset', () => {
    const offsets = fc.integer({ min: 0, max: 120 });
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), offsets, offsets, (text, from, since) => {
        const kept = { text, from };
        let read = '';
        let at = since;
        for (;;) {
          const part = partFrom(kept, at, 7);
          assert.ok(part.text.length <= 7);
          read += part.text;
          at = part.from + part.text.length;
          if (part.text === '') break;
        }
        assert.equal(read, text.slice(Math.max(0, Math.min(text.length, since - from))));
      }),
    );
  });

  it('holds memory down: what was dropped is not kept in a chunk', () => {
    const output = new JobOutput(10);
    for (let i = 0; i < 1000; i++) output.add('0123456789abcdef');
    assert.equal(output.total, 16_000);
    assert.deepEqual(output.whole(), { text: '6789abcdef', from: 15_990 });
  });
});
