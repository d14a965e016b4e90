import assert from 'node:assert/strict';
import type { ModelAttempts } from '../../src/model/attempt';
import { EndpointGate } from '../../src/model/endpointGate';
import { retryAfterMs } from '../../src/model/openai/faults';
import type { ModelEnd, ModelEvent, ModelFault, ModelRequest } from '../../src/model/port';
import { RetryingModel } from '../../src/model/retry';
import { ManualClock } from '../support/scriptedModel/manualClock';

const request: ModelRequest = { messages: [], tools: [] };
const usage = { inputTokens: 10, cachedTokens: 2, outputTokens: 3, estimated: false };
const fault = (kind: ModelFault['kind'], more: Partial<ModelFault> = {}): ModelFault => ({
  kind,
  message: kind,
  retryable: true,
  ...more,
});
const failing = (kind: ModelFault['kind'], more: Partial<ModelFault> = {}): ModelEvent[] => [
  { type: 'end', reason: 'error', text: '', fault: fault(kind, more), usage },
];
const answering = (text = 'fine'): ModelEvent[] => [
  { type: 'text', text },
  { type: 'end', reason: 'stop', text, reasoning: '', calls: [], usage },
];

/** Plays one list of events per attempt; counts the attempts. */
class Played implements ModelAttempts {
  made = 0;
  readonly #lists: (readonly ModelEvent[])[];

  constructor(...lists: (readonly ModelEvent[])[]) {
    this.#lists = lists;
  }

  async written(): Promise<string> {
    return '';
  }

  async *attempt(): AsyncGenerator<ModelEvent, void> {
    yield* this.#lists[this.made++] ?? [];
  }
}

/** Starts reading; events appear as they come. */
function read(model: RetryingModel, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  const done = (async () => {
    for await (const event of model.stream(request, signal)) events.push(event);
    return events.at(-1) as ModelEnd;
  })();
  return { events, done };
}

