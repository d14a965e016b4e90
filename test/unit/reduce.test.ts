import assert from 'node:assert/strict';
import fc from 'fast-check';
import { values } from '../../src/base/table';
import type { TeamEvent } from '../../src/shared/events';
import { type CallId, localId, type ModelId, type RunId } from '../../src/shared/ids';
import { agentOf, openCallsOf, openRuns } from '../../src/shared/lookup';
import { fits, initialState, reduce } from '../../src/shared/reduce';
import { knownEventTypes, parseEvent, parseRecord } from '../../src/shared/schema';
import type { OpenIndex, State } from '../../src/shared/state';
import { inline } from '../../src/shared/text';
import type { Command } from '../../src/team/commands';
import { policies } from '../../src/team/policies';
import { slotsInUse, startable } from '../../src/team/slots';
import { Lab, MAIN, modelFacts } from '../rules/support';

/** What `open` must be: the same question asked of the whole history. */
function openOf(state: State): OpenIndex {
  return {
    runs: [...values(state.runs)].filter((run) => run.phase.status !== 'ended').map((run) => run.id),
    deliveries: [...values(state.deliveries)]
      .filter(({ phase }) => phase.status === 'pending' || phase.status === 'delivered')
      .map((delivery) => delivery.id),
    asks: [...values(state.asks)].filter((ask) => ask.phase.status === 'open').map((ask) => ask.id),
    notes: [...values(state.notes)].filter((note) => note.toldIn === null).map((note) => note.id),
    jobs: [...values(state.jobs)].filter((job) => job.phase.status !== 'ended').map((job) => job.id),
  };
}

const OTHER = 'other' as ModelId;
const NAMES = ['ann', 'bob', 'cid', 'dee'];
const pick = <T>(items: readonly T[], n: number): T | undefined => items[n % Math.max(1, items.length)];

/** One random act on the lab: of a model, the person, the scheduler or a crash. Acts that make no sense are refused. */
function act(lab: Lab, kind: number, a: number, b: number): void {
  const present = [...values(lab.state.agents)].filter((agent) => agent.left === null);
  const agent = pick(present, a);
  const runs = openRuns(lab.state);
  const run = pick(runs, a);
  const call = run === undefined ? undefined : pick(openCallsOf(lab.state, run.id), b);
  const ask = pick(lab.state.open.asks, a);
  const name = pick(NAMES, b) ?? 'ann';
  const text = inline(`words ${a} ${b}`);
  const usage = {
    inputTokens: a,
    cachedTokens: 0,
    outputTokens: b,
    estimated: false,
    microUsd: 1,
    latencyMs: 1,
  };
  const commands: readonly (() => Command | null)[] = [
    () => (agent === undefined ? null : lab.adding(agent.name, name, { lead: b % 2 === 0 })),
    () => (agent === undefined ? null : { type: 'team_send', by: agent.id, to: [name], text }),
    () => (agent === undefined ? null : { type: 'team_send', by: agent.id, to: ['all'], text }),
    () => (agent === undefined ? null : { type: 'team_stop', by: agent.id, name }),
    () => (agent === undefined ? null : { type: 'report', by: agent.id, text }),
    () => ({ type: 'say', text }),
    () => ({ type: 'say_to', to: name, text }),
    () => ({ type: 'stop', name: a % 3 === 0 ? 'lead' : name }),
    () => ({ type: 'set_size', size: { min: 1 + (a % 3), max: 3 + (b % 4) } }),
    () => (run === undefined ? null : { type: 'take_input', runId: run.id, host: a % 5 === 0 ? text : null }),
    () => (run === undefined ? null : { type: 'interrupt_run', runId: run.id }),
    () => ({ type: 'resume', go: b % 2 === 0, runs: null }),
    () =>
      run === undefined
        ? null
        : {
            type: 'record_step',
            runId: run.id,
            text,
            reasoning: null,
            calls:
              openCallsOf(lab.state, run.id).length > 0 ? [] : [{ wireId: 'w', tool: 'read', args: text }],
            usage,
          },
    () =>
      call === undefined
        ? null
        : { type: 'finish_call', callId: call.id, result: { status: 'ok', text }, statusCall: b % 2 === 0 },
    () =>
      call === undefined
        ? null
        : {
            type: 'ask_person',
            callId: call.id,
            about: { type: 'question', text, choices: [] },
            argsHash: null,
          },
    () => (run === undefined ? null : { type: 'park_run', runId: run.id }),
    () =>
      ask === undefined
        ? null
        : { type: 'answer_ask', askId: ask, argsHash: null, answer: { type: 'reply', text: 'yes' } },
    () =>
      run === undefined || openCallsOf(lab.state, run.id).length > 0
        ? null
        : {
            type: 'end_run',
            runId: run.id,
            reason: (['final', 'steps', 'budget', 'error'] as const)[b % 4] ?? 'final',
            detail: null,
            text,
            paths: [],
          },
    () => {
      for (const start of startable([lab.state], lab.facts())) {
        lab.must({ type: 'start_run', runId: start.runId });
      }
      return null;
    },
    () => (call === undefined ? null : { type: 'permit_call', callId: call.id, by: 'class', argsHash: null }),
    () => {
      const deliveryId = pick(lab.state.open.deliveries, a);
      return deliveryId === undefined ? null : { type: 'return_delivery', deliveryId, reason: 'late' };
    },
    () => {
      const delivery = pick([...values(lab.state.deliveries)], a);
      if (delivery === undefined || run === undefined) return null;
      return { type: 'record_result', deliveryId: delivery.id, attempt: 1 + (b % 2), runId: run.id, text };
    },
    () => {
      const task = pick([...values(lab.state.tasks)], a);
      return task === undefined ? null : { type: 'revise_task', taskId: task.id, brief: text };
    },
    () =>
      agent === undefined || call === undefined
        ? null
        : { type: 'delegate', by: agent.id, callId: call.id, name, instruction: text, thread: null },
    () => (run === undefined ? null : { type: 'record_abort', runId: run.id, text, usage, fault: null }),
    () => ({ type: 'pause', paused: b % 3 === 0 }),
    () => (run === undefined ? null : { type: 'pause_run', runId: run.id }),
    () => {
      const any = pick([...values(lab.state.runs)], a);
      return any === undefined ? null : { type: 'retry', runId: any.id, model: b % 4 === 0 ? OTHER : null };
    },
    () => ({ type: 'tell_lead' }),
    () =>
      run === undefined
        ? null
        : {
            type: 'record_compaction',
            runId: run.id,
            text: b % 2 === 0 ? text : null,
            from: null,
            cut: [],
            fault: null,
            usage: b % 3 === 0 ? usage : null,
          },
  ];
  const command = pick(commands, kind)?.() ?? null;
  if (command !== null) lab.dispatch(command);
}

