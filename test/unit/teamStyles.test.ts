import assert from 'node:assert/strict';
import { at, values } from '../../src/base/table';
import type { CallId, TaskId } from '../../src/shared/ids';
import { callOf, deliveryOf, outcomeOf, taskOf } from '../../src/shared/lookup';
import type { State } from '../../src/shared/state';
import { inline } from '../../src/shared/text';
import type { TeamCommand } from '../../src/team/commands';
import { policies } from '../../src/team/policies';
import type { Policy } from '../../src/team/policy';
import { code, inlineText, Lab, type LabOptions, modelFacts, roomOf } from '../rules/support';

/** The roster of the routing styles comes from a definition; here its members are added as the platform would. */
function configured(policy: Policy, names: readonly string[], options: LabOptions = {}): Lab {
  const lab = new Lab(policy, options);
  lab.expertModels.set('general', 'main');
  for (const name of names) {
    lab.policy = { ...policy, names: 'after_leave' };
    lab.add('lead', name);
  }
  lab.policy = policy;
  return lab;
}

const one = <T>(items: readonly T[]): T => {
  const [item, ...rest] = items;
  if (item === undefined || rest.length > 0) return assert.fail(`one item expected, not ${items.length}`);
  return item;
};

const delegating = (lab: Lab, callId: CallId, name: string, thread: TaskId | null = null): TeamCommand => ({
  type: 'delegate',
  by: lab.id('lead'),
  callId,
  name,
  instruction: inline(`for ${name}`),
  thread,
});

const resultOf = (state: State, id: CallId): string => {
  const phase = callOf(state, id)?.phase;
  return phase?.status === 'finished' ? `${phase.result.status}: ${inlineText(phase.result.text)}` : 'open';
};

/** The lead is at work and has made one call. */
function delegated(lab: Lab, name: string): CallId {
  lab.begin();
  const call = one(lab.step('lead', 'delegate'));
  lab.must(delegating(lab, call, name));
  return call;
}

