import assert from 'node:assert/strict';
import { english } from '../../src/shared/english';
import { clockTime, elapsed, money, shortCount, size } from '../../src/shared/project/words';
import { currentStrings, say, sayCount, useStrings } from '../../src/shared/texts';

describe('words and numbers', () => {
  it('counts, money, times and sizes are short', () => {
    assert.deepEqual([0, 999, 1000, 1940, 9949, 12_400, 999_400, 2_000_000, 123e6].map(shortCount), [
      '0',
      '999',
      '1k',
      '1.9k',
      '9.9k',
      '12k',
      '999k',
      '2.0M',
      '123M',
    ]);
    assert.deepEqual([0, 42, 4200, 420_000, 5_000_000].map(money), [
      '$0.00',
      '<$0.0001',
      '$0.0042',
      '$0.42',
      '$5.00',
    ]);
    assert.deepEqual([-5, 41_000, 725_000, 3_723_000].map(elapsed), ['0:00', '0:41', '12:05', '1:02:03']);
    assert.deepEqual([12, 1240, 12_400, 3_000_000].map(size), ['12 B', '1.2 KB', '12 KB', '3 MB']);
  });

  it('a time of another day says which', () => {
    const at = new Date(2026, 10, 30, 9, 5).getTime();
    assert.equal(clockTime(at, at + 1000), '09:05');
    assert.equal(clockTime(at, at + 86_400_000), '2026-11-30 09:05');
  });

  it('placeholders are filled by name, once, and never read again', () => {
    assert.equal(say('row.stoppedBy', { who: '{who} $& {n}' }), 'stopped by {who} $& {n}');
    assert.deepEqual([sayCount('files', 1), sayCount('files', 3)], ['1 file', '3 files']);
  });

  it('a translation replaces what it has; the rest stays English', () => {
    try {
      useStrings({ 'tab.room': 'Raum', 'tab.tree': '', __proto__: 'x' });
      assert.deepEqual([say('tab.room'), say('tab.tree')], ['Raum', 'Tree']);
      assert.equal(currentStrings()['tab.changes'], 'Changes');
    } finally {
      useStrings({});
    }
    assert.equal(say('tab.room'), 'Room');
  });

  it('both forms of a count have the number, and no text is empty', () => {
    for (const [key, words] of Object.entries(english)) {
      assert.notEqual(words.trim(), '', key);
      if (!key.endsWith('.one')) continue;
      const many = english[key.replace(/one$/, 'many') as keyof typeof english];
      assert.ok(words.includes('{n}') && many.includes('{n}'), key);
    }
  });
});