describe('retrying a model', () => {
  let clock: ManualClock;
  let random: number;
  let gate: EndpointGate;

  beforeEach(() => {
    clock = new ManualClock();
    random = 0;
    gate = new EndpointGate(clock, () => random);
  });

  const retrying = (played: ModelAttempts, attempts?: number): RetryingModel =>
    new RetryingModel(played, { clock, gate, ...(attempts !== undefined && { attempts }) });

  /** Lets waits of these lengths pass, one after another. */
  async function pass(...waits: number[]): Promise<void> {
    for (const ms of waits) {
      await clock.armed(ms);
      clock.advance(ms);
    }
  }

  it('retries with growing waits, at most four attempts in all, and then gives the fault', async () => {
    const played = new Played(
      failing('server'),
      failing('server'),
      failing('server'),
      failing('server', { status: 500 }),
    );
    const { events, done } = read(retrying(played));
    await pass(500, 1000, 2000);
    const end = await done;
    assert.equal(end.reason === 'error' && end.fault.status, 500);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'retry' ? [[event.attempt, event.waitMs]] : [])),
      [
        [2, 500],
        [3, 1000],
        [4, 2000],
      ],
    );
    assert.equal(played.made, 4);
  });

  it('what can not get better is not retried', async () => {
    const played = new Played(failing('auth', { retryable: false }), answering());
    const { done } = read(retrying(played));
    assert.equal((await done).reason, 'error');
    assert.equal(played.made, 1);
    assert.deepEqual(clock.pending, []);
  });

  it('shows a retry after text, whose answer then begins anew, and sums the usage of all attempts', async () => {
    const cut: ModelEvent[] = [
      { type: 'text', text: 'half' },
      { type: 'end', reason: 'error', text: 'half', fault: fault('incomplete'), usage },
    ];
    const { events, done } = read(retrying(new Played(cut, answering('whole'))));
    await pass(500);
    const end = await done;
    assert.deepEqual(
      events.map((event) => event.type),
      ['text', 'retry', 'text', 'end'],
    );
    assert.equal(end.text, 'whole');
    assert.deepEqual(end.usage, { inputTokens: 20, cachedTokens: 4, outputTokens: 6, estimated: false });
  });

  it('obeys the time that the server asks for', async () => {
    const played = new Played(failing('rate_limit', { retryAfterMs: 7000 }), answering());
    const { done } = read(retrying(played));
    await clock.armed(7000);
    clock.advance(6999);
    assert.equal(played.made, 1);
    clock.advance(1);
    assert.equal((await done).reason, 'stop');
  });

  it('adds jitter, never less than asked for', async () => {
    random = 0.999;
    const { events, done } = read(
      retrying(new Played(failing('rate_limit', { retryAfterMs: 1000 }), answering())),
    );
    await pass(1250);
    await done;
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'retry' ? [event.waitMs] : [])),
      [1250],
    );
  });

  it('aborting ends a wait at once', async () => {
    const abort = new AbortController();
    const played = new Played(failing('rate_limit', { retryAfterMs: 100_000 }), answering());
    const { done } = read(retrying(played), abort.signal);
    await clock.armed(100_000);
    abort.abort();
    assert.equal((await done).reason, 'aborted');
    assert.deepEqual([played.made, clock.pending], [1, []]);
  });

  it('one agent that is told to wait holds back all agents of the endpoint', async () => {
    const first = read(retrying(new Played(failing('rate_limit', { retryAfterMs: 5000 }), answering())));
    await clock.armed(5000);
    clock.advance(2000);
    const other = new Played(answering());
    const second = read(retrying(other));
    await clock.armed(3000);
    assert.equal(other.made, 0);
    assert.deepEqual(
      second.events.map((event) =>
        event.type === 'retry' ? [event.attempt, event.waitMs, event.fault.kind] : [],
      ),
      [[1, 3000, 'rate_limit']],
    );
    clock.advance(3000);
    assert.equal((await first.done).reason, 'stop');
    assert.equal((await second.done).reason, 'stop');
  });

  it('thirty agents that fail at once are one failure of the endpoint, not thirty', async () => {
    const readers = Array.from({ length: 30 }, () =>
      read(retrying(new Played(failing('overloaded'), answering()))),
    );
    await clock.armed(500);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(new Set(clock.pending), new Set([500]));
    clock.advance(500);
    for (const { done } of readers) assert.equal((await done).reason, 'stop');
  });

  it('an endpoint that goes on failing is asked less and less, up to half a minute; success starts anew', () => {
    const waits = Array.from({ length: 8 }, () => {
      const ticket = gate.ticket();
      const wait = gate.failed(ticket, fault('network'), 1);
      clock.advance(wait);
      return wait;
    });
    assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    gate.succeeded(gate.ticket());
    assert.equal(gate.closed(), undefined);
    assert.equal(gate.failed(gate.ticket(), fault('network'), 1), 500);
  });

  it('a request that began before the server said wait does not open the gate', () => {
    const early = gate.ticket();
    gate.failed(gate.ticket(), fault('rate_limit', { retryAfterMs: 1000 }), 1);
    gate.succeeded(early);
    assert.equal(gate.closed()?.waitMs, 1000);
  });

  it("a fault of one request alone (a cut stream) doesn't hold back the others", async () => {
    const first = read(retrying(new Played(failing('incomplete'), answering())));
    await clock.armed(500);
    assert.equal((await read(retrying(new Played(answering()))).done).reason, 'stop');
    clock.advance(500);
    await first.done;
  });

  it('a clock that jumps back makes nobody wait longer than two minutes', () => {
    gate.failed(gate.ticket(), fault('rate_limit', { retryAfterMs: 60_000 }), 1);
    clock.advance(-3_600_000);
    assert.equal(gate.closed()?.waitMs, 120_000);
  });

  it('an adapter that throws or gives no end is a fault, not an exception', async () => {
    const broken: ModelAttempts = {
      written: async () => '',
      attempt() {
        throw new Error('boom');
      },
    };
    const thrown = await read(retrying(broken)).done;
    assert.match(thrown.reason === 'error' ? thrown.fault.message : '', /boom/);
    const silent = await read(retrying(new Played([]))).done;
    assert.equal(silent.reason === 'error' && silent.fault.kind, 'protocol');
  });

  it('a long call that is being written shows nothing, yet is progress', async () => {
    let finish: () => void = () => undefined;
    let started: (write: () => void) => void = () => undefined;
    const begun = new Promise<() => void>((resolve) => {
      started = resolve;
    });
    const writing: ModelAttempts = {
      written: async () => '',
      async *attempt(_request, _signal, onProgress) {
        await new Promise<void>((resolve) => {
          finish = resolve;
          started(onProgress);
        });
        yield* answering();
      },
    };
    const { done } = read(retrying(writing));
    const write = await begun;
    assert.deepEqual(clock.pending, [120_000]);
    for (let i = 0; i < 5; i++) {
      clock.advance(80_000);
      write();
      assert.deepEqual(clock.pending, [90_000]);
    }
    finish();
    assert.equal((await done).reason, 'stop');
  });

  it('the time that the consumer takes is not the server being idle', async () => {
    const stream = retrying(new Played(answering())).stream(request, new AbortController().signal);
    await stream.next();
    assert.deepEqual(clock.pending, [], 'no watchdog runs while the consumer holds an event');
    clock.advance(1_000_000);
    assert.equal(((await stream.next()).value as ModelEnd).reason, 'stop');
  });

  it('Retry-After is read in every form and clamped to two minutes', () => {
    const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
    const read = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), now);
    assert.equal(read({ 'retry-after': '3' }), 3000);
    assert.equal(read({ 'retry-after': '0.5' }), 500);
    assert.equal(read({ 'retry-after': 'Wed, 21 Oct 2026 07:28:09 GMT' }), 9000);
    assert.equal(read({ 'retry-after': 'Wed, 21 Oct 2020 07:28:09 GMT' }), 0);
    assert.equal(read({ 'retry-after': '86400' }), 120_000);
    assert.equal(read({ 'retry-after': '-5' }), 0);
    assert.equal(read({ 'retry-after-ms': '250', 'retry-after': '9' }), 250);
    assert.equal(read({ 'retry-after': 'soon' }), undefined);
    assert.equal(read({}), undefined);
  });
});
