import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { redact } from '../../src/model/openai/faults';
import { type WireOptions, WireWriter } from '../../src/model/openai/wire';
import type { ModelMessage, ModelRequest } from '../../src/model/port';
import { wireIds } from '../../src/model/wireIds';

const options: WireOptions = {
  model: 'm',
  parameters: {},
  stream: true,
  streamOptions: true,
  cacheKey: undefined,
  replayReasoning: false,
};

interface Body {
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { name: string; arguments: string };
    }[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: unknown;
}

const written = (request: ModelRequest, more: Partial<WireOptions> = {}): Body =>
  JSON.parse(new WireWriter().body(request, { ...options, ...more })) as Body;

const assistant = (args: string, wireId = 'c00000000', tool = 'read'): ModelMessage => ({
  role: 'assistant',
  text: '',
  calls: [{ wireId, tool, args }],
});

describe('messages on the wire', () => {
  it('28 content is always a string, 12 arguments are always a string with an object in it', () => {
    const { messages } = written({
      messages: [
        { role: 'system', text: 's' },
        { role: 'user', text: '' },
        assistant('{"p":1}'),
        { role: 'tool', wireId: 'c00000000', tool: 'read', text: '' },
      ],
      tools: [],
    });
    assert.deepEqual(messages, [
      { role: 'system', content: 's' },
      { role: 'user', content: '' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c00000000', type: 'function', function: { name: 'read', arguments: '{"p":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c00000000', content: '' },
    ]);
  });

  it('3 arguments that are no object are given back inside one', () => {
    for (const args of ['{"x":1}{"x":2}', '{"cut', '[1]', 'null', '"text"']) {
      const call = written({ messages: [assistant(args)], tools: [] }).messages[0]?.tool_calls?.[0];
      assert.deepEqual(JSON.parse(call?.function.arguments ?? ''), { unreadable_arguments: args });
    }
    const empty = written({ messages: [assistant(' ')], tools: [] }).messages[0]?.tool_calls?.[0];
    assert.equal(empty?.function.arguments, '{}');
  });

  it('a made-up tool name becomes one that servers take back', () => {
    const name = (tool: string) =>
      written({ messages: [assistant('{}', 'c00000000', tool)], tools: [] }).messages[0]?.tool_calls?.[0]
        ?.function.name;
    assert.equal(name('functions.read file'), 'functions_read_file');
    assert.equal(name(''), '_');
    assert.equal(name('x'.repeat(99))?.length, 64);
  });

  it('every call has exactly one result, right after it', () => {
    const call = fc.constantFrom('c00000000', 'c00000001', 'c00000002', 'c00000003');
    const message: fc.Arbitrary<ModelMessage> = fc.oneof(
      fc.constant<ModelMessage>({ role: 'user', text: 'u' }),
      call.map(
        (wireId): ModelMessage => ({ role: 'tool', wireId, tool: 'read', text: `result of ${wireId}` }),
      ),
      fc.constant<ModelMessage>({ role: 'assistant', text: 'a', calls: [] }),
    );
    fc.assert(
      fc.property(fc.array(message), fc.uniqueArray(call), fc.nat(), (rest, ids, at) => {
        const calls = ids.map((wireId) => ({ wireId, tool: 'read', args: '{}' }));
        const place = rest.length === 0 ? 0 : at % rest.length;
        const messages = [
          ...rest.slice(0, place),
          { role: 'assistant', text: '', calls } as const,
          ...rest.slice(place),
        ];
        const sent = written({ messages, tools: [] }).messages;
        const start = sent.findIndex((one) => one.tool_calls !== undefined);
        const results = sent.filter((one) => one.role === 'tool').map((one) => one.tool_call_id);
        assert.deepEqual(results, ids);
        if (ids.length > 0) {
          assert.deepEqual(
            sent.slice(start + 1, start + 1 + ids.length).map((one) => one.tool_call_id),
            ids,
          );
        }
      }),
    );
  });

  it('the same request gives the same bytes, and what was sent before stays a prefix of what is sent next', () => {
    const writer = new WireWriter();
    const tools = [{ name: 'read', description: 'd', parameters: { type: 'object' } }];
    const messages: ModelMessage[] = [
      { role: 'system', text: 's' },
      { role: 'user', text: 'ü"\n' },
    ];
    const first = writer.body({ messages, tools }, options);
    assert.equal(writer.body({ messages: [...messages], tools }, options), first);
    assert.equal(new WireWriter().body({ messages, tools }, options), first, 'remembering changes nothing');
    const next = writer.body(
      { messages: [...messages, { role: 'assistant', text: 'a', calls: [] }], tools },
      options,
    );
    assert.equal(next.slice(0, first.length - 2), first.slice(0, -2));
  });

  it('tools are left out where there are none', () => {
    assert.equal('tools' in written({ messages: [], tools: [] }), false);
    assert.equal('prompt_cache_key' in written({ messages: [], tools: [] }), false);
    assert.equal('stream_options' in written({ messages: [], tools: [] }, { stream: false }), false);
  });

  it('29 wire ids are nine letters and digits, unique in the transcript, the same for the same transcript', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 40 })), fc.integer({ min: 1, max: 10 }), (used, count) => {
        const messages = used.map((n) => assistant('{}', `c${n.toString(36).padStart(8, '0')}`));
        const make = () => {
          const next = wireIds(messages);
          return Array.from({ length: count }, () => next());
        };
        const ids = make();
        const all = [
          ...ids,
          ...messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map((c) => c.wireId) : [])),
        ];
        assert.equal(new Set(all).size, all.length);
        for (const id of ids) assert.match(id, /^[a-z0-9]{9}$/);
        assert.deepEqual(make(), ids);
      }),
    );
  });

  it('A26 the key is hidden in every form', () => {
    const key = 'sk-a/b+"c"=';
    for (const form of [
      key,
      encodeURIComponent(key),
      JSON.stringify(key),
      `Bearer ${key}`,
      `x${key}y${key}`,
    ]) {
      const shown = redact(`before ${form} after`, key);
      assert.ok(!shown.includes('sk-a') && shown.includes('before') && shown.includes('after'), shown);
    }
    assert.equal(redact('a plain x', 'x'), 'a plain x', 'a word that is no secret hides nothing');
    assert.equal(redact('Authorization: Bearer abc.def', null), 'Authorization: Bearer [key]');
  });
});
