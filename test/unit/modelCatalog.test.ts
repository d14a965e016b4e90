import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { estimateTokens } from '../../src/base/tokens';
import { endpointWarnings, keyOrigin, servesTwo, slotsOf } from '../../src/model/catalog';
import { costOf, estimateRequest } from '../../src/model/price';
import { readModelEntries, readModelEntry } from '../../src/model/schema';

describe('what a model can do', () => {
  it('L-19 serves two: parallel of at least 2, or neither parallel nor single_session set', () => {
    assert.equal(servesTwo({ parallel: null, singleSession: false }), true);
    assert.equal(servesTwo({ parallel: null, singleSession: true }), false);
    assert.equal(servesTwo({ parallel: 1, singleSession: false }), false);
    assert.equal(servesTwo({ parallel: 2, singleSession: false }), true);
    assert.equal(servesTwo({ parallel: 2, singleSession: true }), true);
  });

  it('L-101 slots: parallel; unset no bound; single_session one', () => {
    assert.equal(slotsOf({ parallel: null, singleSession: false }), null);
    assert.equal(slotsOf({ parallel: null, singleSession: true }), 1);
    assert.equal(slotsOf({ parallel: 3, singleSession: false }), 3);
    assert.equal(slotsOf({ parallel: 3, singleSession: true }), 3);
  });

  it('A28 a key is bound to the real origin, whatever the address pretends', () => {
    assert.equal(keyOrigin('https://api.example.com/v1'), 'https://api.example.com');
    assert.equal(keyOrigin('https://API.example.com:443/other'), 'https://api.example.com');
    assert.equal(keyOrigin('http://127.0.0.1:8080/v1'), 'http://127.0.0.1:8080');
    for (const bad of [
      'https://allowed.com@evil.com/v1',
      'https://user:pass@evil.com/',
      'https://evil.com\0.allowed.com/',
      'ftp://example.com/',
      'javascript:alert(1)',
      'api.example.com/v1',
      '',
    ]) {
      assert.equal(keyOrigin(bad), null, bad);
    }
    assert.notEqual(keyOrigin('https://allowed.com.evil.com/'), keyOrigin('https://allowed.com/'));
    assert.notEqual(keyOrigin('http://allowed.com/'), keyOrigin('https://allowed.com/'));
  });

  it('A27 plain http is warned of, unless it stays on this machine', () => {
    const warned = (url: string) => endpointWarnings(url).map((warning) => warning.host);
    assert.deepEqual(warned('http://gpu.local:8000/v1'), ['gpu.local:8000']);
    assert.deepEqual(warned('http://192.168.1.5/v1'), ['192.168.1.5']);
    assert.deepEqual(warned('http://localhost.evil.com/'), ['localhost.evil.com']);
    for (const local of [
      'https://api.example.com/',
      'http://localhost:1234/v1',
      'http://127.0.0.1/',
      'http://127.1/',
      'http://[::1]:9/',
    ]) {
      assert.deepEqual(warned(local), [], local);
    }
  });
});

