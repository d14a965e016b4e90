import assert from 'node:assert/strict';
import { values } from '../../../src/base/table';
import { openCallsOf } from '../../../src/shared/lookup';
import type { Agent } from '../../../src/shared/state';
import { inline } from '../../../src/shared/text';
import * as texts from '../../../src/styles/room/texts';
import { gateCall } from '../../../src/team/gate';
import { helperJobsOf } from '../../../src/team/helperJobs';
import { isManager, sizeOf } from '../../../src/team/roster';
import { mayGoOn, slotsInUse } from '../../../src/team/slots';
import { code, inlineText, Lab, MAIN, modelFacts, type RuleTest, roomOf } from '../support';

const of = (lab: Lab, name: string): Agent =>
  [...values(lab.state.agents)].find((agent) => agent.name === name) ?? assert.fail(`no ${name}`);
const statuses = (lab: Lab) => helperJobsOf(lab.state, lab.id('lead')).map((job) => [job.id, job.status]);
const words = (lab: Lab, by: string, name: string, text: string) =>
  ({ type: 'helper_send', by: lab.id(by), name, text: inline(text) }) as const;
const bounded = (max: number) => ({ size: { min: 1, max } });

export const helperRules: readonly RuleTest[] = [
  {
    title: 'L-18 task is listed only with subagents enabled, and where its model could serve another',
    run: (policy) => {
      const has = (options: ConstructorParameters<typeof Lab>[1]) =>
        new Lab(policy, options).agent('lead').tools.includes('task');
      assert.equal(has({}), true);
      assert.equal(has({ subagentsEnabled: false }), false);
      const one = modelFacts('main', { slots: 1, servesTwo: false, capacityGroup: 'card' });
      assert.equal(has({ models: [one] }), false, 'its own slot is the only one');
      assert.equal(has({ models: [one, modelFacts('other', { capacityGroup: 'card' })] }), false);
      assert.equal(has({ models: [one, modelFacts('other')] }), true, 'on another model');
      const lab = new Lab(policy).begin();
      lab.add('lead', 'works');
      lab.add('lead', 'reads', { expert: 'explore' });
      assert.deepEqual(
        ['works', 'reads'].map((name) => lab.agent(name).tools.includes('task')),
        [true, false],
        'who only reads has no helper: it could write',
      );
    },
  },
  {
    title: 'L-24 max = 1: no helper; one_agent while the lead has no member, full while members are left',
    run: async (policy) => {
      const ask = (lab: Lab) => lab.tool('lead', 'task', { description: 'looks', task: 'look' });
      const lab = new Lab(policy, bounded(1)).begin();
      assert.deepEqual(await ask(lab), { status: 'refused', text: texts.unavailable.one_agent });
      lab.must(lab.settings({ max: 2 }));
      lab.add('lead', 'ann');
      lab.must(lab.settings({ max: 1 }));
      assert.equal((await ask(lab)).text, texts.refusal({ code: 'full', size: 2, max: 1 }));
    },
  },
  {
    title: 'L-27 every helper at work counts, whoever started it and however; one that has ended does not',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.go();
      const behind = lab.helper('lead', { background: true });
      const inFront = lab.helper('ann');
      assert.equal(sizeOf(lab.state, policy), 4);
      lab.end(inFront, 'found');
      assert.equal(sizeOf(lab.state, policy), 3);
      lab.end(behind, 'found');
      assert.equal(sizeOf(lab.state, policy), 2);
      assert.deepEqual(
        [behind, inFront].map((name) => of(lab, name).left?.reason),
        ['ended', 'ended'],
      );
    },
  },
  {
    title: 'L-29 helpers at work fill the team for team_add too',
    run: (policy) => {
      const lab = new Lab(policy, bounded(2)).begin();
      lab.helper('lead', { background: true });
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann')), { code: 'full', size: 2, max: 2 });
    },
  },
  {
    title: 'L-30 task beyond max is full while a team is offered; without an offer the size bounds nothing',
    run: (policy) => {
      const lab = new Lab(policy, bounded(2)).begin();
      const helper = lab.helper('lead', { background: true });
      const full = { code: 'full', size: 2, max: 2 };
      const again = lab.tasking('lead');
      assert.deepEqual(lab.refused(again), full);
      lab.finish(again.callId, 'refused');
      lab.end(helper, 'found');
      lab.helper('lead', { background: true });
      const solo = new Lab(policy, { ...bounded(1), kind: 'solo' }).begin();
      solo.helper('lead', { background: true });
      solo.helper('lead', { background: true });
    },
  },
  {
    title: 'L-31 words that would restart a helper that has ended are refused in the same way',
    run: (policy) => {
      const lab = new Lab(policy, { ...bounded(2), models: [modelFacts('main', { slots: 3 })] }).begin();
      const helper = lab.helper('lead', { background: true });
      lab.must(words(lab, 'lead', helper, 'and look there'));
      assert.deepEqual(
        lab.boundary(helper),
        ['[Message from lead:]\nand look there'],
        'at work it reads them',
      );
      lab.end(helper, 'found');
      lab.add('lead', 'ann');
      assert.deepEqual(lab.refused(words(lab, 'lead', helper, 'more')), { code: 'full', size: 2, max: 2 });
      lab.must(lab.settings({ max: 1 }));
      assert.deepEqual(lab.refused(words(lab, 'lead', helper, 'more')), { code: 'full', size: 2, max: 1 });
      lab.must(lab.stopping('lead', 'ann'));
      assert.deepEqual(lab.refused(words(lab, 'lead', helper, 'more')), {
        code: 'unavailable',
        why: 'one_agent',
      });
      lab.must(lab.settings({ max: 4 }));
      lab.models.set('main', modelFacts('main', { slots: 1 }));
      assert.equal(code(lab.refused(words(lab, 'lead', helper, 'more'))), 'model_full');
      lab.models.set('main', modelFacts('main', { slots: 3 }));
      lab.must(words(lab, 'lead', helper, 'more'));
      assert.deepEqual(lab.go(), [helper]);
      assert.equal(lab.heard(helper).at(-1), '[Message from lead:]\nmore');
      assert.equal(lab.heard(helper).length, 3, 'with all it knew');
      assert.equal(sizeOf(lab.state, policy), 2);
      lab.end(helper, 'found more');
      assert.deepEqual(lab.boundary('lead'), [
        `[Result of ${helper}:]\nfound\n\n[Result of ${helper}:]\nfound more`,
      ]);
    },
  },
  {
    title:
      "L-35 a helper works unattended and alone: no team, nobody to ask, a mode no looser than its caller's",
    run: (policy) => {
      const lab = new Lab(policy, { mode: 'edits' }).begin();
      const helper = lab.helper('lead', { background: true, brief: inline('just this') });
      const { tools, mode, system, role } = lab.agent(helper);
      assert.deepEqual(tools, ['read', 'list', 'glob', 'grep', ...tools.slice(4)]);
      for (const tool of ['ask_user', 'task', 'report', 'team_add', 'team_send', 'team_read', 'team_stop']) {
        assert.ok(!tools.includes(tool), tool);
      }
      assert.deepEqual([mode, role], ['edits', 'looks it up']);
      assert.match(inlineText(system), /^You are helper-1, a helper/);
      assert.deepEqual(lab.heard(helper), ['just this'], 'neither notes nor the talk');
      lab.must({ type: 'set_mode', mode: 'ask' });
      assert.equal(lab.agent(helper).mode, 'ask');
      lab.end(helper, 'done');
      lab.must({ type: 'set_mode', mode: 'auto' });
      lab.must({ type: 'set_mode', mode: 'ask' });
      lab.must(words(lab, 'lead', helper, 'go on'));
      assert.equal(lab.agent(helper).mode, 'ask');
      assert.equal(code(lab.refused({ ...lab.tasking('lead'), by: lab.id(helper) })), 'not_allowed');
    },
  },
  {
    title: 'L-45 an unknown agent or model is refused by task as by team_add',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const asked = lab.tasking('lead');
      for (const wish of [{ expert: 'wizard' }, { model: 'nix' }]) {
        const refusal = lab.refused({ ...asked, ...wish });
        assert.deepEqual(refusal, lab.refused({ ...lab.adding('lead', 'ann'), ...wish }));
      }
    },
  },
  {
    title: "L-43 a helper's name stays its own: no member may bear it, and no other helper does",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const helper = lab.helper('lead', { background: true });
      lab.end(helper, 'done');
      assert.deepEqual(lab.refused(lab.adding('lead', helper)), { code: 'taken', name: helper });
      assert.equal(lab.helper('lead', { background: true }), 'helper-2');
    },
  },
  {
    title:
      'L-54 helpers are nobody in the room: they are neither written to, nor among all, nor stopped by team_stop',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const helper = lab.helper('lead', { background: true });
      assert.deepEqual(lab.refused(lab.sending('lead', [helper], 'hello')), {
        code: 'unknown',
        name: helper,
      });
      assert.deepEqual(lab.refused(lab.sending('lead', ['all'], 'hello')), { code: 'nobody' });
      assert.deepEqual(lab.refused(lab.stopping('lead', helper)), { code: 'unknown', name: helper });
      const said = { type: 'say_to', to: helper, text: inline('hello') } as const;
      assert.deepEqual(lab.refused(said), { code: 'unknown', name: helper });
      lab.end(helper, 'found');
      assert.deepEqual(roomOf(lab), [], 'and its result is not in the room');
    },
  },
  {
    title:
      'L-58 the reply of a helper is the result of the call that waits for it; in the background it is mail',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const asked = lab.tasking('lead');
      lab.must(asked);
      const { phase } = lab.call(asked.callId);
      assert.ok(phase.status === 'suspended' && phase.on.type === 'helper');
      lab.must({ type: 'park_run', runId: lab.run('lead').id });
      lab.go();
      assert.equal(mayGoOn(lab.state, lab.run('lead')), false);
      lab.end('helper-1', 'found');
      assert.equal(mayGoOn(lab.state, lab.run('lead')), true);
      assert.equal(lab.state.messages.size, 1, "the person's task");
      lab.go();
      lab.finish(asked.callId);
      const behind = lab.helper('lead', { background: true });
      lab.end('lead', 'I wait');
      lab.end(behind, '', 'error', 'the model is gone');
      assert.deepEqual(lab.go(), ['lead'], 'it is woken');
      const ended = texts.ended({ reason: 'error', detail: 'the model is gone' });
      assert.equal(lab.heard('lead').at(-1), `[Result of ${behind}:]\n${texts.noReply}\n\n${ended}`);
    },
  },
  {
    title: 'L-76 words that come after the last step of a helper start its next turn: none are lost',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const helper = lab.helper('lead', { background: true });
      lab.must(words(lab, 'lead', helper, 'and look there'));
      lab.end(helper, 'found');
      assert.equal(lab.agent(helper).left, null);
      assert.deepEqual(lab.go(), [helper]);
      assert.equal(lab.heard(helper).at(-1), '[Message from lead:]\nand look there');
      lab.end(helper, 'found there');
      assert.equal(of(lab, helper).left?.reason, 'ended');
      assert.deepEqual(lab.boundary('lead'), [
        `[Result of ${helper}:]\nfound\n\n[Result of ${helper}:]\nfound there`,
      ]);
    },
  },
  {
    title: 'L-74 task stays for a manager, and its helper counts to the size',
    run: (policy) => {
      const lab = new Lab(policy, bounded(3)).begin();
      lab.add('lead', 'ann');
      assert.equal(isManager(lab.state, lab.id('lead'), lab.facts()), true);
      const asked = lab.tasking('lead');
      const gated = { risk: 'interact', volatile: false, argsHash: 'x', reading: false } as const;
      assert.equal(gateCall(lab.state, { ...gated, call: lab.call(asked.callId) }, lab.facts()), null);
      lab.must(asked);
      assert.equal(sizeOf(lab.state, policy), 3);
      assert.equal(isManager(lab.state, lab.id('ann'), lab.facts()), false);
      lab.go();
      const own = lab.tasking('ann');
      assert.deepEqual(lab.refused(own), { code: 'full', size: 3, max: 3 });
      const worker = new Lab(policy).begin();
      worker.helper('lead', { background: true });
      assert.equal(
        isManager(worker.state, worker.id('lead'), worker.facts()),
        false,
        'a helper is no member',
      );
    },
  },
  {
    title:
      'L-83 a helper holds a slot of its model while its turn runs, and its caller keeps its own meanwhile',
    run: (policy) => {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 2 })] }).begin();
      const helper = lab.helper('lead');
      assert.equal(lab.run('lead').phase.status, 'parked');
      assert.equal(slotsInUse([lab.state], MAIN), 2);
      lab.end(helper, 'found');
      assert.equal(slotsInUse([lab.state], MAIN), 1);
    },
  },
  {
    title:
      'L-88 task is refused when its model is full: for its slots, its capacity group, or another session',
    run: (policy) => {
      const group = { slots: 2, capacityGroup: 'one card' };
      const models = [
        modelFacts('main', group),
        modelFacts('other', group),
        modelFacts('third', { slots: 1 }),
      ];
      const lab = new Lab(policy, { models }).begin();
      const refused = (wish: Parameters<Lab['tasking']>[1], of = lab) => {
        const asked = of.tasking('lead', wish);
        const refusal = of.refused(asked);
        of.finish(asked.callId, 'refused');
        return refusal;
      };
      assert.deepEqual(refused({ model: 'other' }), { code: 'model_full', model: 'other', slots: null });
      lab.helper('lead', { background: true });
      assert.deepEqual(refused({}), { code: 'model_full', model: 'main', slots: 2 });
      lab.helper('lead', { background: true, model: 'third' });
      assert.deepEqual(refused({ model: 'third' }), { code: 'model_full', model: 'third', slots: 1 });
      const next = new Lab(policy, {
        models: [modelFacts('main'), modelFacts('third', { slots: 1 })],
        id: 'S2',
      });
      next.begin();
      next.others = [lab.state];
      assert.equal(code(refused({ model: 'third' }, next)), 'model_full');
      next.others = [];
      next.helper('lead', { background: true, model: 'third' });
      // Two in one step: the second sees the first, though it has not begun yet.
      const two = new Lab(policy, { models: [modelFacts('main', { slots: 2 })] }).begin();
      const [first, second] = two.step('lead', 'task', 'task');
      assert.ok(first && second);
      two.must(two.tasking('lead', { callId: first }));
      assert.equal(code(two.refused(two.tasking('lead', { callId: second }))), 'model_full');
    },
  },
  {
    title: 'L-90 the helpers of who is stopped end with it, and the call that waited has its one result',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.go();
      const inFront = lab.tasking('ann');
      lab.must(inFront);
      lab.must({ type: 'park_run', runId: lab.run('ann').id });
      const own = lab.helper('lead', { background: true });
      lab.must(lab.stopping('lead', 'ann'));
      const { phase } = lab.call(inFront.callId);
      assert.equal(phase.status === 'finished' && phase.result.status, 'stopped');
      assert.deepEqual(of(lab, 'helper-1').left?.by, { type: 'agent', id: lab.id('lead') });
      assert.equal(lab.run(own).phase.status, 'running', 'what the lead started goes on');
      const front = lab.helper('lead');
      lab.must({ type: 'stop', name: 'lead' });
      assert.deepEqual(
        [own, front].map((name) => of(lab, name).left?.by.type),
        ['person', 'person'],
      );
      assert.deepEqual(lab.state.open.runs, []);
      lab.say('again');
      lab.go();
      assert.equal(lab.heard('lead').length, 2, 'nothing comes of them');
    },
  },
  {
    title:
      'L-90 the person may stop a helper alone: a call that waits for it goes on, of another the lead is told',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const behind = lab.helper('lead', { background: true });
      const front = lab.helper('lead');
      lab.must({ type: 'stop', name: front });
      assert.equal(mayGoOn(lab.state, lab.run('lead')), true);
      lab.go();
      for (const call of openCallsOf(lab.state, lab.run('lead').id)) lab.finish(call.id);
      lab.must({ type: 'stop', name: behind });
      assert.deepEqual(statuses(lab), [[behind, 'ended']]);
      assert.equal(
        code(lab.refused(words(lab, 'lead', behind, 'go on'))),
        'wrong_state',
        'it is meant to end',
      );
      lab.say('and?');
      assert.deepEqual(lab.boundary('lead'), [`[Note:]\n${texts.note.teamStopped([behind])}\n\nand?`]);
    },
  },
  {
    title: "L-90 a member's helpers end with its turn; the lead's go on, are its jobs, and it may stop them",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.go();
      const annes = lab.helper('ann', { background: true });
      const leads = lab.helper('lead', { background: true });
      lab.end('ann', 'done');
      assert.equal(of(lab, annes).left?.reason, 'stopped');
      lab.end('lead', 'I wait');
      assert.deepEqual(statuses(lab), [[leads, 'running']], "and no member's");
      const stop = (by: string) => ({ type: 'helper_stop', by: lab.id(by), name: leads }) as const;
      assert.deepEqual(lab.refused(stop('ann')), { code: 'no_helper', name: leads });
      lab.must(stop('lead'));
      assert.deepEqual(statuses(lab), [[leads, 'ended']]);
      assert.deepEqual(lab.must(stop('lead')), [], 'twice is once');
    },
  },
];
