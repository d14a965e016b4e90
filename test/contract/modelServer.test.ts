import assert from 'node:assert/strict';
import { type Clock, systemClock } from '../../src/base/clock';
import { Models } from '../../src/model/models';
import type { ModelEnd, ModelEntry, ModelEvent, ModelMessage, ModelPort } from '../../src/model/port';
import {
  call,
  calls,
  cut,
  hold,
  raw,
  repeat,
  type ScriptedModel,
  type ScriptedModelOptions,
  say,
  stall,
  startScriptedModel,
  status,
} from '../support/scriptedModel';
import { ManualClock } from '../support/scriptedModel/manualClock';

const NEVER = new AbortController().signal;

/** The adapter and the scripted server against each other: what every other test of the engine stands on. */
describe('the scripted model server and the adapter', () => {
  let server: ScriptedModel;

  const start = async (options?: ScriptedModelOptions): Promise<void> => {
    server = await startScriptedModel(options);
  };
  afterEach(() => server.close().catch(() => undefined));

  const port = (clock: Clock = systemClock): ModelPort => {
    const entry: ModelEntry = {
      id: 'm',
      provider: 'openai',
      label: 'M',
      baseUrl: server.url,
      model: 'scripted',
      parallel: null,
      singleSession: false,
      capacityGroup: null,
      contextWindow: 128_000,
      price: null,
      parameters: {},
    };
    return new Models({
      clock,
      random: () => 0,
      keyFor: () => Promise.resolve('key-of-test'),
      onNotice: () => undefined,
    }).port(entry);
  };

  const as = (agent: string): ModelMessage[] => [
    { role: 'system', text: `You are ${agent}, somebody.\nMore.` },
    { role: 'user', text: 'You are nobody, go on.' },
  ];

  const ask = async (
    model: ModelPort,
    agent: string,
    signal = NEVER,
  ): Promise<{ end: ModelEnd; events: ModelEvent[] }> => {
    const events: ModelEvent[] = [];
    const tools = [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }];
    for await (const event of model.stream({ messages: as(agent), tools }, signal)) events.push(event);
    return { end: events.at(-1) as ModelEnd, events };
  };

  it('answers each agent from its own script, in order, then "done"', async () => {
    await start();
    server.script({ lead: [say('one'), say('two')], parser: [say('eins')], '*': [say('star')] });
    const model = port();
    const texts: string[] = [];
    for (const agent of ['lead', 'parser', 'lead', 'other', 'lead']) {
      texts.push((await ask(model, agent)).end.text);
    }
    assert.deepEqual(texts, ['one', 'eins', 'two', 'star', 'done']);
    assert.deepEqual(
      server.log.map(({ agent, n }) => [agent, n]),
      [
        ['lead', 1],
        ['parser', 1],
        ['lead', 2],
        ['other', 1],
        ['lead', 3],
      ],
    );
  });

  it('logs what came: messages, tools, headers, times', async () => {
    await start();
    await ask(port(), 'lead');
    const [record] = server.requestsOf('lead');
    assert.deepEqual(record?.messages, [
      { role: 'system', content: 'You are lead, somebody.\nMore.' },
      { role: 'user', content: 'You are nobody, go on.' },
    ]);
    assert.deepEqual(record?.tools, ['read']);
    assert.equal(record?.headers.authorization, 'Bearer key-of-test');
    assert.equal(record?.aborted, false);
    assert.ok(record !== undefined && record.outMs !== undefined && record.outMs >= record.inMs);
  });

  it('several calls at once, text in pieces, usage', async () => {
    await start({ chunks: 4 });
    server.script({
      lead: [
        calls(say('I look at both. '), call('read', { path: 'a' }), call('read', '{"path":"b"}')),
        say('x'.repeat(40), { usage: { input: 100, output: 7, cached: 60 } }),
      ],
    });
    const model = port();
    const first = (await ask(model, 'lead')).end;
    assert.equal(first.reason, 'tool_calls');
    assert.deepEqual(first.reason === 'tool_calls' ? first.calls.map(({ tool, args }) => [tool, args]) : [], [
      ['read', '{"path":"a"}'],
      ['read', '{"path":"b"}'],
    ]);
    const second = (await ask(model, 'lead')).end;
    assert.deepEqual(second.usage, { inputTokens: 100, cachedTokens: 60, outputTokens: 7, estimated: false });
  });

  it('an entry may be a function of the request, or one function for all of them', async () => {
    await start();
    server.script({
      lead: [({ agent, n, messages }) => say(`${agent} ${n} ${messages.length}`)],
      all: ({ n }) => say(`answer ${n}`),
    });
    const model = port();
    assert.equal((await ask(model, 'lead')).end.text, 'lead 1 2');
    assert.equal((await ask(model, 'all')).end.text, 'answer 1');
    assert.equal((await ask(model, 'all')).end.text, 'answer 2');
  });

  it('holds in the middle of an answer until its gate is released', async () => {
    await start({ chunks: 2 });
    server.script({ lead: [hold('gate', say('before after'))] });
    const stream = port()
      .stream({ messages: as('lead'), tools: [] }, NEVER)
      [Symbol.asyncIterator]();
    assert.deepEqual((await stream.next()).value, { type: 'text', text: 'before' });
    await server.held('gate');
    assert.equal(server.open, 1);
    server.release('gate');
    assert.deepEqual((await stream.next()).value, { type: 'text', text: ' after' });
    assert.equal(((await stream.next()).value as ModelEnd).text, 'before after');
  });

  it('sees an abort', async () => {
    await start();
    server.script({ lead: [stall()] });
    const abort = new AbortController();
    const asked = ask(port(), 'lead', abort.signal);
    const record = await server.waitFor('lead', 1);
    abort.abort();
    assert.equal((await asked).end.reason, 'aborted');
    while (server.open > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(record.aborted, true);
  });

  it('fails as told: statuses, a cut, raw bytes; the adapter gets through', async () => {
    await start();
    server.script({
      lead: [
        status(429, { retryAfter: 0 }),
        status(503, { retryAfter: 0 }),
        cut(say('half of the answer')),
        say('whole'),
      ],
      raw: [raw('data: {"choices":[{"delta":{"content":"by hand"},"finish_reason":"stop"}]}\n\n')],
    });
    const clock = new ManualClock();
    const model = port(clock);
    const asked = ask(model, 'lead');
    for (const wait of [0, 0, 2000]) {
      await clock.armed(wait);
      clock.advance(wait);
    }
    const { end, events } = await asked;
    assert.equal(end.text, 'whole');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'retry' ? [event.fault.kind] : [])),
      ['rate_limit', 'overloaded', 'incomplete'],
    );
    assert.equal((await ask(model, 'raw')).end.text, 'by hand');
  });

  it('waits for a request that has not come yet, and for many', async () => {
    await start();
    server.script({ lead: repeat(3, say('again')) });
    const third = server.waitFor('lead', 3);
    const model = port();
    for (let i = 0; i < 3; i++) await ask(model, 'lead');
    assert.equal((await third).n, 3);
  });

  it('strict: an unscripted request fails the request and the test', async () => {
    await start({ strict: true });
    server.script({ lead: [say('one'), say('two')] });
    const model = port();
    await ask(model, 'lead');
    assert.deepEqual(server.unused(), ['lead: 1']);
    const { end } = await ask(model, 'parser');
    assert.equal(end.reason === 'error' && end.fault.kind, 'bad_request');
    await assert.rejects(server.close(), /request 1 of parser is not scripted/);
  });
});