describe('the state machine under the other styles', () => {
  it('C-13 members launch after the turn of the lead that declared them, and not during it', () => {
    const lab = new Lab(policies.plan).begin();
    lab.add('lead', 'ann');
    lab.add('lead', 'bob');
    assert.deepEqual(lab.go(), []);
    lab.step('lead', 'read');
    assert.deepEqual(lab.go(), []);
    lab.end('lead', 'two parts are given out');
    assert.deepEqual(lab.go(), ['ann', 'bob']);
    // X2: only the turn that declared the member counts, and only once.
    lab.say('more');
    lab.go();
    assert.equal(lab.run('ann').phase.status, 'running');
  });

  it('C-14 and C-58: a member starts when all that it needs is delivered, and a failure keeps it blocked', () => {
    const lab = new Lab(policies.plan).begin();
    lab.add('lead', 'facts');
    lab.add('lead', 'draft');
    lab.add('lead', 'final', { dependsOn: ['facts', 'draft'] });
    lab.end('lead', 'planned');
    assert.deepEqual(lab.go(), ['facts', 'draft']);
    lab.end('facts', 'found', 'delivered');
    assert.ok(!lab.go().includes('final'));
    lab.end('draft', 'the disk is full', 'error', 'disk full');
    assert.ok(!lab.go().includes('final'));
    const task = taskOf(lab.state, lab.agent('draft').taskId ?? ('k9' as TaskId));
    assert.equal(task?.status, 'failed');
    assert.equal(task.evidence === null ? null : inlineText(task.evidence), 'the disk is full');
  });

  it('C-39 a message between the stop of a waiting run and its finalisation starts the next run', () => {
    const lab = new Lab(policies.plan).begin();
    lab.add('lead', 'ann');
    lab.add('lead', 'bob');
    lab.end('lead', 'go');
    lab.go();
    lab.send('ann', ['bob'], 'which region?');
    lab.boundary('ann');
    // The model has stopped; the run is not finalised yet.
    lab.send('bob', ['ann'], 'north');
    lab.end('ann', '', 'waiting');
    assert.deepEqual(
      lab.openRuns('ann').map((run) => [run.cause, run.phase.status]),
      [['mail', 'queued']],
    );
    // C-25: woken after the turn of the sender has ended.
    assert.deepEqual(lab.startable(), []);
    lab.end('bob', 'told', 'delivered');
    assert.ok(lab.go().includes('ann'));
    assert.equal(taskOf(lab.state, lab.agent('ann').taskId ?? ('k9' as TaskId))?.status, 'open', 'C-37');
  });

  it('C-67 revision is refused unless downstream work is delivered or cancelled, then marks it stale', () => {
    const lab = new Lab(policies.plan).begin();
    lab.add('lead', 'root');
    lab.add('lead', 'left', { dependsOn: ['root'] });
    lab.add('lead', 'leaf', { dependsOn: ['left'] });
    lab.end('lead', 'planned');
    lab.go();
    lab.end('root', 'v1', 'delivered');
    lab.go();
    lab.end('left', 'l1', 'delivered');
    lab.go();
    const taskId = lab.agent('root').taskId ?? assert.fail('no task');
    const revise = { type: 'revise_task', taskId, brief: inline('v2, please') } as const;
    assert.deepEqual(lab.refused(revise), { code: 'downstream_unfinished', names: ['leaf'] });
    lab.end('leaf', 'f1', 'delivered');
    const runsBefore = lab.agent('root').runs.length;
    lab.must(revise);
    assert.deepEqual(
      [...values(lab.state.tasks)].map((task) => task.status),
      ['open', 'stale', 'stale'],
    );
    assert.equal(
      lab.agent('root').runs.length,
      runsBefore + 1,
      'C-31: the same member and task, one run more',
    );
    assert.equal(lab.run('root').taskId, taskId);
  });

  it('X8 nested parks on a model with two slots go on: who gave a slot back comes back before all but the lead', () => {
    const policy: Policy = { ...policies.standard, depth: null, topology: 'mesh' };
    const lab = new Lab(policy, { models: [modelFacts('main', { slots: 2 })] });
    lab.policy = { ...policy, names: 'after_leave' };
    lab.expertModels.set('general', 'main');
    lab.add('lead', 'mid', { lead: true });
    lab.add('mid', 'deep');
    lab.add('lead', 'other');
    lab.add('lead', 'third');
    lab.policy = policy;
    lab.begin();
    const outer = one(lab.step('lead', 'delegate'));
    lab.must(delegating(lab, outer, 'mid'));
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    assert.deepEqual(lab.go(), ['mid']);
    const inner = one(lab.step('mid', 'delegate'));
    lab.must({ ...delegating(lab, inner, 'deep'), by: lab.id('mid') } as TeamCommand);
    lab.must({ type: 'park_run', runId: lab.run('mid').id });
    // Both gave their slots back, so the third level can work, and so can somebody else.
    lab.must({ type: 'say_to', to: 'other', text: inline('and you') });
    assert.deepEqual(lab.go(), ['deep', 'other']);
    lab.must({ type: 'say_to', to: 'third', text: inline('and you') });
    assert.deepEqual(lab.go(), [], 'both slots are taken');
    lab.end('deep', 'from below');
    assert.equal(resultOf(lab.state, inner), 'ok: from below');
    // `third` has waited as well; the one that gave its slot away is before it.
    assert.deepEqual(lab.go(), ['mid']);
    lab.end('mid', 'from the middle');
    assert.equal(resultOf(lab.state, outer), 'ok: from the middle');
    assert.deepEqual(lab.go(), ['lead'], 'the lead before all others');
    lab.end('other', '');
    assert.deepEqual(lab.go(), ['third']);
  });

  it('A-27 a delivery put back is fenced: what the old attempt still brings is refused', () => {
    const lab = new Lab(policies.dispatch).begin();
    lab.add('lead', 'ann');
    assert.deepEqual(lab.startable(), [], 'a member starts on its mail');
    lab.send('lead', ['ann'], 'work');
    const delivery = () => deliveryOf(lab.state, 'd1' as never) ?? assert.fail('no delivery');
    assert.equal(delivery().phase.status, 'pending', 'persisting alone is no delivery (X11)');
    assert.deepEqual(lab.go(), ['ann']);
    assert.equal(delivery().phase.status, 'delivered');
    const old = lab.run('ann').id;
    lab.must({ type: 'interrupt_run', runId: old });
    assert.equal(delivery().phase.status, 'delivered', 'a crash changes nothing by itself');
    lab.must({ type: 'return_delivery', deliveryId: delivery().id, reason: 'timeout' });
    assert.deepEqual([delivery().phase.status, delivery().attempt], ['pending', 2]);
    const result = {
      type: 'record_result',
      deliveryId: delivery().id,
      runId: old,
      text: inline('late'),
    } as const;
    assert.deepEqual(lab.refused({ ...result, attempt: 1 }), { code: 'fenced', attempt: 1, current: 2 });
    lab.must({ type: 'resume', go: true, runs: null });
    assert.ok(lab.go().includes('ann'));
    const runId = lab.run('ann').id;
    const events = lab.must({ ...result, attempt: 2, runId, text: inline('second') });
    assert.deepEqual(
      events.map((event) => event.type),
      ['outcome.recorded', 'delivery.processed'],
      'A-16, A-17: the result first',
    );
    assert.equal(code(lab.refused({ ...result, attempt: 2 })), 'wrong_state', 'and only one');
  });

  it('O-15 in a router the member answers the person and the manager has no further turn', () => {
    const lab = configured(policies.router, ['billing']);
    const call = delegated(lab, 'billing');
    assert.equal(lab.run('lead').phase.status, 'ended');
    assert.ok(resultOf(lab.state, call).startsWith('ok'));
    assert.deepEqual(lab.go(), ['billing']);
    lab.end('billing', 'your invoice is paid');
    assert.deepEqual(lab.startable(), []);
    const last = at(lab.state.messages, lab.state.messages.size - 1);
    assert.deepEqual(
      [last?.kind, last?.fromName, last?.to, last === undefined ? '' : inlineText(last.text)],
      ['answer', 'billing', ['person'], 'your invoice is paid'],
    );
    assert.equal(lab.agent('lead').runs.length, 1);
  });

  it("O-29 and O-30: a member's question is the result of the delegation, and the same thread goes on with the answer", () => {
    const lab = configured(policies.standard, ['billing']);
    const call = delegated(lab, 'billing');
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    const phase = lab.run('lead').phase;
    assert.equal(phase.status === 'parked' && phase.slot, 'given_back');
    lab.go();
    lab.end('billing', 'which account?', 'question');
    assert.equal(resultOf(lab.state, call), 'ok: which account?');
    const thread = lab.run('billing').taskId ?? assert.fail('no thread');
    assert.equal(taskOf(lab.state, thread)?.status, 'open', 'a question is no delivery (X17)');
    lab.go();
    const again = one(lab.step('lead', 'delegate'));
    lab.must(delegating(lab, again, 'billing', thread));
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    lab.go();
    assert.equal(lab.run('billing').taskId, thread);
    lab.end('billing', 'done for account 7');
    assert.equal(resultOf(lab.state, again), 'ok: done for account 7');
    assert.equal(taskOf(lab.state, thread)?.status, 'delivered');
    assert.equal(lab.state.tasks.size, 1);
  });

  it('O-28 a failure is the result of the delegation too', () => {
    const lab = configured(policies.standard, ['billing']);
    const call = delegated(lab, 'billing');
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    lab.go();
    lab.end('billing', '', 'error', 'the server is gone');
    assert.equal(resultOf(lab.state, call), 'error: the server is gone');
    assert.equal(outcomeOf(lab.state, 'o0' as never)?.kind, 'failure');
  });

  for (const [name, policy, cap] of [
    ['60 by default', policies.standard, 60],
    ['another number where it is set', { ...policies.standard, invocations: 2 }, 2],
  ] as const) {
    it(`O-31 members run as often in a session as the cap allows, the next run ends with a loop-limit error, and turns of the manager do not count: ${name}`, () => {
      const lab = configured(policy, ['billing', 'legal'], { models: [modelFacts('main')] });
      for (let runs = 1; runs <= cap + 1; runs++) {
        const member = runs % 2 === 0 ? 'legal' : 'billing';
        const call = delegated(lab, member);
        lab.must({ type: 'park_run', runId: lab.run('lead').id });
        const isCut = runs > cap;
        assert.deepEqual(lab.go(), isCut ? [] : [member], `run ${runs}`);
        if (!isCut) lab.end(member, 'done');
        lab.go();
        assert.equal(
          resultOf(lab.state, call).startsWith(isCut ? 'error' : 'ok: done'),
          true,
          resultOf(lab.state, call),
        );
        const { phase } = lab.run(member);
        const detail = isCut ? `loop limit: ${cap} runs in this session` : null;
        assert.deepEqual(phase.status === 'ended' && [phase.reason, phase.detail], [
          isCut ? 'error' : 'final',
          detail,
        ]);
        lab.end('lead', 'answered');
      }
      assert.equal(lab.agent('lead').runs.length, cap + 1);
    });
  }

  it('L-43, L-54 and L-92: the same checks stand in the other styles in the order of their policy', () => {
    const lab = new Lab(policies.plan).begin();
    lab.add('lead', 'ann');
    assert.equal(code(lab.refused(lab.adding('lead', 'all'))), 'all_name');
    assert.equal(code(lab.refused(lab.adding('lead', 'No'))), 'bad_name');
    assert.equal(code(lab.refused(lab.adding('lead', 'ann'))), 'taken');
    lab.must(lab.stopping('lead', 'ann'));
    assert.equal(code(lab.refused(lab.adding('lead', 'ann'))), 'taken', 'C-34: never again');
    assert.deepEqual(lab.refused(lab.sending('lead', ['nix', 'lead'], 'x')), {
      code: 'unknown',
      name: 'nix',
    });
    assert.equal(code(lab.refused(lab.sending('lead', ['all'], 'x'))), 'nobody');
    assert.equal(code(lab.refused(lab.stopping('lead', 'all'))), 'nobody_to_stop');
  });

  it('L-66 what an agent may read is a filter of the style on one log', () => {
    const seen = (policy: Policy): Promise<number[]>[] => {
      const lab = new Lab(policies.room).begin();
      lab.add('lead', 'ann');
      lab.add('lead', 'bob');
      lab.send('lead', ['ann'], 'one');
      lab.send('ann', ['bob'], 'two');
      lab.send('bob', ['lead'], 'three');
      lab.policy = policy;
      return ['lead', 'ann', 'bob'].map(async (name) => {
        const answer = await lab.team({ type: 'team_read', by: lab.id(name), since: 0 });
        return answer.ok && answer.value.type === 'room' ? answer.value.view.messages.map(({ n }) => n) : [];
      });
    };
    return Promise.all([
      ...seen(policies.plan),
      ...seen(policies.dispatch),
      ...seen(policies.room),
      ...seen(policies.standard),
    ]).then((views) =>
      assert.deepEqual(views, [
        ...[
          [1, 3],
          [1, 2],
          [2, 3],
        ],
        ...[
          [1, 2, 3],
          [1, 2, 3],
          [1, 2, 3],
        ],
        ...[
          [1, 2, 3],
          [1, 2],
          [2, 3],
        ],
        ...[[], [], []],
      ]),
    );
  });

  it('L-86 the lead starts first and the others by when they began waiting, in every style', () => {
    for (const policy of [policies.room, policies.plan]) {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 1 })] }).begin();
      lab.add('lead', 'ann');
      lab.add('lead', 'bob');
      lab.end('lead', 'go');
      lab.say('and now?');
      assert.deepEqual(lab.go(), ['lead'], policy.style);
      lab.end('lead', 'wait');
      assert.deepEqual(lab.go(), ['ann'], policy.style);
    }
  });

  it('every style has its record, and only room bounds the size and numbers its refusals with a size', () => {
    assert.deepEqual(
      Object.entries(policies).map(([style, policy]) => [style === policy.style, policy.size, policy.depth]),
      [
        [true, null, 1],
        [true, 'bounded', null],
        [true, null, 1],
        [true, null, 1],
        [true, null, 1],
        [true, null, 1],
      ],
    );
    const lab = new Lab(policies.plan).begin();
    lab.add('lead', 'ann', { lead: true });
    assert.deepEqual(lab.refused(lab.adding('ann', 'bob')), { code: 'too_deep', depth: 1 });
    assert.deepEqual(roomOf(lab), []);
  });
});
