import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { at } from '../../../src/base/table';
import { servesTwo, slotsOf } from '../../../src/model/catalog';
import { indexOf } from '../../../src/shared/ids';
import { leadOf } from '../../../src/shared/lookup';
import type { SizeSetting } from '../../../src/shared/state';
import * as texts from '../../../src/styles/room/texts';
import { effectiveSize, isManager, sizeInForce, sizeOf } from '../../../src/team/roster';
import { code, inlineText, Lab, modelFacts, type RuleTest } from '../support';

interface Manifest {
  readonly contributes: {
    readonly configuration: {
      readonly properties: Readonly<Record<string, { readonly default: unknown; readonly scope: string }>>;
    };
  };
}

const setting = (key: string) => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  return manifest.contributes.configuration.properties[key] ?? assert.fail(`no setting ${key}`);
};

const teamTools = ['team_add', 'team_read', 'team_send', 'team_stop'];
const listed = (lab: Lab, name = 'lead') =>
  lab
    .agent(name)
    .tools.filter((tool) => teamTools.includes(tool))
    .sort();
const leadBlock = /^# Leading a team$/m;
const systemOf = (lab: Lab, name: string) => inlineText(lab.agent(name).system);

const create = (lab: Lab, size: SizeSetting) => ({ ...lab.creation({ size }) });