const ACTS = fc.array(fc.tuple(fc.nat(29), fc.nat(30), fc.nat(30)), { minLength: 40, maxLength: 160 });
const limited = () =>
  new Lab(policies.room, {
    models: [modelFacts('main', { slots: 2 }), modelFacts('other')],
    size: { min: 1, max: 5 },
  });

function checkInvariants(lab: Lab): void {
  const { state } = lab;
  assert.deepEqual(state.open, openOf(state), 'the open index');
  const active = openRuns(state).filter((run) => run.phase.status !== 'queued');
  assert.equal(new Set(active.map((run) => run.agentId)).size, active.length, 'at most one run per agent');
  assert.ok(slotsInUse([state], MAIN) <= 2, 'running agents per model within its slots');
  for (const run of openRuns(state)) {
    assert.equal(agentOf(state, run.agentId)?.left, null, 'nobody who left has work');
    assert.ok(run.entries.every((entry) => entry.type !== 'input' || entry.parts.length > 0));
  }
  const numbers = [...values(state.messages)].flatMap(({ n }) => (n === null ? [] : [n]));
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i + 1),
    'room numbers from 1 without a gap',
  );
  for (const run of values(state.runs)) {
    const taken = run.entries.flatMap((entry) =>
      entry.type === 'input'
        ? entry.parts.flatMap((part) => (part.type === 'deliveries' ? part.deliveries : []))
        : [],
    );
    assert.equal(new Set(taken).size, taken.length, 'no message is shown twice in a run');
  }
  const results = lab.events.flatMap((event) => (event.type === 'call.finished' ? [event.callId] : []));
  assert.equal(new Set(results).size, results.length, 'one result a call');
}

