import assert from 'node:assert/strict';
import { values } from '../../src/base/table';
import type { AskId, CallId, RunId } from '../../src/shared/ids';
import { openCallsOf } from '../../src/shared/lookup';
import type { AskAbout, AskAnswer, Limits } from '../../src/shared/state';
import { inline } from '../../src/shared/text';
import { gateCall } from '../../src/team/gate';
import { limitCheck, used } from '../../src/team/limits';
import { policies } from '../../src/team/policies';
import type { Policy } from '../../src/team/policy';
import { mayGoOn } from '../../src/team/slots';
import { code, Lab, type LabOptions, USAGE } from '../rules/support';

const first = (ids: readonly CallId[]): CallId => ids[0] ?? assert.fail('no call');
const ASK = 'q0' as AskId;

const permission: Extract<AskAbout, { type: 'permission' }> = {
  type: 'permission',
  tool: 'bash',
  argsHash: 'hash of these',
  why: { code: 'mode' },
  preview: { type: 'command', command: 'npm test', cwd: '.' },
};

const answering = (answer: AskAnswer, argsHash: string | null = null, askId = ASK) =>
  ({ type: 'answer_ask', askId, argsHash, answer }) as const;

function asked(about: AskAbout = permission): { lab: Lab; call: CallId } {
  const lab = new Lab(policies.room).begin();
  const call = first(lab.step('lead', 'bash'));
  lab.must({ type: 'ask_person', callId: call, about, argsHash: null });
  lab.must({ type: 'park_run', runId: lab.run('lead').id });
  return { lab, call };
}

const limited = (limits: Partial<Limits>, options: LabOptions = {}) =>
  new Lab(policies.room, { ...options, limits }).begin();

const verdict = (lab: Lab, name = 'lead', estimate = { tokens: 0, microUsd: 0 }) =>
  limitCheck(lab.state, lab.run(name).id, estimate, lab.facts());