describe('prices', () => {
  const price = { input: 3, cachedInput: 0.3, output: 15 };

  it('are counted in millionths of a dollar, cached input at its own price', () => {
    const usage = { inputTokens: 1000, cachedTokens: 400, outputTokens: 100, estimated: false };
    assert.equal(costOf(usage, price), 600 * 3 + 400 * 0.3 + 100 * 15);
  });

  it('100 tokens at 0.07 are 7, though 100 * 0.07 is a little more', () => {
    const usage = { inputTokens: 100, cachedTokens: 0, outputTokens: 0, estimated: false };
    assert.equal(costOf(usage, { input: 0.07, cachedInput: 0, output: 0 }), 7);
    assert.equal(costOf({ ...usage, inputTokens: 101 }, { input: 0.07, cachedInput: 0, output: 0 }), 8);
  });

  it('nothing used costs 0', () => {
    const usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, estimated: false };
    assert.equal(costOf(usage, price), 0);
  });

  it('are whole numbers, rounded up, and never lost or made by rounding errors', () => {
    const tokens = fc.nat({ max: 10_000_000 });
    const cents = fc.nat({ max: 10_000 }).map((n) => n / 100);
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        cents,
        cents,
        cents,
        (inputTokens, cachedTokens, outputTokens, a, b, c) => {
          const usage = { inputTokens, cachedTokens, outputTokens, estimated: false };
          const cost = costOf(usage, { input: a, cachedInput: b, output: c });
          const cached = Math.min(inputTokens, cachedTokens);
          // Exact in hundredths.
          const exact =
            (inputTokens - cached) * Math.round(a * 100) +
            cached * Math.round(b * 100) +
            outputTokens * Math.round(c * 100);
          assert.equal(cost, Math.ceil(exact / 100));
        },
      ),
    );
  });

  it('tokens are estimated from characters, others than ASCII counting whole', () => {
    assert.equal(estimateTokens(''), 0);
    assert.equal(estimateTokens('abcde'), 2);
    assert.equal(estimateTokens('日本語'), 3);
    const request = {
      messages: [
        { role: 'user', text: 'abcd' },
        { role: 'assistant', text: '', calls: [{ wireId: 'c00000000', tool: 'read', args: '{}' }] },
      ],
      tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }],
    } as const;
    assert.equal(estimateRequest(request), 1 + 4 + (2 + 4) + (7 + 4));
    assert.equal(estimateRequest(request), 22, 'the same when it was counted before');
  });
});

describe('model entries of the settings', () => {
  const good = { id: 'm', baseUrl: 'https://api.example.com/v1', model: 'x' };

  it('get the defaults for what is left out', () => {
    assert.deepEqual(readModelEntry({ ...good, price: { input: 1, output: 2 } }), {
      ok: true,
      value: {
        ...good,
        provider: 'openai',
        label: 'm',
        parallel: null,
        singleSession: false,
        capacityGroup: null,
        contextWindow: 128_000,
        price: { input: 1, cachedInput: 1, output: 2 },
        parameters: {},
      },
    });
    const rehearsal = readModelEntry({ id: 'r', provider: 'rehearsal', model: 'rehearsal' });
    assert.equal(rehearsal.ok && rehearsal.value.baseUrl, '');
  });

  const bad: readonly [object, RegExp][] = [
    [{ ...good, parallel: 0 }, /^parallel: must be at least 1$/],
    [{ ...good, parallel: 1.5 }, /^parallel: must be a whole number$/],
    [{ ...good, model: '' }, /^model: must not be empty$/],
    [{ ...good, id: undefined }, /^id: /],
    [{ ...good, baseUrl: 'api.example.com' }, /^baseUrl: must be an http or https address/],
    [{ ...good, baseUrl: 'https://a@b.com' }, /^baseUrl: .*without a user name/],
    [{ ...good, baseUrl: 'https://b.com/?key=1' }, /^baseUrl: must not have a query/],
    [{ ...good, price: { input: -1, output: 1 } }, /^price\.input: must not be negative$/],
    [{ ...good, parameters: { messages: 'x' } }, /^parameters: must not set messages$/],
    [{ ...good, paralel: 2 }, /^paralel: there is no such field$/],
    [{ ...good, contextWindow: 10 }, /^contextWindow: must be at least 1000 tokens$/],
  ];
  for (const [value, says] of bad) {
    it(`refuse ${JSON.stringify(value)}, naming the field`, () => {
      const read = readModelEntry(value);
      assert.equal(read.ok, false);
      assert.deepEqual(
        (read.ok ? [] : read.error).map((sentence) => says.test(sentence) || sentence),
        [true],
      );
    });
  }

  it('one bad entry does not take the good ones away', () => {
    const read = readModelEntries([
      good,
      { ...good, model: 'y' },
      { ...good, id: 'n', parallel: 0 },
      { ...good, id: 'k' },
    ]);
    assert.deepEqual(
      read.entries.map((entry) => [entry.id, entry.model]),
      [
        ['m', 'x'],
        ['k', 'x'],
      ],
    );
    assert.deepEqual(read.problems, [
      'models[1].id: m is there twice',
      'models[2].parallel: must be at least 1',
    ]);
    assert.deepEqual(readModelEntries('x').problems, ['models: must be a list']);
  });
});