describe('reduce', () => {
  it('keeps its invariants over any sequence of acts, and a replay gives the same state', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(ACTS, (acts) => {
        const lab = limited();
        for (const [kind, a, b] of acts) act(lab, kind, a, b);
        checkInvariants(lab);
        for (const event of lab.events) seen.add(event.type);
        let replayed = initialState;
        for (const event of lab.events) {
          const read = parseRecord(JSON.stringify(event));
          assert.ok(read.ok, `${event.type} was not accepted from disk`);
          for (const each of read.value) replayed = reduce(replayed, each);
        }
        assert.deepEqual(replayed, lab.state);
        assert.deepEqual(JSON.parse(JSON.stringify(lab.state)), lab.state);
      }),
      // A fixed seed, since what the acts reach is asserted; the next test is a new one each time.
      { numRuns: 200, seed: 7 },
    );
    // The acts must reach what they are there for.
    const reached = [
      ['run.parked', 'run.continued', 'run.interrupted', 'run.requeued', 'run.ended', 'agent.left'],
      ['delivery.delivered', 'delivery.processed', 'delivery.dropped', 'ask.answered', 'ask.withdrawn'],
      ['session.paused', 'context.compacted', 'notes.pressed', 'agent.model'],
      ['note.told', 'step.aborted', 'call.finished', 'call.permitted', 'outcome.recorded'],
    ].flat();
    assert.deepEqual(
      reached.filter((type) => !seen.has(type)),
      [],
    );
  });

  it('keeps its invariants under every style, and no decision makes an event that does not fit', () => {
    for (const policy of Object.values(policies)) {
      fc.assert(
        fc.property(ACTS, (acts) => {
          const lab = new Lab(
            { ...policy, names: policy.names === 'platform' ? 'after_leave' : policy.names },
            {
              models: [modelFacts('main', { slots: 2 })],
              size: { min: 1, max: 5 },
            },
          );
          lab.expertModels.set('general', 'main');
          for (const [kind, a, b] of acts) act(lab, kind, a, b);
          checkInvariants(lab);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('loses no wake-up: who has mail that was not picked up has a run, unless its turn was stopped or failed before it began', () => {
    fc.assert(
      fc.property(ACTS, (acts) => {
        const lab = limited();
        for (const [kind, a, b] of acts) act(lab, kind, a, b);
        const atWork = new Set(openRuns(lab.state).map((run) => run.agentId));
        for (const delivery of values(lab.state.deliveries)) {
          if (delivery.phase.status !== 'pending' || atWork.has(delivery.to)) continue;
          const { phase, entries } = lab.run(lab.nameOf(delivery.to));
          const reason = phase.status === 'ended' ? phase.reason : phase.status;
          // One that failed before it took anything in would fail again at once for the same mail, without end.
          assert.equal(entries.length === 0 && reason === 'error' ? 'stopped' : reason, 'stopped');
        }
      }),
      { numRuns: 150 },
    );
  });

  it('is total: an event that makes no sense changes nothing but the sequence number', () => {
    const lab = limited().begin();
    lab.add('lead', 'ann');
    lab.send('lead', ['ann'], 'not picked up yet');
    const { state } = lab;
    const nonsense: readonly TeamEvent[] = [
      { at: 1, type: 'run.started', runId: 'r99' as never },
      {
        at: 1,
        type: 'run.queued',
        runId: 'r0' as never,
        agentId: 'a0' as never,
        cause: 'user',
        startAfter: null,
        taskId: null,
        model: MAIN,
      },
      { at: 1, type: 'run.requeued', runId: lab.run('lead').id },
      { at: 1, type: 'delivery.processed', deliveryId: 'd7' as never, runId: lab.run('lead').id },
      { at: 1, type: 'delivery.processed', deliveryId: 'd1' as never, runId: lab.run('lead').id },
      { at: 1, type: 'agent.left', agentId: 'x' as never, by: { type: 'person' }, reason: 'stopped' },
      { at: 1, type: 'team.dissolved', teamId: 't5' as never },
      { at: 1, type: 'from.the.future' } as unknown as TeamEvent,
    ];
    for (const event of nonsense) {
      assert.equal(fits(state, event), false, event.type);
      assert.deepEqual(reduce(state, event), { ...state, seq: state.seq + 1 }, event.type);
    }
  });

  it('starts no second run of an agent beside one that goes on', () => {
    const lab = limited().begin();
    const runId = localId<RunId>('r', lab.state.runs.size);
    const agentId = lab.id('lead');
    const queued: TeamEvent = {
      at: 1,
      type: 'run.queued',
      runId,
      agentId,
      cause: 'mail',
      startAfter: null,
      taskId: null,
      model: MAIN,
    };
    const state = reduce(lab.state, queued);
    assert.equal(fits(state, { at: 2, type: 'run.started', runId }), false);
    lab.state = state;
    assert.deepEqual(lab.startable(), []);
  });

  it('gives each call exactly one result: a second one changes nothing', () => {
    const lab = limited().begin();
    const [call] = lab.step('lead', 'read');
    assert.ok(call !== undefined);
    lab.finish(call);
    const again: TeamEvent = {
      at: 9,
      type: 'call.finished',
      callId: call,
      result: { status: 'error', text: inline('another') },
      statusCall: false,
    };
    assert.equal(fits(lab.state, again), false);
    const { phase } = lab.call(call);
    assert.equal(phase.status === 'finished' && phase.result.status, 'ok');
  });

  it('counts steps, tokens, money and active time for the run and its agent, without the time of a wait', () => {
    const lab = new Lab(policies.room);
    lab.now = 10_000;
    lab.begin();
    const started = lab.run('lead').startedAt ?? 0;
    lab.now = started + 499;
    const [call] = lab.step('lead', 'ask_user');
    assert.ok(call !== undefined);
    const about = { type: 'question', text: inline('which?'), choices: [] } as const;
    lab.must({ type: 'ask_person', callId: call, about, argsHash: null });
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    const parkedAt = lab.now;
    lab.now += 60_000;
    lab.must({
      type: 'answer_ask',
      askId: 'q0' as never,
      argsHash: null,
      answer: { type: 'reply', text: 'a' },
    });
    lab.must({ type: 'continue_run', runId: lab.run('lead').id });
    const wentOn = lab.now;
    lab.finish(call);
    lab.end('lead', 'done');
    const active = parkedAt - started + (lab.now - wentOn);
    assert.equal(lab.run('lead').activeMs, active);
    assert.deepEqual(lab.agent('lead').usage, {
      inputTokens: 10,
      cachedTokens: 0,
      outputTokens: 5,
      microUsd: 100,
      steps: 1,
      activeMs: active,
    });
  });

  it('marks what a call did to the team on the call itself', () => {
    const lab = limited().begin();
    const [call] = lab.step('lead', 'team_add');
    assert.ok(call !== undefined);
    const [first, ...rest] = lab.add('lead', 'ann');
    assert.ok(first !== undefined && rest.length > 0);
    const state = reduce(lab.state, { ...first, call: call as CallId });
    const effects = [...values(state.calls)].map((each) => each.effects);
    assert.deepEqual(effects, [[{ intent: { type: 'team' }, outcome: 'done' }]]);
  });

  it('costs the same per event with a long history as with a short one', () => {
    const time = (lab: Lab, rounds: number): number => {
      const began = process.hrtime.bigint();
      for (let i = 0; i < rounds; i++) lab.send('ann', ['bob'], `m${i}`);
      return Number(process.hrtime.bigint() - began) / rounds;
    };
    const lab = new Lab(policies.room).begin();
    lab.add('lead', 'ann');
    lab.add('lead', 'bob');
    lab.go();
    const drain = (): void => {
      lab.go();
      lab.boundary('bob');
      lab.end('bob', '');
    };
    time(lab, 200);
    drain();
    const early = time(lab, 200);
    for (let i = 0; i < 40; i++) {
      time(lab, 200);
      drain();
    }
    const late = time(lab, 200);
    assert.ok(lab.state.seq > 15_000);
    assert.ok(late < early * 4 + 50_000, `early ${early} ns, late ${late} ns an event`);
  });
});

describe('schema', () => {
  it('knows every type of event that the reducer handles', () => {
    const lab = limited().begin();
    assert.ok(lab.events.length > 0);
    assert.equal(new Set(knownEventTypes).size, knownEventTypes.length);
    for (const { type } of lab.events) assert.ok(knownEventTypes.includes(type), type);
  });

  it('tells an unknown type, a bad shape and broken JSON apart, and never throws', () => {
    const codeOf = (value: unknown) => {
      const read = parseEvent(value);
      return read.ok ? 'ok' : read.error.code;
    };
    const good = { at: 1, type: 'run.started', runId: 'r0' };
    assert.deepEqual(
      [
        good,
        { ...good, later: true },
        { ...good, type: 'x.y' },
        { ...good, runId: 7 },
        { type: 'run.started' },
        null,
        4,
      ].map(codeOf),
      ['ok', 'ok', 'unknown_type', 'bad_shape', 'bad_shape', 'bad_shape', 'bad_shape'],
    );
    const broken = parseRecord('{"at":1,');
    assert.equal(broken.ok ? 'ok' : broken.error.code, 'not_json');
    const record = parseRecord(JSON.stringify([good, { ...good, type: 'run.parked' }]));
    assert.equal(record.ok ? 'ok' : record.error.code, 'bad_shape', 'one bad event makes the record bad');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        parseEvent(value);
      }),
    );
  });
});