describe('asks: what the person answers', () => {
  it('an answer counts for exactly the arguments that were shown, once, and must be one to this question', () => {
    const { lab, call } = asked();
    const allow: AskAnswer = { type: 'allow', scope: 'once' };
    assert.equal(code(lab.refused(answering(allow, 'hash of others'))), 'wrong_state');
    assert.equal(code(lab.refused(answering(allow, null))), 'wrong_state');
    assert.equal(
      code(lab.refused(answering({ type: 'reply', text: 'yes' }, 'hash of these'))),
      'wrong_state',
    );
    assert.equal(code(lab.refused(answering({ type: 'end' }, 'hash of these'))), 'wrong_state');
    assert.equal(mayGoOn(lab.state, lab.run('lead')), false);
    assert.equal(code(lab.refused({ type: 'continue_run', runId: lab.run('lead').id })), 'wrong_state');
    lab.must(answering(allow, 'hash of these'));
    assert.equal(code(lab.refused(answering({ type: 'deny', words: '' }, 'hash of these'))), 'wrong_state');
    assert.equal(lab.call(call).phase.status, 'suspended', 'the run itself carries it out');
    assert.deepEqual(lab.startable(), ['lead']);
    lab.must({ type: 'continue_run', runId: lab.run('lead').id });
    lab.must({ type: 'permit_call', callId: call, by: 'person', argsHash: 'hash of these' });
    lab.finish(call);
    assert.equal(
      code(
        lab.refused({
          type: 'finish_call',
          callId: call,
          result: { status: 'ok', text: inline('') },
          statusCall: false,
        }),
      ),
      'wrong_state',
    );
  });

  it('an answer that comes before the run has parked is not lost', () => {
    const lab = new Lab(policies.room).begin();
    const call = first(lab.step('lead', 'ask_user'));
    const about: AskAbout = { type: 'question', text: inline('which?'), choices: [] };
    lab.must({ type: 'ask_person', callId: call, about, argsHash: null });
    lab.must(answering({ type: 'reply', text: 'north' }));
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    assert.deepEqual(lab.startable(), ['lead']);
  });

  it('with two questions open in one step the run goes on with either and parks again for the other', () => {
    const lab = new Lab(policies.room).begin();
    const [a, b] = lab.step('lead', 'bash', 'bash');
    for (const callId of [a, b]) {
      assert.ok(callId !== undefined);
      const argsHash = callId === a ? 'hash of others' : 'hash of these';
      lab.must({ type: 'ask_person', callId, about: { ...permission, argsHash }, argsHash: null });
    }
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    lab.must(answering({ type: 'deny', words: 'no' }, 'hash of these', 'q1' as AskId));
    lab.must({ type: 'continue_run', runId: lab.run('lead').id });
    lab.finish(b ?? assert.fail());
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    assert.equal(lab.run('lead').phase.status, 'parked');
    assert.deepEqual(lab.startable(), []);
  });

  it('the same call asked twice at once: a denial, and a word for the run, answer both; once answers one', () => {
    const lab = new Lab(policies.room).begin();
    for (const answer of [
      { type: 'deny', words: 'no' },
      { type: 'allow', scope: 'run' },
      { type: 'allow', scope: 'once' },
    ] as const) {
      for (const callId of lab.step('lead', 'bash', 'bash')) {
        lab.must({ type: 'ask_person', callId, about: permission, argsHash: null });
      }
      const [ask] = lab.state.open.asks;
      lab.must(answering(answer, 'hash of these', ask ?? assert.fail()));
      const left = answer.type === 'allow' && answer.scope === 'once' ? 1 : 0;
      assert.equal(lab.state.open.asks.length, left);
      for (const call of openCallsOf(lab.state, lab.run('lead').id)) lab.finish(call.id);
    }
  });

  it('parking with nothing suspended changes nothing', () => {
    const lab = new Lab(policies.room).begin();
    assert.deepEqual(lab.must({ type: 'park_run', runId: lab.run('lead').id }), []);
  });

  it('questions survive a restart, and the end of their run withdraws them', () => {
    const { lab, call } = asked();
    lab.state = JSON.parse(JSON.stringify(lab.state)) as typeof lab.state;
    assert.equal(lab.state.open.asks.length, 1);
    lab.must({ type: 'stop', name: 'lead' });
    assert.deepEqual(
      [...values(lab.state.asks)].map((ask) => ask.phase.status),
      ['withdrawn'],
    );
    const { phase } = lab.call(call);
    assert.equal(phase.status === 'finished' && phase.result.status, 'stopped');
    assert.equal(
      code(lab.refused(answering({ type: 'allow', scope: 'once' }, 'hash of these'))),
      'wrong_state',
    );
  });

  it('a stopped run acts no more, and what its effect came to is recorded all the same', () => {
    const lab = new Lab(policies.room).begin();
    const call = first(lab.step('lead', 'write'));
    const write = {
      type: 'write',
      path: 'a.txt',
      kind: 'create',
      before: null,
      after: null,
      beforeHash: null,
      afterHash: 'x',
    } as const;
    lab.must({ type: 'intend_effect', callId: call, intent: write });
    lab.must({ type: 'stop', name: 'lead' });
    assert.equal(code(lab.refused({ type: 'intend_effect', callId: call, intent: write })), 'wrong_state');
    const { type: _type, ...change } = write;
    lab.must({
      type: 'end_effect',
      callId: call,
      index: 0,
      outcome: 'done',
      change: { ...change, added: 1, removed: 0 },
    });
    assert.deepEqual(
      [...values(lab.state.changes)].map((made) => [made.path, made.agentId, made.callId]),
      [['a.txt', lab.id('lead'), call]],
    );
    const again = { type: 'end_effect', callId: call, index: 0, outcome: 'done', change: null } as const;
    assert.equal(code(lab.refused(again)), 'wrong_state');
  });

  it('what streamed when the person stopped is kept, flagged, after the end of the run', () => {
    const lab = new Lab(policies.room).begin();
    const { id } = lab.run('lead');
    const usage = {
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      estimated: true,
      microUsd: null,
      latencyMs: 1,
    };
    lab.must({ type: 'stop', name: 'lead' });
    lab.must({ type: 'record_abort', runId: id, text: inline('I was about to'), usage, fault: null });
    assert.deepEqual(
      [...values(lab.state.steps)].map((step) => step.status),
      ['aborted'],
    );
    assert.equal(
      code(lab.refused({ type: 'record_abort', runId: id, text: inline(''), usage, fault: 'late' })),
      'wrong_state',
    );
  });
});

