import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Assembler } from '../../src/model/openai/assembler';
import { BodyReader } from '../../src/model/openai/bodyReader';
import type { ModelEnd, ModelEvent } from '../../src/model/port';
import { wireIds } from '../../src/model/wireIds';
import { answerFixtures } from '../support/scriptedModel/answerFixtures';
import { callFixtures } from '../support/scriptedModel/callFixtures';
import { calls, DONE, delta, type Fixture, finish, fn, TOOLS } from '../support/scriptedModel/fixture';

interface Read {
  readonly end: ModelEnd;
  readonly shown: string;
  readonly thought: string;
  readonly announced: number;
}

function read(fixture: Fixture, cuts: readonly number[]): Read {
  const bytes = Buffer.from(fixture.body);
  const nextWireId = wireIds([]);
  const assembler = new Assembler({ tools: TOOLS, inputTokens: 100, nextWireId });
  const reader = new BodyReader(assembler, 'example.com');
  const events: ModelEvent[] = [];
  const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (const [i, from] of edges.entries()) {
    const to = edges[i + 1];
    if (to !== undefined) events.push(...reader.push(bytes.subarray(from, to)).events);
  }
  if (fixture.reset === true) assembler.fail({ kind: 'incomplete', message: 'reset', retryable: true });
  else events.push(...reader.close());
  return {
    end: assembler.end(),
    shown: events.map((event) => (event.type === 'text' ? event.text : '')).join(''),
    thought: events.map((event) => (event.type === 'reasoning' ? event.text : '')).join(''),
    announced: events.filter((event) => event.type === 'call_started').length,
  };
}

function check(fixture: Fixture, { end, shown, thought, announced }: Read): void {
  const { expect } = fixture;
  assert.equal(end.reason, expect.reason);
  assert.equal(end.text, shown, 'what was shown is what the end holds');
  if (expect.text !== undefined) assert.equal(end.text, expect.text);
  if (expect.usage !== undefined) {
    const { inputTokens, cachedTokens, outputTokens, estimated } = end.usage;
    assert.deepEqual([inputTokens, cachedTokens, outputTokens], expect.usage);
    assert.equal(estimated, false);
  }
  if (end.reason === 'error') {
    assert.equal(end.fault.kind, expect.fault?.kind);
    assert.equal(end.fault.retryable, expect.fault?.retryable);
    assert.match(end.fault.message, expect.fault?.says ?? /./);
  } else if (end.reason !== 'aborted') {
    assert.equal(end.reasoning, expect.reasoning ?? '');
    assert.equal(thought, end.reasoning);
    assert.deepEqual(
      end.calls.map((call) => [call.tool, call.args]),
      expect.calls ?? [],
    );
    assert.equal(announced, end.calls.length);
    const ids = end.calls.map((call) => call.wireId);
    assert.equal(new Set(ids).size, ids.length, 'wire ids are unique');
    for (const id of ids) assert.match(id, /^[a-z0-9]{9}$/);
  }
}

describe('what model servers send, byte for byte', () => {
  for (const fixture of [...callFixtures, ...answerFixtures]) {
    it(fixture.title, () => {
      check(fixture, read(fixture, []));
      const bytes = Buffer.byteLength(fixture.body);
      // Every single byte on its own, then any split whatever.
      check(
        fixture,
        read(
          fixture,
          Array.from({ length: bytes }, (_, i) => i),
        ),
      );
      fc.assert(
        fc.property(fc.array(fc.nat({ max: bytes }), { maxLength: 40 }), (cuts) => {
          assert.deepEqual(read(fixture, cuts), read(fixture, []));
        }),
        { numRuns: 60 },
      );
    });
  }

  it('20 comments, keepalives and empty pieces do not count as progress', () => {
    const assembler = new Assembler({ tools: TOOLS, inputTokens: 1, nextWireId: wireIds([]) });
    const reader = new BodyReader(assembler, 'example.com');
    const moved = (text: string): boolean => reader.push(Buffer.from(text)).moved;
    const idle = [
      ': ping\n\n',
      'event: ping\ndata: {}\n\n',
      delta({}),
      delta({ content: '' }),
      'data: {"id"',
    ];
    for (const bytes of idle) assert.equal(moved(bytes), false, bytes);
    assert.equal(moved(':1}\n\n'), false);
    const progress = [delta({ content: 'a' }), calls({ index: 0, ...fn('read', '') }), finish(), DONE];
    for (const bytes of progress) assert.equal(moved(bytes), true, bytes);
  });

  it('a stream of any bytes ends with exactly one end and never throws', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.json().map((json) => `data: ${json}\n\n`),
            fc.constantFrom(
              DONE,
              ': x\n\n',
              '\r',
              '\n\n',
              'event: error\n',
              delta({ content: 'a' }),
              finish(),
            ),
            fc.json().map((json) => `data: {"choices":[{"delta":${json}}]}\n\n`),
            fc.json().map((json) => `data: {"choices":[{"delta":{"tool_calls":[${json}]}}]}\n\n`),
          ),
        ),
        fc.array(fc.nat({ max: 300 })),
        (parts, cuts) => {
          const body = parts.join('');
          const bytes = Buffer.byteLength(body);
          const fixture: Fixture = { title: '', body, expect: { reason: 'stop' } };
          const inside = cuts.filter((cut) => cut <= bytes);
          assert.deepEqual(read(fixture, inside), read(fixture, []));
        },
      ),
      { numRuns: 500 },
    );
  });
});