export const sizeRules: readonly RuleTest[] = [
  {
    title: 'L-11 the size counts the lead, and 1 ≤ min ≤ max ≤ cap holds',
    run: (policy) => {
      const lab = new Lab(policy, { bare: true, cap: 5 });
      for (const size of [
        { min: 0, max: 3 },
        { min: 3, max: 2 },
        { min: 1, max: 6 },
        { min: 1.5, max: 3 },
        { min: 1, max: Number.NaN },
      ]) {
        assert.equal(code(lab.refused(create(lab, size))), 'size_bounds', JSON.stringify(size));
      }
      lab.must(create(lab, { min: 1, max: 5 }));
      assert.equal(sizeOf(lab.state, policy), 1, 'the lead alone');
    },
  },
  {
    title: "L-12 the cap is the host's (default 32, machine scope); no setting of a session raises it",
    run: (policy) => {
      assert.deepEqual(setting('teamroom.agents.cap').default, 32);
      assert.equal(setting('teamroom.agents.cap').scope, 'machine');
      const lab = new Lab(policy, { cap: 3, size: { min: 1, max: 3 } }).begin();
      assert.deepEqual(lab.refused(lab.settings({ max: 4 })), {
        code: 'size_bounds',
        min: 1,
        max: 4,
        cap: 3,
      });
    },
  },
  {
    title: 'L-13 a value outside is refused where it is set, with the bounds; never clamped',
    run: (policy) => {
      const lab = new Lab(policy, { cap: 6, size: { min: 1, max: 6 } }).begin();
      const before = lab.state.session?.settings.size;
      assert.deepEqual(lab.refused(lab.settings({ max: 7 })), {
        code: 'size_bounds',
        min: 1,
        max: 7,
        cap: 6,
      });
      assert.deepEqual(lab.refused(lab.settings({ min: 9 })), {
        code: 'size_bounds',
        min: 9,
        max: 6,
        cap: 6,
      });
      assert.deepEqual(lab.state.session?.settings.size, before);
      assert.match(
        texts.refusal({ code: 'size_bounds', min: 1, max: 7, cap: 6 }),
        /1 to 7.*1 ≤ min ≤ max ≤ 6/,
      );
    },
  },
  {
    title: 'L-14 a stored setting above a lowered cap is read within it and stays stored as it was',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 6, max: 8 }, cap: 10 }).begin();
      lab.cap = 4;
      assert.deepEqual(sizeInForce(lab.state, lab.facts()), { min: 4, max: 4 });
      assert.deepEqual(effectiveSize({ min: 1, max: 8 }, 4), { min: 1, max: 4 });
      for (const name of ['ann', 'bob', 'cid']) lab.add('lead', name);
      assert.deepEqual(lab.refused(lab.adding('lead', 'dee')), { code: 'full', size: 4, max: 4 });
      assert.deepEqual(lab.state.session?.settings.size, { min: 6, max: 8 });
      lab.cap = 10;
      lab.add('lead', 'dee');
    },
  },
  {
    title: 'L-15 the defaults are 1 and 4, and configurable',
    run: () => {
      assert.deepEqual(
        ['teamroom.agents.min', 'teamroom.agents.max'].map((key) => setting(key).default),
        [1, 4],
      );
    },
  },
  {
    title:
      'L-16 a change of the size reaches the lead as a note with its next user message, never by its prompt',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.end('lead', 'hello');
      const { system, tools } = lab.agent('lead');
      lab.must(lab.settings({ max: 3 }));
      assert.deepEqual(lab.startable(), [], 'a note starts nothing');
      lab.say('go on');
      lab.go();
      assert.equal(lab.heard('lead').at(-1), `[Note:]\n${texts.note.team(1, 3)}\n\ngo on`);
      assert.deepEqual([lab.agent('lead').system, lab.agent('lead').tools], [system, tools]);
      assert.equal(lab.builds.length, 1, 'the lead was built once');
    },
  },
  {
    title:
      'L-17 a team is offered only if subagents are enabled and the model serves two: tools and block come together',
    run: (policy) => {
      for (const [subagentsEnabled, serves, offered] of [
        [true, true, true],
        [true, false, false],
        [false, true, false],
        [false, false, false],
      ] as const) {
        const models = [modelFacts('main', { servesTwo: serves })];
        const lab = new Lab(policy, { subagentsEnabled, models });
        assert.equal(lab.state.session?.offered, offered);
        assert.deepEqual(listed(lab), offered ? teamTools : []);
        assert.equal(leadBlock.test(systemOf(lab, 'lead')), offered);
        assert.equal(lab.state.notes.size, offered ? 1 : 0, 'the setting is shown only then');
      }
    },
  },
  {
    title: 'L-18 with subagents switched off nothing is offered, and a call all the same is refused',
    run: (policy) => {
      const lab = new Lab(policy, { subagentsEnabled: false }).begin();
      assert.deepEqual(listed(lab), []);
      assert.equal(lab.heard('lead')[0], 'the task', 'no note either');
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann')), { code: 'unavailable', why: 'one_agent' });
    },
  },
  {
    title: 'L-19 a model serves two with parallel ≥ 2, or with neither parallel nor single_session set',
    run: () => {
      const cases = [
        [2, false],
        [8, true],
        [null, false],
        [1, false],
        [null, true],
        [1, true],
      ] as const;
      assert.deepEqual(
        cases.map(([parallel, singleSession]) => servesTwo({ parallel, singleSession })),
        [true, true, true, false, false, false],
      );
    },
  },
  {
    title:
      'L-20 what is offered stays as long as the prompt; a model switch makes a new prompt and a new list',
    run: (policy) => {
      const lab = new Lab(policy, {
        models: [modelFacts('main'), modelFacts('small', { servesTwo: false })],
      }).begin();
      lab.models.set('main', modelFacts('main', { servesTwo: false }));
      lab.subagentsEnabled = false;
      assert.deepEqual([lab.state.session?.offered, listed(lab)], [true, teamTools]);
      const change = { type: 'set_model', agent: lab.id('lead'), model: 'small' as never } as const;
      assert.equal(code(lab.refused(change)), 'wrong_state', 'not within a turn');
      lab.end('lead', 'hello');
      const old = systemOf(lab, 'lead');
      lab.must(change);
      assert.deepEqual([lab.state.session?.offered, listed(lab)], [false, []]);
      assert.notEqual(systemOf(lab, 'lead'), old);
      assert.ok(!leadBlock.test(systemOf(lab, 'lead')));
    },
  },
  {
    title: 'L-21 without an offer none of the four tools is listed and the session works as a single agent',
    run: (policy) => {
      const lab = new Lab(policy, { kind: 'solo' }).begin();
      assert.deepEqual(listed(lab), []);
      assert.ok(lab.agent('lead').tools.includes('write'));
      lab.end('lead', 'done alone');
      assert.equal(lab.state.agents.size, 1);
    },
  },
  {
    title: 'L-22 the tools need max ≥ 2 and a model that serves two, or for the lead a member',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 4 } }).begin();
      lab.add('lead', 'ann', { lead: true });
      lab.models.set('main', modelFacts('main', { servesTwo: false }));
      lab.must(lab.settings({ max: 1 }));
      // The lead has a member: it can still talk to it, look, and stop it; adding fails for its own reason.
      lab.send('lead', ['ann'], 'hello');
      lab.must({ type: 'team_read', by: lab.id('lead'), since: 0 });
      assert.deepEqual(lab.refused(lab.adding('lead', 'bob')), { code: 'full', size: 2, max: 1 });
      // Any other agent can't.
      assert.equal(code(lab.refused(lab.sending('ann', ['lead'], 'hello'))), 'unavailable');
      assert.equal(code(lab.refused({ type: 'team_read', by: lab.id('ann'), since: 0 })), 'unavailable');
      lab.must(lab.stopping('lead', 'ann'));
      assert.equal(code(lab.refused(lab.stopping('lead', 'ann'))), 'unavailable');
    },
  },
  {
    title: 'L-23 unmet for capacity: one_request; else one_agent, in the same words for all four tools',
    run: async (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 1 } }).begin();
      const args = {
        team_add: { name: 'ann', role: 'r', task: 't', goal: 'g' },
        team_send: { to: 'all', message: 'x' },
        team_read: {},
        team_stop: { name: 'all' },
      };
      const answers = async () => {
        const texts: string[] = [];
        for (const [name, each] of Object.entries(args))
          texts.push((await lab.tool('lead', name, each)).text);
        return texts;
      };
      assert.deepEqual(new Set(await answers()), new Set([texts.unavailable.one_agent]));
      lab.models.set('main', modelFacts('main', { servesTwo: false }));
      assert.deepEqual(new Set(await answers()), new Set([texts.unavailable.one_request]));
    },
  },
  {
    title:
      'L-25 with min ≥ 2 the lead is a manager before its first member, and the note asks for min − 1 members',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 3, max: 5 } }).begin();
      assert.equal(isManager(lab.state, lab.id('lead'), lab.facts()), true);
      assert.equal(
        lab.heard('lead')[0],
        `[Note:]\n${texts.note.team(3, 5)} ${texts.note.teamLead(2)}\n\nthe task`,
      );
      const alone = new Lab(policy, { size: { min: 3, max: 5 }, subagentsEnabled: false });
      assert.equal(
        isManager(alone.state, alone.id('lead'), alone.facts()),
        false,
        'only while it is offered',
      );
    },
  },
  {
    title: 'L-26 with min 1 the lead may work alone; with a member it is a manager',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 4 } }).begin();
      assert.equal(isManager(lab.state, lab.id('lead'), lab.facts()), false);
      lab.add('lead', 'ann');
      assert.equal(isManager(lab.state, lab.id('lead'), lab.facts()), true);
    },
  },
  {
    title: 'L-27 the size is the lead and every member in any state',
    run: (policy) => {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 2 })] }).begin();
      for (const name of ['works', 'ends', 'waits']) lab.add('lead', name);
      lab.go();
      lab.end('works', 'done');
      lab.go();
      assert.equal(sizeOf(lab.state, policy), 4);
    },
  },
  {
    title: 'L-28 a stopped member does not count: stopping makes room',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 2 } }).begin();
      lab.add('lead', 'ann');
      assert.equal(code(lab.refused(lab.adding('lead', 'bob'))), 'full');
      lab.must(lab.stopping('lead', 'ann'));
      assert.equal(sizeOf(lab.state, policy), 1);
      lab.add('lead', 'bob');
    },
  },
  {
    title: 'L-29 team_add beyond max is refused as full',
    run: async (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 3 } }).begin();
      lab.add('lead', 'ann');
      lab.add('lead', 'bob');
      assert.deepEqual(lab.refused(lab.adding('lead', 'cid')), { code: 'full', size: 3, max: 3 });
      const answer = await lab.tool('lead', 'team_add', { name: 'cid', role: 'r', task: 't' });
      assert.equal(answer.status, 'refused');
      assert.match(answer.text, /full: it has 3 agents and may have 3/);
    },
  },
  {
    title: 'L-32 lowering max stops nobody, and nothing is added until the size is under it',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 4 } }).begin();
      for (const name of ['ann', 'bob', 'cid']) lab.add('lead', name);
      lab.go();
      lab.must(lab.settings({ max: 2 }));
      assert.deepEqual(
        ['ann', 'bob', 'cid'].map((name) => lab.run(name).phase.status),
        ['running', 'running', 'running'],
      );
      lab.must(lab.stopping('lead', 'ann'));
      lab.must(lab.stopping('lead', 'bob'));
      assert.deepEqual(lab.refused(lab.adding('lead', 'dee')), { code: 'full', size: 2, max: 2 });
      lab.must(lab.stopping('lead', 'cid'));
      lab.add('lead', 'dee');
    },
  },
  {
    title: 'L-33 the size spans the whole tree: a member that leads adds within the same max',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 3 } }).begin();
      lab.add('lead', 'area', { lead: true });
      lab.add('area', 'ann');
      assert.deepEqual(lab.refused(lab.adding('area', 'bob')), { code: 'full', size: 3, max: 3 });
    },
  },
  {
    title: 'L-94 the lead block is constant, without numbers, and there whenever the tools are listed',
    run: (policy) => {
      const texts = [
        new Lab(policy, { size: { min: 1, max: 4 } }),
        new Lab(policy, { size: { min: 2, max: 7 } }),
      ].map((lab) => systemOf(lab, 'lead'));
      assert.equal(texts[0], texts[1]);
      const block = texts[0]?.slice(texts[0].search(leadBlock)) ?? '';
      assert.doesNotMatch(block, /\d/);
      const lab = new Lab(policy).begin();
      lab.add('lead', 'area', { lead: true });
      assert.ok(systemOf(lab, 'area').endsWith(block), 'the whole of it, for a member that leads too');
    },
  },
  {
    title: 'L-95 the size note is one block: on the first user message and on the next one after a change',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 4 } }).begin();
      assert.equal(lab.heard('lead')[0], `[Note:]\n${texts.note.team(1, 4)}\n\nthe task`);
      lab.end('lead', 'a');
      lab.say('nothing has changed');
      lab.go();
      assert.equal(lab.heard('lead').at(-1), 'nothing has changed');
      lab.must(lab.settings({ min: 2, max: 6 }));
      lab.must(lab.settings({ min: 2, max: 5 }));
      lab.must(lab.settings({ min: 2, max: 5 }));
      lab.say('it has');
      assert.deepEqual(lab.boundary('lead'), [
        `[Note:]\n${texts.note.team(2, 5)} ${texts.note.teamLead(1)}\n\nit has`,
      ]);
      lab.must(lab.settings({ min: 1, max: 1 }));
      lab.say('again');
      assert.deepEqual(lab.boundary('lead'), [`[Note:]\n${texts.note.teamOne}\n\nagain`]);
      lab.must(lab.settings({ min: 1, max: 1 }));
      lab.say('and no more');
      assert.deepEqual(lab.boundary('lead'), ['and no more']);
    },
  },
  {
    title: "L-97 members are told nothing of the size; team_add's answer says how big the team is",
    run: async (policy) => {
      const lab = new Lab(policy, { size: { min: 2, max: 7 } }).begin();
      const answer = await lab.tool('lead', 'team_add', { name: 'ann', role: 'r', task: 'do it', goal: 'g' });
      assert.match(answer.text, /The team has 2 agents now/);
      lab.must(lab.settings({ max: 6 }));
      lab.go();
      lab.must({ type: 'say_to', to: 'ann', text: { type: 'inline', text: 'hello' } });
      lab.boundary('ann');
      const told = [systemOf(lab, 'ann'), ...lab.heard('ann')].join('\n');
      assert.doesNotMatch(told, /\[Note:\]|may have|\b[267] agents/);
    },
  },
  {
    title: 'L-101 a model has `parallel` slots; unset none of its own, or one for a single session',
    run: (policy) => {
      const cases = [
        [3, false],
        [null, false],
        [null, true],
        [2, true],
      ] as const;
      assert.deepEqual(
        cases.map(([parallel, singleSession]) => slotsOf({ parallel, singleSession })),
        [3, null, 1, 2],
      );
      const lab = new Lab(policy, {
        models: [modelFacts('main', { slots: null })],
        size: { min: 1, max: 20 },
      });
      lab.begin();
      for (let i = 0; i < 19; i++) lab.add('lead', `m${i}`);
      assert.equal(lab.go().length, 19);
    },
  },
  {
    title: 'L-9 one team per lead session',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      assert.equal(lab.state.teams.size, 1);
      const teams = [lab.agent('lead'), lab.agent('ann')].map((agent) => agent.teamId);
      assert.deepEqual(teams, [at(lab.state.teams, 0)?.id, at(lab.state.teams, indexOf('t0' as never))?.id]);
      assert.equal(code(lab.refused(lab.creation())), 'wrong_state');
      assert.equal(leadOf(lab.state)?.name, 'lead');
    },
  },
];