describe('limits', () => {
  it("a run's own steps and active time end it; waiting for the person does not count", () => {
    const lab = limited({ steps: 2, activeMs: 60_000 });
    assert.deepEqual(verdict(lab), { type: 'go' });
    lab.finish(first(lab.step('lead', 'read')));
    assert.deepEqual(verdict(lab), { type: 'go' });
    lab.finish(first(lab.step('lead', 'read')));
    assert.deepEqual(verdict(lab), { type: 'end', reason: 'steps', detail: 'limit of 2 steps' });
    const slow = limited({ activeMs: 60_000 });
    slow.now += 59_000;
    assert.deepEqual(verdict(slow), { type: 'go' });
    const call = first(slow.step('lead', 'bash'));
    slow.must({ type: 'ask_person', callId: call, about: permission, argsHash: null });
    slow.must({ type: 'park_run', runId: slow.run('lead').id });
    slow.now += 3_600_000;
    slow.must(answering({ type: 'allow', scope: 'once' }, 'hash of these'));
    slow.must({ type: 'continue_run', runId: slow.run('lead').id });
    assert.deepEqual(verdict(slow), { type: 'go' });
    slow.now += 1_000;
    assert.deepEqual(verdict(slow), {
      type: 'end',
      reason: 'budget',
      detail: 'limit of 1 minute of active time',
    });
  });

  it('tokens and money are checked with the cost of the next request, over all agents, those that left included', () => {
    const lab = limited({ tokens: 100, microUsd: 1_000 });
    lab.add('lead', 'ann');
    lab.go();
    lab.finish(first(lab.step('ann', 'read')));
    lab.finish(first(lab.step('lead', 'read')));
    lab.must(lab.stopping('lead', 'ann'));
    assert.deepEqual(used(lab.state), { tokens: 30, microUsd: 200 });
    assert.deepEqual(verdict(lab, 'lead', { tokens: 70, microUsd: 800 }), { type: 'go' });
    assert.deepEqual(verdict(lab, 'lead', { tokens: 71, microUsd: 0 }), {
      type: 'ask',
      limit: 'tokens',
      used: 30,
      allowed: 100,
    });
    assert.deepEqual(verdict(lab, 'lead', { tokens: 0, microUsd: 801 }), {
      type: 'ask',
      limit: 'money',
      used: 200,
      allowed: 1_000,
    });
    assert.deepEqual(verdict(limited({}), 'lead', { tokens: 1e12, microUsd: 1e12 }), { type: 'go' });
  });

  const about = { type: 'limit', limit: 'tokens', used: 90, allowed: 100 } as const;

  it('a raised limit goes into the settings and lets every run that waited for it go on', () => {
    const lab = limited({ tokens: 100 });
    lab.add('lead', 'ann');
    lab.go();
    for (const name of ['lead', 'ann']) lab.must({ type: 'ask_limit', runId: lab.run(name).id, about });
    assert.deepEqual(lab.startable(), []);
    assert.equal(code(lab.refused(answering({ type: 'raise', to: 90 }))), 'limit_bounds');
    lab.must(answering({ type: 'raise', to: 200 }));
    assert.equal(lab.state.session?.settings.limits.tokens, 200);
    assert.deepEqual(lab.startable(), ['lead', 'ann']);
    assert.deepEqual(lab.state.open.asks, []);
  });

  it('refused, the run ends with budget and is reported', () => {
    const lab = limited({ tokens: 100 });
    lab.add('lead', 'ann');
    lab.go();
    lab.must({ type: 'ask_limit', runId: lab.run('ann').id, about });
    lab.must(answering({ type: 'end' }));
    const { phase } = lab.run('ann');
    assert.equal(phase.status === 'ended' && phase.reason, 'budget');
    assert.match(lab.boundary('lead').join(), /^\[Team report from ann to lead:\]/);
  });

  it('a limit is a whole number of at least one, or null', () => {
    const lab = limited({});
    const set = (limits: Partial<Limits>) =>
      ({
        type: 'set_limits',
        limits: { steps: 50, activeMs: 1, tokens: 1, microUsd: 1, ...limits },
      }) as const;
    for (const bad of [{ steps: 0 }, { tokens: -1 }, { microUsd: 1.5 }, { activeMs: Number.NaN }]) {
      assert.equal(code(lab.refused(set(bad))), 'limit_bounds', JSON.stringify(bad));
    }
    lab.must(set({ steps: null }));
    assert.equal(lab.state.session?.settings.limits.steps, null);
  });
});

