import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Assembler } from '../../src/model/openai/assembler';
import { BodyReader } from '../../src/model/openai/bodyReader';
import type { ModelEnd, ModelEvent } from '../../src/model/port';
import { wireIds } from '../../src/model/wireIds';

/** A fault of "What model servers send": the bytes of a body, and what must come of them however they are split. */
interface Fixture {
  readonly title: string;
  readonly body: string;
  /** The connection is reset after the bytes instead of ending in order. */
  readonly reset?: boolean;
  readonly expect: Expected;
}

interface Expected {
  readonly reason: ModelEnd['reason'];
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly (readonly [tool: string, args: string])[];
  readonly fault?: { readonly kind: string; readonly retryable: boolean; readonly says?: RegExp };
  readonly usage?: readonly [input: number, cached: number, output: number];
}

const TOOLS = new Set(['read', 'write', 'team_add', 'team_send', 'list']);

const frame = (value: unknown): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
const DONE = 'data: [DONE]\n\n';
const delta = (content: object, finish: string | null = null): string =>
  frame({ choices: [{ index: 0, delta: content, finish_reason: finish }] });
const calls = (...deltas: object[]): string => delta({ tool_calls: deltas });
const fn = (name: string | undefined, args: unknown): object => ({
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
const finish = (reason: string | null = 'tool_calls'): string => delta({}, reason);

const fixtures: readonly Fixture[] = [
  {
    title: '1 pieces of calls without an index, with ids',
    body:
      calls({ id: 'a', ...fn('read', '{"p":') }) +
      calls({ id: 'a', ...fn(undefined, '1}') }) +
      calls({ id: 'b', ...fn('list', '{"q"') }) +
      calls({ ...fn(undefined, ':2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{"q":2}'],
      ],
    },
  },
  {
    title: '1 pieces of calls with neither index nor id: a new name opens a new call',
    body:
      calls(fn('read', '')) +
      calls(fn(undefined, '{"p":1}')) +
      calls(fn('list', '{}')) +
      calls(fn('list', '{}')) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{}'],
        ['list', '{}'],
      ],
    },
  },
  {
    title: '2 every parallel call has index 0, ids differ',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"x":1}') }) +
      calls({ index: 0, id: 'b', ...fn('write', '{"y":') }) +
      calls({ index: 0, ...fn(undefined, '2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"x":1}'],
        ['write', '{"y":2}'],
      ],
    },
  },
  {
    title: '2 every parallel call has index 0, no ids: complete arguments end a call',
    body:
      calls({ index: 0, ...fn('read', '{"x":1}') }, { index: 0, ...fn('read', '{"x":2}') }) + finish() + DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"x":1}'],
        ['read', '{"x":2}'],
      ],
    },
  },
  {
    title: '2 index 0 for all, calls without arguments: another known tool is another call',
    body: calls({ index: 0, ...fn('list', '') }) + calls({ index: 0, ...fn('read', '') }) + finish() + DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['list', '{}'],
        ['read', '{}'],
      ],
    },
  },
  {
    title: '3 concatenated objects in one call stay one call with unreadable arguments',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"x":1}') }) +
      calls({ index: 0, ...fn(undefined, '{"x":2}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"x":1}{"x":2}']] },
  },
  {
    title: '5 an empty id on continuations is no id',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"p"') }) +
      calls({ index: 0, id: '', ...fn('', ':"é') }) +
      calls({ index: 0, id: null, ...fn(undefined, '"}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":"é"}']] },
  },
  {
    title: '6 an id is never sent',
    body: calls({ index: 0, ...fn('read', '{"p":1}') }) + finish() + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '7 the id comes late',
    body:
      calls({ index: 0, id: null, ...fn('read', '') }) +
      calls({ index: 0, id: 'late', ...fn(undefined, '{"p":1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '8 numeric id, first piece without "function", empty name later',
    body:
      calls({ index: 0, id: 7, name: 'read', arguments: '{"p":' }) +
      calls({ index: 0, id: 7, ...fn('', '1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: 'a fresh id for every piece is no new call',
    body:
      calls({ index: 0, id: 'r1', ...fn('read', '{"p"') }) +
      calls({ index: 0, id: 'r2', ...fn(undefined, ':1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '9 two calls share one id',
    body:
      calls(
        { index: 0, id: 'same', ...fn('read', '{"p":1}') },
        { index: 1, id: 'same', ...fn('list', '{"q":1}') },
      ) +
      calls({ index: 0, id: ' same ', ...fn('read', '{"p":3}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{"q":1}'],
        ['read', '{"p":3}'],
      ],
    },
  },
  {
    title: '9 two calls share one id, their pieces mixed',
    body:
      calls({ index: 0, id: 's', ...fn('read', '{"p"') }, { index: 1, id: 's', ...fn('list', '{"q"') }) +
      calls({ index: 0, id: 's', ...fn(undefined, ':1}') }, { index: 1, id: 's', ...fn(undefined, ':2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{"q":2}'],
      ],
    },
  },
  {
    title: '10 arguments are an object',
    body: calls({ index: 0, id: 'a', ...fn('read', { p: 1 }) }) + finish() + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '11 arguments are empty, null or absent',
    body:
      calls(
        { index: 0, id: 'a', ...fn('list', '') },
        { index: 1, id: 'b', ...fn('list', null) },
        { index: 2, id: 'c', ...fn('list', undefined) },
      ) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['list', '{}'],
        ['list', '{}'],
        ['list', '{}'],
      ],
    },
  },
  {
    title: '13 calls with finish_reason stop',
    body: calls({ index: 0, id: 'a', ...fn('read', '{}') }) + finish('stop') + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{}']] },
  },
  {
    title: '13 calls with finish_reason end_turn',
    body: calls({ index: 0, id: 'a', ...fn('read', '{}') }) + finish('end_turn') + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{}']] },
  },
  {
    title: '13 finish_reason tool_calls without any call is a plain stop',
    body: delta({ content: 'hm' }) + finish() + DONE,
    expect: { reason: 'stop', text: 'hm', calls: [] },
  },
  {
    title: '14 cut at the length limit inside a call',
    body: calls({ index: 0, id: 'a', ...fn('write', '{"text":"abc') }) + finish('length') + DONE,
    expect: { reason: 'length', calls: [['write', '{"text":"abc']] },
  },
  {
    title: '15 empty finish reasons in between',
    body: delta({ content: 'a' }, '') + delta({ content: 'b' }, '') + finish('stop') + DONE,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '16 neither finish reason nor [DONE]',
    body: delta({ content: 'half of' }),
    expect: { reason: 'error', text: 'half of', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '16 [DONE] without a finish reason is complete',
    body: delta({ content: 'all' }) + DONE,
    expect: { reason: 'stop', text: 'all' },
  },
  {
    title: '16 a finish reason without [DONE] is complete',
    body: delta({ content: 'all' }) + finish('stop'),
    expect: { reason: 'stop', text: 'all' },
  },
  {
    title: '16 [DONE] alone is no answer',
    body: DONE,
    expect: { reason: 'error', text: '', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '17 cut inside JSON',
    body: `${delta({ content: 'half' })}data: {"choices":[{"delta":{"cont`,
    expect: { reason: 'error', text: 'half', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '17 reset inside JSON',
    body: `${calls({ index: 0, id: 'a', ...fn('write', '{"a":1}') })}data: {"choi`,
    reset: true,
    expect: { reason: 'error', text: '', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '17 reset after the finish reason takes nothing away',
    body: delta({ content: 'all' }) + finish('stop'),
    reset: true,
    expect: { reason: 'stop', text: 'all' },
  },
  {
    title: '18 an error inside the stream, with a code',
    body: delta({ content: 'half' }) + frame({ error: { message: 'Rate limit reached', code: 429 } }),
    expect: {
      reason: 'error',
      text: 'half',
      fault: { kind: 'rate_limit', retryable: true, says: /Rate limit reached/ },
    },
  },
  {
    title: '18 an error inside the stream is a word',
    body: frame({ error: 'model runner crashed' }),
    expect: { reason: 'error', fault: { kind: 'server', retryable: true, says: /model runner crashed/ } },
  },
  {
    title: '19 an error event without an error key',
    body: `event: error\ndata: {"message":"context length exceeded"}\n\n`,
    expect: { reason: 'error', fault: { kind: 'too_long', retryable: false } },
  },
  {
    title: '20 comments and keepalives are no answer',
    body: `: ping\n\n: ping\n\nevent: ping\ndata: {}\n\n`,
    expect: { reason: 'error', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '20 comments between pieces',
    body: `: OPENROUTER PROCESSING\n\n${delta({ content: 'a' })}: x\n\n${delta({ content: 'b' })}${finish('stop')}${DONE}`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '22 usage without choices, running totals, and the last one wins',
    body:
      frame({
        choices: [{ delta: { content: 'a' } }],
        usage: { prompt_tokens: 9, completion_tokens: 1 },
      }) +
      finish('stop') +
      frame({
        choices: null,
        usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
      }) +
      DONE,
    expect: { reason: 'stop', text: 'a', usage: [10, 4, 2] },
  },
  {
    title: "22 usage in the choice (Moonshot), DeepSeek's cache field",
    body:
      delta({ content: 'a' }) +
      frame({
        choices: [
          {
            delta: {},
            finish_reason: 'stop',
            usage: { prompt_tokens: 5, completion_tokens: 6, prompt_cache_hit_tokens: 3 },
          },
        ],
      }) +
      DONE,
    expect: { reason: 'stop', usage: [5, 3, 6] },
  },
  {
    title: '23 reasoning under two names at once is kept once',
    body:
      delta({ reasoning_content: 'th', reasoning: 'th' }) +
      delta({ reasoning: 'ink' }) +
      delta({ reasoning_details: [{ text: 'ing' }] }) +
      delta({ content: 'x' }) +
      finish('stop') +
      DONE,
    expect: { reason: 'stop', text: 'x', reasoning: 'thinking' },
  },
  {
    title: '25 content is a list of parts',
    body:
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }) +
      delta({
        content: [
          { type: 'text', text: 'so ' },
          { type: 'text', text: 'it is' },
        ],
      }) +
      finish('stop') +
      DONE,
    expect: { reason: 'stop', text: 'so it is', reasoning: 'hm' },
  },
  {
    title: '31 stream: true answered with one document',
    body: JSON.stringify(
      {
        choices: [
          {
            message: { content: 'hé', tool_calls: [{ id: 'a', ...fn('read', '{"p":1}') }] },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      },
      null,
      2,
    ),
    expect: { reason: 'tool_calls', text: 'hé', calls: [['read', '{"p":1}']], usage: [3, 0, 4] },
  },
  {
    title: '31 one chunk a line without "data:"',
    body: `${JSON.stringify({ choices: [{ delta: { content: 'a' } }] })}\n${JSON.stringify({ choices: [{ delta: { content: 'b' }, finish_reason: 'stop' }] })}\n`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '31 a document that is cut',
    body: JSON.stringify({ choices: [{ message: { content: 'abc' } }] }, null, 1).slice(0, -20),
    expect: { reason: 'error', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '31 a web page',
    body: `\n<!DOCTYPE html><html><head><title>Log in</title></head></html>`,
    expect: { reason: 'error', fault: { kind: 'protocol', retryable: false, says: /web page/ } },
  },
  {
    title: '31 an empty body',
    body: '',
    expect: { reason: 'error', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '32 arguments before the name',
    body:
      calls({ index: 0, ...fn(undefined, '{"p"') }) +
      calls({ index: 0, id: 'a', ...fn('read', ':1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '32 a name in two pieces',
    body:
      calls({ index: 0, id: 'a', ...fn('team_', '') }) +
      calls({ index: 0, ...fn('add', '{"name":"x"}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['team_add', '{"name":"x"}']] },
  },
  {
    title: '33 a bad line is skipped; lower-case done, CRLF, BOM, no space after the colon',
    body: `\uFEFF${delta({ content: 'a' }).replaceAll('\n', '\r\n').replace('data: ', 'data:')}data: {oops\r\n\r\n${delta({ content: 'b' }).replaceAll('\n', '\r\n')}data:[done]\r\n\r\n`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '33 more than three bad lines',
    body: `${delta({ content: 'a' })}${'data: oops\n\n'.repeat(4)}${delta({ content: 'b' })}${DONE}`,
    expect: { reason: 'error', text: 'a', fault: { kind: 'protocol', retryable: false } },
  },
  {
    title: 'events without blank lines between them',
    body: `${delta({ content: 'a' }).trimEnd()}\n${delta({ content: 'b' }, 'stop').trimEnd()}\ndata: [DONE]`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '34 a whole call is replayed',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"p":1}') }) +
      calls({ index: 0, id: 'a', ...fn('read', '{"p":1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '34 an unknown finish reason is a stop',
    body: delta({ content: 'x' }) + finish('MALFORMED_FUNCTION_CALL') + DONE,
    expect: { reason: 'stop', text: 'x' },
  },
  {
    title: 'a content filter is told, its text kept',
    body: delta({ content: 'x' }) + finish('content_filter') + DONE,
    expect: { reason: 'error', text: 'x', fault: { kind: 'bad_request', retryable: false, says: /filter/ } },
  },
  {
    title: 'interleaved parallel calls',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '') }, { index: 1, id: 'b', ...fn('list', '') }) +
      calls({ index: 1, ...fn(undefined, '{"q"') }, { index: 0, ...fn(undefined, '{"p"') }) +
      calls({ index: 0, ...fn(undefined, ':"日本"}') }, { index: 1, ...fn(undefined, ':2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":"日本"}'],
        ['list', '{"q":2}'],
      ],
    },
  },
];

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
  for (const fixture of fixtures) {
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
