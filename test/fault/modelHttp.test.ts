import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { ModelNotice } from '../../src/model/attempt';
import { Models } from '../../src/model/models';
import type {
  ModelEnd,
  ModelEntry,
  ModelEvent,
  ModelFault,
  ModelPort,
  ModelRequest,
} from '../../src/model/port';
import { ManualClock } from '../support/scriptedModel/manualClock';
import { frame, type Handler, OK, ok, RawServer, refuse, text } from '../support/scriptedModel/rawServer';

const CANARY = 'sk-canary-4f9a7b2c';

const request: ModelRequest = {
  messages: [
    { role: 'system', text: 'You are lead, the lead of a team.' },
    { role: 'user', text: 'Go' },
  ],
  tools: [],
};

const RESOLVED = new AbortController().signal;

describe('the openai adapter over HTTP', () => {
  let server: RawServer;
  let clock: ManualClock;
  let notices: ModelNotice[];

  beforeEach(async () => {
    server = new RawServer();
    clock = new ManualClock();
    notices = [];
    await server.listen();
  });
  afterEach(() => server.close());

  const entry = (more: Partial<ModelEntry> = {}): ModelEntry => ({
    id: 'm',
    provider: 'openai',
    label: 'M',
    baseUrl: `${server.origin}/v1`,
    model: 'the-model',
    parallel: null,
    singleSession: false,
    capacityGroup: null,
    contextWindow: 1000,
    price: null,
    parameters: {},
    ...more,
  });

  const models = (key: string | null = CANARY, attempts = 1): Models =>
    new Models({
      clock,
      random: () => 0,
      keyFor: () => Promise.resolve(key),
      onNotice: (notice) => notices.push(notice),
      limits: { attempts },
    });

  const port = (more: Partial<ModelEntry> = {}, attempts = 1, key: string | null = CANARY): ModelPort =>
    models(key, attempts).port(entry(more));

  async function run(model: ModelPort, signal = RESOLVED): Promise<{ end: ModelEnd; events: ModelEvent[] }> {
    const events: ModelEvent[] = [];
    for await (const event of model.stream(request, signal)) events.push(event);
    const end = events.at(-1);
    assert.equal(end?.type, 'end');
    assert.equal(events.filter((event) => event.type === 'end').length, 1);
    return { end: end as ModelEnd, events };
  }

  async function faultOf(model: ModelPort): Promise<ModelFault> {
    const { end } = await run(model);
    assert.equal(end.reason, 'error');
    return (end as Extract<ModelEnd, { reason: 'error' }>).fault;
  }

  it('sends the request as compatible servers want it', async () => {
    server.answer(ok);
    const { end } = await run(port({ parameters: { temperature: 0.5 } }));
    assert.equal(end.text, 'fine');
    assert.deepEqual(server.bodies, [
      {
        temperature: 0.5,
        model: 'the-model',
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: 'system', content: 'You are lead, the lead of a team.' },
          { role: 'user', content: 'Go' },
        ],
      },
    ]);
    assert.equal(server.headers[0]?.authorization, `Bearer ${CANARY}`);
    assert.deepEqual(
      Object.keys(server.headers[0] ?? {}).filter(
        (name) => name.startsWith('x-') || name.startsWith('openai'),
      ),
      [],
      "nothing of the package's own about this machine goes out",
    );
  });

  it('A17 nothing of the environment goes out or changes where it goes', async () => {
    const set = {
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
      OPENAI_API_KEY: 'key-of-environment',
      OPENAI_ORG_ID: 'org-of-environment',
      OPENAI_PROJECT_ID: 'project-of-environment',
      OPENAI_CUSTOM_HEADERS: 'X-Extra: header-of-environment',
    };
    const before = Object.keys(set).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, set);
    try {
      server.answer(ok, ok);
      await run(port());
      await run(port({}, 1, null));
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    assert.deepEqual(
      server.headers.map((headers) => headers.authorization),
      [`Bearer ${CANARY}`, undefined],
    );
    assert.doesNotMatch(JSON.stringify(server.headers), /of-environment/);
  });

  it('sends no Authorization where no key is needed', async () => {
    server.answer(ok);
    await run(port({}, 1, null));
    assert.equal(server.headers[0]?.authorization, undefined);
  });

  it('uses one connection for requests one after another', async () => {
    server.answer(ok, ok, ok);
    const model = port();
    for (let i = 0; i < 3; i++) {
      await run(model);
      // The connection is free when the body's end has been read, which also ends the timer that watches over it.
      while (clock.pending.length > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(server.sockets.size, 1);
  });

  const statuses: readonly [number, unknown, Partial<ModelFault>, RegExp][] = [
    [
      401,
      { error: { message: 'Incorrect API key' } },
      { kind: 'auth', retryable: false },
      /Incorrect API key/,
    ],
    [402, { error: { message: 'Insufficient Balance' } }, { kind: 'auth', retryable: false }, /credit/],
    [404, { error: { message: 'no model x' } }, { kind: 'bad_request', retryable: false }, /no model x/],
    [413, 'too big', { kind: 'too_long', retryable: false }, /window/],
    [
      400,
      { error: { message: 'maximum context length is 8192 tokens', code: 'context_length_exceeded' } },
      { kind: 'too_long', retryable: false },
      /window/,
    ],
    [
      429,
      { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } },
      { kind: 'auth', retryable: false },
      /credit/,
    ],
    [429, { error: { message: 'slow down' } }, { kind: 'rate_limit', retryable: true }, /slow down/],
    [503, { error: 'loading model' }, { kind: 'overloaded', retryable: true }, /loading model/],
    [500, 'oops', { kind: 'server', retryable: true }, /oops/],
    [
      502,
      '<html><head><title>502 Bad Gateway</title></head></html>',
      { kind: 'server', retryable: true },
      /Bad/,
    ],
    [
      422,
      { detail: [{ loc: ['body', 'messages'], msg: 'field required' }] },
      { kind: 'bad_request' },
      /required/,
    ],
  ];
  for (const [status, body, expected, says] of statuses) {
    it(`status ${status} with ${JSON.stringify(body).slice(0, 60)} is ${expected.kind}`, async () => {
      server.answer(refuse(status, body));
      const fault = await faultOf(port());
      for (const [name, value] of Object.entries(expected)) {
        assert.equal(fault[name as keyof ModelFault], value, name);
      }
      assert.match(fault.message, says);
      assert.equal(fault.status, status);
      assert.doesNotMatch(fault.message, /<|\n/);
    });
  }

  it('a server that is not there is a network fault', async () => {
    const gone = port();
    await server.close();
    const fault = await faultOf(gone);
    assert.equal(fault.kind, 'network');
    assert.match(fault.message, /nothing listens/);
    await server.listen();
  });

  it('A26 the key is in no message, however the server echoes it', async () => {
    const echoes: Handler[] = [
      refuse(401, { error: { message: `Incorrect API key: ${CANARY}` } }),
      refuse(500, `headers: {"authorization":"Bearer ${CANARY}"}`),
      (_, response) =>
        response.writeHead(200).end(frame({ error: { message: `bad key ${CANARY} in ${CANARY}` } })),
      refuse(307, '', { location: `http://other.example/${CANARY}` }),
    ];
    for (const echo of echoes) {
      server.answer(echo);
      const { events } = await run(port());
      assert.doesNotMatch(JSON.stringify(events), new RegExp(CANARY));
    }
    assert.doesNotMatch(JSON.stringify(notices), new RegExp(CANARY));
  });

  it('A27 a redirect to another origin is refused: neither key nor transcript goes there', async () => {
    const other = new RawServer();
    await other.listen();
    other.answer(ok);
    server.answer(refuse(308, '', { location: `${other.origin}/v1/chat/completions` }));
    const fault = await faultOf(port({}, 4));
    assert.equal(fault.kind, 'protocol');
    assert.equal(fault.retryable, false);
    assert.ok(fault.message.includes(other.origin), fault.message);
    assert.deepEqual(other.headers, []);
    await other.close();
  });

  it('a redirect within the origin is followed with method and body', async () => {
    server.answer(refuse(307, '', { location: '/elsewhere' }), ok);
    const { end } = await run(port());
    assert.equal(end.text, 'fine');
    assert.deepEqual(server.bodies[1], server.bodies[0]);
  });

  it('redirects in a circle end', async () => {
    server.answer(...Array.from({ length: 6 }, () => refuse(307, '', { location: '/again' })));
    assert.equal((await faultOf(port())).kind, 'protocol');
  });

  it('a field that the server calls unknown is dropped, remembered and told', async () => {
    const extra = { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] };
    server.answer(refuse(422, extra), ok, ok);
    const all = models();
    assert.equal((await run(all.port(entry()))).end.text, 'fine');
    assert.equal((await run(all.port(entry()))).end.text, 'fine');
    assert.deepEqual(
      server.bodies.map((body) => 'stream_options' in body),
      [true, false, false],
    );
    assert.deepEqual(notices, [{ type: 'field_dropped', model: 'the-model', field: 'stream_options' }]);
  });

  it('several unknown parameters are dropped one after another; known ones stay', async () => {
    const unsupported = (name: string) => ({
      error: { message: `Unsupported parameter: '${name}' is not supported with this model.`, param: name },
    });
    server.answer(refuse(400, unsupported('temperature')), refuse(400, unsupported('top_p')), ok);
    await run(port({ parameters: { temperature: 1, top_p: 0.5, seed: 7 } }));
    const last = server.bodies.at(-1) ?? {};
    assert.deepEqual(['temperature' in last, 'top_p' in last, last['seed']], [false, false, 7]);
  });

  it('a bad value of a parameter is told, not dropped', async () => {
    server.answer(refuse(400, { error: { message: 'temperature must be between 0 and 2' } }));
    const fault = await faultOf(port({ parameters: { temperature: 9 } }));
    assert.match(fault.message, /between 0 and 2/);
    assert.deepEqual([server.bodies.length, notices], [1, []]);
  });

  it('24 reasoning is sent back once the server has asked for it', async () => {
    const asks = { error: { message: 'The reasoning_content in the thinking mode must be passed back' } };
    server.answer(refuse(400, asks), ok);
    const messages: ModelRequest['messages'] = [
      ...request.messages,
      { role: 'assistant', text: 'a', calls: [], reasoning: 'because' },
      { role: 'user', text: 'b' },
    ];
    for await (const event of port().stream({ messages, tools: [] }, RESOLVED)) void event;
    const sent = server.bodies.map((body) => (body['messages'] as object[])[2]);
    assert.deepEqual(sent, [
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'a', reasoning_content: 'because' },
    ]);
  });

  it('27 a server whose own parser fails on the stream is asked once without streaming', async () => {
    const whole = { choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }] };
    server.answer(refuse(500, { error: 'XML syntax error on line 3' }), refuse(200, whole));
    const { end } = await run(port());
    assert.equal(end.text, 'whole');
    assert.deepEqual(
      server.bodies.map((body) => body['stream']),
      [true, false],
    );
    server.answer(refuse(500, { error: 'XML syntax error' }), refuse(500, { error: 'XML syntax error' }));
    assert.equal((await faultOf(port())).kind, 'server');
    assert.equal(server.bodies.length, 4, 'no third time');
  });

  it('31 a web page instead of an answer names what to check', async () => {
    server.answer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'),
    );
    assert.match((await faultOf(port())).message, /Check the base URL/);
  });

  it('a compressed stream is read', async () => {
    server.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(gzipSync(OK));
    });
    assert.equal((await run(port())).end.text, 'fine');
  });

  it('17 a connection that is reset inside the answer is retried, and what was shown is void', async () => {
    server.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text('half'), () => setImmediate(() => response.socket?.resetAndDestroy()));
    }, ok);
    const reading = run(port({}, 2));
    await clock.armed(500);
    clock.advance(500);
    const { end, events } = await reading;
    assert.deepEqual(
      events.map((event) => event.type),
      ['text', 'retry', 'text', 'end'],
    );
    assert.equal(end.text, 'fine');
    // The broken-off answer has been paid for too.
    assert.ok(end.usage.inputTokens > 0 && end.usage.estimated);
  });

  it('a kept connection that the server has given up is replaced at once; a new one that breaks is a fault', async () => {
    const drop: Handler = (_, response) => response.socket?.destroy();
    const model = port();
    server.answer(ok, drop, ok);
    await run(model);
    while (clock.pending.length > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await run(model)).end.text, 'fine');
    assert.equal(server.bodies.length, 3);
    while (clock.pending.length > 0) await new Promise((resolve) => setImmediate(resolve));
    server.answer(drop, drop);
    assert.equal((await faultOf(port())).kind, 'network');
  });

  it('models of one origin share its back-off', async () => {
    const all = models(CANARY, 2);
    server.answer(refuse(429, { error: { message: 'slow' } }, { 'retry-after': '5' }), ok, ok);
    const first = run(all.port(entry()));
    await clock.armed(5000);
    clock.advance(1000);
    const second = run(all.port(entry({ id: 'other', baseUrl: `${server.origin}/other`, model: 'other' })));
    await clock.armed(4000);
    assert.equal(server.bodies.length, 1);
    clock.advance(4000);
    assert.deepEqual([(await first).end.text, (await second).end.text], ['fine', 'fine']);
  });

  it('a changed key is asked for with the next request', async () => {
    const keys = ['first-key', 'second-key'];
    const all = new Models({
      clock,
      random: () => 0,
      keyFor: (origin) => Promise.resolve(origin === server.origin ? (keys.shift() ?? null) : null),
      onNotice: () => undefined,
    });
    const model = all.port(entry());
    server.answer(ok, ok, ok);
    await run(model);
    all.keyChanged('https://somewhere.else');
    await run(model);
    all.keyChanged(server.origin);
    await run(model);
    assert.deepEqual(
      server.headers.map((headers) => headers.authorization),
      ['Bearer first-key', 'Bearer first-key', 'Bearer second-key'],
    );
  });

  it('21 a stall after the headers ends at the limit for the first event', async () => {
    server.answer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
    );
    const reading = faultOf(port());
    await clock.armed(120_000);
    clock.advance(120_000);
    assert.equal((await reading).kind, 'stalled');
  });

  it('21 a stall inside the answer ends at the idle limit and closes the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer((_, response) => {
        response.once('close', resolve);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(text('half'));
      });
    });
    const stream = port().stream(request, RESOLVED)[Symbol.asyncIterator]();
    await stream.next();
    const next = stream.next();
    await clock.armed(90_000);
    clock.advance(90_000);
    const end = (await next).value as ModelEnd;
    assert.equal(end.reason === 'error' && end.fault.kind, 'stalled');
    assert.equal(end.text, 'half', 'partial text is kept');
    await closed;
  });

  it('an answer that is complete but never closed is an answer', async () => {
    server.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text('all', 'stop'));
    });
    const stream = port().stream(request, RESOLVED)[Symbol.asyncIterator]();
    await stream.next();
    const next = stream.next();
    await clock.armed(90_000);
    clock.advance(90_000);
    const end = (await next).value as ModelEnd;
    assert.deepEqual([end.reason, end.text], ['stop', 'all']);
  });

  it('abort inside the answer closes the connection at once and keeps the text', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer((_, response) => {
        response.once('close', resolve);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(text('half'));
      });
    });
    const abort = new AbortController();
    const stream = port().stream(request, abort.signal)[Symbol.asyncIterator]();
    await stream.next();
    const next = stream.next();
    abort.abort();
    const end = (await next).value as ModelEnd;
    assert.deepEqual([end.reason, end.text], ['aborted', 'half']);
    await closed;
  });

  it('abort before the headers, and before the request', async () => {
    const abort = new AbortController();
    server.answer(() => abort.abort());
    assert.equal((await run(port(), abort.signal)).end.reason, 'aborted');
    const { end } = await run(port(), AbortSignal.abort());
    assert.deepEqual([end.reason, end.usage.inputTokens], ['aborted', 0]);
    assert.equal(server.bodies.length, 1);
  });

  it('a consumer that stops reading closes the connection', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer((_, response) => {
        response.once('close', resolve);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(text('half'));
      });
    });
    for await (const event of port().stream(request, RESOLVED)) {
      assert.equal(event.type, 'text');
      break;
    }
    await closed;
  });

  it('a key that was refused is asked for again', async () => {
    const keys = ['wrong-key', 'right-key'];
    const all = new Models({
      clock,
      random: () => 0,
      keyFor: () => Promise.resolve(keys.shift() ?? null),
      onNotice: () => undefined,
    });
    server.answer(refuse(401, { error: { message: 'no' } }), ok);
    await run(all.port(entry()));
    assert.equal((await run(all.port(entry()))).end.text, 'fine');
    assert.deepEqual(
      server.headers.map((headers) => headers.authorization),
      ['Bearer wrong-key', 'Bearer right-key'],
    );
  });

  it('a key that can not be read is told', async () => {
    const all = new Models({
      clock,
      random: () => 0,
      keyFor: () => Promise.reject(new Error('the keyring is locked')),
      onNotice: () => undefined,
    });
    assert.match((await faultOf(all.port(entry()))).message, /the keyring is locked/);
  });
});