describe('brakes', () => {
  const braked = (policy: Policy) => new Lab(policy).begin();
  const gate = (lab: Lab, callId: CallId, argsHash = 'same', volatile = false) =>
    gateCall(
      lab.state,
      { call: lab.call(callId), risk: 'read', volatile, argsHash, reading: false },
      lab.facts(),
    );

  it('O-33 an identical call is intercepted, unless something was written or run in between, or it is volatile', () => {
    const policy: Policy = { ...policies.room, repetition: true };
    const lab = braked(policy);
    const read = () => first(lab.step('lead', 'read'));
    const one = read();
    assert.equal(gate(lab, one), null);
    lab.finish(one);
    const two = read();
    assert.equal(gate(lab, two), 'repetition');
    assert.equal(gate(lab, two, 'same', true), null);
    lab.finish(two, 'refused');
    const write = first(lab.step('lead', 'bash'));
    const intent = { type: 'command', command: 'x', cwd: '.', pgid: 1, startedAt: 't' } as const;
    lab.must({ type: 'intend_effect', callId: write, intent });
    lab.must({ type: 'end_effect', callId: write, index: 0, outcome: 'done', change: null });
    lab.finish(write);
    const three = read();
    assert.equal(gate(lab, three), null);
    lab.finish(three);
    const behind = first(lab.step('lead', 'bash'));
    lab.must({ type: 'start_job', callId: behind, command: 'x', cwd: '.', pgid: 1, processStart: 't' });
    lab.finish(behind);
    const four = read();
    assert.equal(gate(lab, four), null, 'what runs in the background is run too');
    lab.finish(four);
    lab.end('lead', 'x');
    lab.say('again');
    lab.go();
    assert.equal(gate(lab, read()), null, 'compared within a run');
  });

  it('O-32 and X24: three execution errors stop the tools; refusals do not count', () => {
    const lab = braked({ ...policies.room, errors: 3 });
    for (const status of ['refused', 'error', 'refused', 'error', 'refused'] as const) {
      lab.finish(first(lab.step('lead', 'read')), status);
    }
    const call = first(lab.step('lead', 'read'));
    assert.equal(gate(lab, call), null);
    lab.finish(call, 'error');
    assert.equal(gate(lab, first(lab.step('lead', 'read'))), 'errors');
  });
});

describe('sessions and runs', () => {
  it('paused, nothing starts; continued, all goes on', () => {
    const lab = new Lab(policies.room);
    lab.say('a task');
    lab.must({ type: 'pause', paused: true });
    assert.deepEqual(lab.startable(), []);
    assert.equal(code(lab.refused({ type: 'start_run', runId: lab.run('lead').id })), 'wrong_state');
    lab.must({ type: 'pause', paused: false });
    assert.deepEqual(lab.go(), ['lead']);
  });

  it('a run starts once, and an agent has one run at a time', () => {
    const lab = new Lab(policies.room).begin();
    assert.equal(code(lab.refused({ type: 'start_run', runId: lab.run('lead').id })), 'wrong_state');
    assert.deepEqual(lab.refused({ type: 'start_run', runId: 'r9' as RunId }), { code: 'gone', what: 'run' });
    lab.say('more');
    assert.equal(lab.agent('lead').runs.length, 1, 'taken in the turn that goes on');
    assert.deepEqual(lab.boundary('lead'), ['more']);
  });

  it('the model is not asked again before each call of its last answer has a result', () => {
    const lab = new Lab(policies.room).begin();
    const [one, two] = lab.step('lead', 'read', 'read');
    assert.ok(one !== undefined && two !== undefined);
    lab.finish(one);
    const step = {
      type: 'record_step',
      runId: lab.run('lead').id,
      text: inline('x'),
      reasoning: null,
    } as const;
    const command = { ...step, calls: [], usage: USAGE };
    assert.deepEqual(lab.refused(command), { code: 'wrong_state', what: 'call', is: 'asked' });
    lab.finish(two);
    lab.must(command);
  });

  it('an interrupted run comes back in the place it had, and to what it had not done', () => {
    const lab = new Lab(policies.room).begin();
    lab.add('lead', 'ann');
    lab.go();
    const call = first(lab.step('ann', 'read'));
    lab.must({ type: 'interrupt_run', runId: lab.run('ann').id });
    lab.must({ type: 'resume', go: true, runs: null });
    assert.equal(lab.run('ann').phase.status, 'queued');
    assert.deepEqual(lab.go(), ['ann']);
    assert.equal(lab.call(call).phase.status, 'asked');
    assert.deepEqual(lab.heard('ann'), ['brief of ann'], 'the brief is not given twice');
  });

  it('declined, it ends with its reason, its calls have a result, and its mail is not lost', () => {
    const lab = new Lab(policies.room).begin();
    lab.add('lead', 'ann');
    lab.go();
    const call = first(lab.step('ann', 'read'));
    lab.must({ type: 'interrupt_run', runId: lab.run('ann').id });
    lab.send('lead', ['ann'], 'still there?');
    lab.must({ type: 'resume', go: false, runs: null });
    const { phase } = lab.call(call);
    assert.equal(phase.status === 'finished' && phase.result.status, 'stopped');
    assert.deepEqual(lab.go(), ['ann'], 'woken by the mail that waited');
    assert.equal(lab.heard('ann').at(-1), '[Team message from lead to ann:]\nstill there?');
  });

  it('what the host has to say is a message of its own', () => {
    const lab = new Lab(policies.room).begin();
    const [event] = lab.must({
      type: 'take_input',
      runId: lab.run('lead').id,
      host: inline('you were away'),
    });
    assert.equal(event?.type, 'input.taken');
    assert.equal(lab.heard('lead').at(-1), '[From Teamroom:]\nyou were away');
  });

  it('a member gets no words of the person but those addressed to it', () => {
    const lab = new Lab(policies.room).begin();
    lab.add('lead', 'ann');
    lab.go();
    assert.deepEqual(lab.refused({ type: 'say_to', to: 'nix', text: inline('x') }), {
      code: 'unknown',
      name: 'nix',
    });
    assert.equal(code(lab.refused({ type: 'say_to', to: 'ann', text: inline(' ') })), 'empty');
    assert.equal(code(lab.refused({ type: 'say', text: inline('') })), 'empty');
    lab.must({ type: 'say_to', to: 'lead', text: inline('to the lead') });
    assert.deepEqual(lab.boundary('lead'), ['to the lead'], 'unmarked, like all its words to the lead');
  });
});
