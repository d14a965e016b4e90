import assert from 'node:assert/strict';
import { values } from '../../../src/base/table';
import { agentNamed } from '../../../src/shared/lookup';
import { inline } from '../../../src/shared/text';
import * as texts from '../../../src/styles/room/texts';
import { isUnder, membersOf, statusOf, treeOrder, under } from '../../../src/team/roster';
import { code, GOAL, inlineText, Lab, modelFacts, type RuleTest, roomOf } from '../support';

const types = (events: readonly { readonly type: string }[]) => events.map((event) => event.type);
const systemOf = (lab: Lab, name: string) => inlineText(lab.agent(name).system);

export const memberRules: readonly RuleTest[] = [
  {
    title: 'L-1 the lead adds members that do the work; their reports come back and the lead answers',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.add('lead', 'bob');
      lab.end('lead', 'both are at it');
      assert.deepEqual(lab.go(), ['ann', 'bob']);
      lab.end('ann', 'a is done');
      lab.end('bob', 'b is done');
      assert.deepEqual(lab.go(), ['lead']);
      assert.deepEqual(lab.heard('lead').at(-1)?.split('\n\n').length, 2);
      lab.end('lead', 'all is done');
      const answers = [...values(lab.state.messages)].filter((message) => message.kind === 'answer');
      assert.deepEqual(
        answers.map((answer) => inlineText(answer.text)),
        ['both are at it', 'all is done'],
      );
    },
  },
  {
    title: 'L-2 members talk with each other and with their managers in the room',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.add('lead', 'bob');
      lab.go();
      lab.send('ann', ['bob'], 'your part?');
      lab.send('bob', ['ann', 'lead'], 'the tests');
      lab.send('lead', ['bob'], 'good');
      assert.deepEqual(roomOf(lab), [
        '1 ann>bob (bob): your part?',
        '2 bob>ann,lead (ann,lead): the tests',
        '3 lead>bob (bob): good',
      ]);
    },
  },
  {
    title: 'L-3 a member may lead an area of its own, to any depth',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 12 } }).begin();
      let by = 'lead';
      for (let depth = 1; depth <= 8; depth++) {
        lab.add(by, `level${depth}`, { lead: true });
        by = `level${depth}`;
      }
      assert.deepEqual(
        treeOrder(lab.state).map(({ agent, depth }) => `${depth} ${agent.name}`),
        ['0 lead', ...Array.from({ length: 8 }, (_, i) => `${i + 1} level${i + 1}`)],
      );
    },
  },
  {
    title: "L-6 names are unique on the team: the lead's is lead, a member's the one it was added under",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      assert.deepEqual(
        treeOrder(lab.state).map(({ agent }) => agent.name),
        ['lead', 'ann'],
      );
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann')), { code: 'taken', name: 'ann' });
    },
  },
  {
    title: "L-7 a member's manager is the agent that added it; under it is everybody down the tree",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'area', { lead: true });
      lab.add('area', 'ann', { lead: true });
      lab.add('ann', 'leaf');
      lab.add('lead', 'bob');
      assert.equal(lab.agent('ann').managerId, lab.id('area'));
      assert.deepEqual(
        under(lab.state, lab.id('area')).map((agent) => agent.name),
        ['ann', 'leaf'],
      );
      const below = (a: string, b: string) => isUnder(lab.state, lab.id(a), lab.id(b));
      assert.deepEqual(
        [below('leaf', 'lead'), below('leaf', 'area'), below('bob', 'area'), below('area', 'area')],
        [true, true, false, false],
      );
    },
  },
  {
    title: 'L-8 a manager is who has a member, or the lead with min ≥ 2 from the start',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'area', { lead: true });
      assert.deepEqual(
        ['lead', 'area'].map((name) => membersOf(lab.state, lab.id(name)).length),
        [1, 0],
      );
    },
  },
  {
    title: 'L-34 team_add starts the member at once, in the background, under the caller',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const events = lab.add('lead', 'ann');
      assert.deepEqual(types(events), ['agent.goal', 'agent.added', 'run.queued']);
      assert.deepEqual(lab.startable(), ['ann'], "while the caller's turn goes on");
      assert.deepEqual(lab.go(), ['ann']);
      assert.equal(lab.run('lead').phase.status, 'running');
      assert.equal(lab.agent('ann').managerId, lab.id('lead'));
      // No order among members but what their managers give: nothing can be made to wait for another.
      assert.equal(code(lab.refused(lab.adding('lead', 'bob', { dependsOn: ['ann'] }))), 'not_allowed');
    },
  },
  {
    title: "L-35 a member works unattended: no ask_user, and its mode is never looser than its manager's",
    run: (policy) => {
      const lab = new Lab(policy, { mode: 'edits' }).begin();
      lab.add('lead', 'area', { lead: true });
      lab.add('area', 'ann');
      assert.ok(lab.agent('lead').tools.includes('ask_user'));
      assert.ok(
        !lab.agent('area').tools.includes('ask_user') && !lab.agent('ann').tools.includes('ask_user'),
      );
      const modes = () => ['lead', 'area', 'ann'].map((name) => lab.agent(name).mode);
      assert.deepEqual(modes(), ['edits', 'edits', 'edits']);
      lab.must({ type: 'set_mode', mode: 'ask' });
      assert.deepEqual(modes(), ['ask', 'ask', 'ask']);
      lab.add('area', 'bob');
      assert.equal(lab.agent('bob').mode, 'ask');
    },
  },
  {
    title:
      "L-36 the agent is general or explore; the model is the call's, else the definition's, else the caller's",
    run: (policy) => {
      const lab = new Lab(policy, { models: ['main', 'other', 'third'].map((id) => modelFacts(id)) }).begin();
      lab.add('lead', 'ann');
      assert.deepEqual([lab.agent('ann').expert, lab.agent('ann').model], ['general', 'main']);
      lab.add('lead', 'bob', { expert: 'explore', model: 'other', lead: true });
      assert.deepEqual([lab.agent('bob').expert, lab.agent('bob').model], ['explore', 'other']);
      lab.add('bob', 'cid');
      assert.equal(lab.agent('cid').model, 'other', "the caller's");
      lab.expertModels.set('general', 'third');
      lab.add('bob', 'dee');
      assert.equal(lab.agent('dee').model, 'third', "the definition's before the caller's");
      lab.add('bob', 'eve', { model: 'main' });
      assert.equal(lab.agent('eve').model, 'main', "the call's before the definition's");
      assert.equal(lab.run('eve').model, 'main', 'and it is the one whose slot it takes');
    },
  },
  {
    title:
      "L-37 a member has its agent's tools, team_send and team_read; with lead also team_add and team_stop; fixed",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'works');
      lab.add('lead', 'reads', { expert: 'explore' });
      lab.add('lead', 'leads', { lead: true, expert: 'explore' });
      const reading = ['read', 'list', 'glob', 'grep', 'diagnostics'];
      const writing = ['write', 'edit', 'multiedit', 'apply_patch', 'mkdir', 'mv', 'rm'];
      const team = ['report', 'team_send', 'team_read'];
      const jobs = ['job_list', 'job_read', 'job_send', 'job_stop'];
      const made = {
        works: [...reading, ...writing, 'bash', ...jobs, 'todo', 'task', ...team],
        reads: [...reading, 'todo', ...team],
        leads: [...reading, 'todo', ...team, 'team_add', 'team_stop'],
      };
      const tools = () => Object.fromEntries(Object.keys(made).map((name) => [name, lab.agent(name).tools]));
      assert.deepEqual(tools(), made);
      assert.equal(
        code(lab.refused(lab.adding('works', 'x'))),
        'not_allowed',
        'and checked where it is done',
      );
      assert.equal(code(lab.refused(lab.stopping('works', 'reads'))), 'not_allowed');
      lab.add('leads', 'below');
      lab.must({ type: 'set_mode', mode: 'auto' });
      lab.must(lab.settings({ max: 30 }));
      assert.deepEqual(tools(), made);
    },
  },
  {
    title:
      'L-38 report sends the manager a message before the final reply, in the room and under the message mark',
    run: async (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'area', { lead: true });
      lab.add('area', 'ann');
      lab.go();
      const answer = await lab.tool('ann', 'report', { message: 'half is done' });
      assert.deepEqual(answer, { status: 'ok', text: 'Sent to area, your manager.' });
      assert.deepEqual(roomOf(lab), ['1 ann>area (area): half is done'], 'no report flag');
      assert.deepEqual(lab.boundary('area'), ['[Team message from ann to area:]\nhalf is done']);
      assert.equal(lab.run('ann').phase.status, 'running', 'and the turn goes on');
      assert.ok(!lab.agent('lead').tools.includes('report'));
      assert.equal(
        code(lab.refused({ type: 'report', by: lab.id('lead'), text: inline('x') })),
        'not_allowed',
      );
    },
  },
  {
    title:
      "L-39 a member's prompt is built once: name, role, manager, goal, its agent's text, and the lead block if it leads",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann', { role: 'writes the grammar' });
      const text = systemOf(lab, 'ann');
      assert.ok(text.startsWith('You are ann, '));
      for (const part of [
        'Your role: writes the grammar',
        'Your manager: lead',
        `The team is for: ${GOAL}`,
      ]) {
        assert.ok(text.includes(part), part);
      }
      const craft = (system: string) => /# Your craft[\s\S]*?(?=\n# Leading|$)/.exec(system)?.[0].trim();
      assert.equal(craft(text), craft(systemOf(lab, 'lead')), "the expert's text is the same for all");
      assert.ok(!text.includes('# Leading a team'));
      assert.ok(!text.includes('You are lead'));
      lab.go();
      lab.end('ann', 'x');
      lab.send('lead', ['ann'], 'more');
      lab.go();
      lab.end('lead', 'x');
      lab.say('y');
      lab.go();
      assert.equal(systemOf(lab, 'ann'), text);
      assert.deepEqual(
        lab.builds.map((build) => build.name),
        ['lead', 'ann'],
        'each once, whatever turns follow',
      );
      assert.ok(!/\{\{/.test(text));
    },
  },
  {
    title: 'L-40 the first user message is the brief, as given, alone',
    run: (policy) => {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 1 })] }).begin();
      const brief = '  Write the parser.\n\n[Team message from lead to x:]\n\ttabs, and a tail  \n';
      lab.add('lead', 'ann', { brief: inline(brief) });
      lab.send('lead', ['ann'], 'and be quick');
      lab.end('lead', 'go');
      lab.go();
      assert.deepEqual(lab.heard('ann'), [brief, '[Team message from lead to ann:]\nand be quick']);
    },
  },
  {
    title:
      "L-41 the goal told is the call's, else the caller's own; the lead's is the last it gave; its first must give one",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const goalOf = (name: string) => {
        const { goal } = lab.agent(name);
        return goal === null ? null : inlineText(goal);
      };
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann', { goal: null })), { code: 'no_goal' });
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann', { goal: inline('  ') })), { code: 'no_goal' });
      lab.add('lead', 'area', { goal: inline('first'), lead: true });
      lab.add('lead', 'bob', { goal: null });
      lab.add('lead', 'cid', { goal: inline('second') });
      lab.add('lead', 'dee', { goal: null });
      lab.add('area', 'eve', { goal: null });
      lab.add('area', 'fay', { goal: inline('of the area') });
      lab.add('area', 'gus', { goal: null });
      assert.deepEqual(['lead', 'area', 'bob', 'cid', 'dee', 'eve', 'fay', 'gus'].map(goalOf), [
        'second',
        'first',
        'first',
        'second',
        'second',
        'first',
        'of the area',
        'first',
      ]);
    },
  },
  {
    title: 'L-42 a member at work keeps the goal it was told; a new one reaches it only as a message',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann', { goal: inline('first') });
      lab.go();
      const before = systemOf(lab, 'ann');
      lab.add('lead', 'bob', { goal: inline('second') });
      assert.equal(systemOf(lab, 'ann'), before);
      assert.deepEqual(lab.boundary('ann'), []);
      lab.send('lead', ['ann'], 'the goal is now: second');
      assert.deepEqual(lab.boundary('ann'), ['[Team message from lead to ann:]\nthe goal is now: second']);
    },
  },
  {
    title: 'L-43 team_add refuses in order: unavailable, all_name, bad_name, taken, no_goal, full',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 1 } }).begin();
      const noGoal = { goal: null };
      const add = (name: string, extra = {}) => code(lab.refused(lab.adding('lead', name, extra)));
      assert.equal(add('all', noGoal), 'unavailable', 'before all_name, no_goal and full');
      assert.equal(add('No Name', noGoal), 'unavailable', 'before bad_name');
      assert.equal(add('lead', noGoal), 'unavailable', 'before taken');
      lab.must(lab.settings({ max: 2 }));
      assert.equal(add('all', noGoal), 'all_name', 'before no_goal');
      assert.equal(add('No Name', noGoal), 'bad_name', 'before no_goal');
      for (const name of ['', 'A', '1a', '-a', 'a b', 'ä', 'lEad', 'a'.repeat(33), 'a\n', ' a']) {
        assert.equal(add(name), 'bad_name', JSON.stringify(name));
      }
      assert.equal(add('lead', noGoal), 'taken', 'before no_goal');
      assert.equal(add('person'), 'taken', 'reserved');
      assert.equal(add('Lead'), 'bad_name', 'before taken');
      assert.equal(add('ann', noGoal), 'no_goal');
      lab.add('lead', 'a'.repeat(32));
      lab.must(lab.stopping('lead', 'a'.repeat(32)));
      lab.add('lead', 'ann', { goal: inline('g'), lead: true });
      // The team is full now; each of the others still comes first.
      assert.equal(add('all'), 'all_name', 'before full');
      assert.equal(add('No'), 'bad_name', 'before full');
      assert.equal(add('ann'), 'taken', 'before full');
      assert.equal(add('bob'), 'full');
    },
  },
  {
    title: 'L-43 team_add without a goal on a full team answers no_goal first',
    run: (policy) => {
      // Only a lead that gave no goal yet can meet both: its model was switched while it had a size of one.
      const lab = new Lab(policy, { size: { min: 1, max: 2 } }).begin();
      lab.add('lead', 'ann', { lead: true, goal: inline('g') });
      const state = lab.state;
      const [page] = state.agents.pages;
      assert.ok(page !== undefined);
      const pages = [page.map((agent) => ({ ...agent, goal: null }))];
      lab.state = { ...state, agents: { size: state.agents.size, pages } };
      assert.deepEqual(lab.refused(lab.adding('lead', 'bob', { goal: null })), { code: 'no_goal' });
      assert.equal(code(lab.refused(lab.adding('lead', 'bob'))), 'full');
    },
  },
  {
    title: 'L-44 the answer is added, or added_waiting when the member has to wait for a slot',
    run: async (policy) => {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 2 })] }).begin();
      const add = (name: string) => lab.tool('lead', 'team_add', { name, role: name, task: 't', goal: 'g' });
      const first = await add('ann');
      lab.go();
      const second = await add('bob');
      assert.equal(first.text, texts.fact({ type: 'added', name: 'ann', size: 2, waiting: false }));
      assert.equal(second.text, texts.fact({ type: 'added', name: 'bob', size: 3, waiting: true }));
      assert.notEqual(first.text.replaceAll('ann', 'bob'), second.text);
      assert.match(second.text, /waits for a free slot/);
      // The slots are those of the window: another session's turn takes one too.
      const models = [modelFacts('main', { slots: 2 })];
      const busy = new Lab(policy, { models, id: 'S2' }).begin();
      const beside = new Lab(policy, { models }).begin();
      beside.others = [busy.state];
      const third = await beside.tool('lead', 'team_add', { name: 'cid', role: 'r', task: 't', goal: 'g' });
      assert.equal(third.text, texts.fact({ type: 'added', name: 'cid', size: 2, waiting: true }));
    },
  },
  {
    title: 'L-45 an unknown agent or model is refused after the ordered checks, and nothing is added',
    run: async (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 2 } }).begin();
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann', { expert: 'wizard' })), {
        code: 'unknown_expert',
        name: 'wizard',
        known: ['general', 'explore'],
      });
      assert.deepEqual(lab.refused(lab.adding('lead', 'ann', { model: 'gpt-9' })), {
        code: 'unknown_model',
        name: 'gpt-9',
        known: ['main', 'other'],
      });
      assert.equal(agentNamed(lab.state, 'ann'), undefined);
      assert.equal(lab.agent('lead').goal, null, 'no goal is kept of a call that was refused');
      const answer = await lab.tool('lead', 'team_add', {
        name: 'ann',
        role: 'r',
        task: 't',
        goal: 'g',
        agent: 'wizard',
      });
      assert.deepEqual(answer, {
        status: 'refused',
        text: 'There is no agent "wizard". There are: general, explore.',
      });
    },
  },
  {
    title: 'L-47 states: working, waiting for a slot, finished; the lead idle between turns',
    run: (policy) => {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 2 })] }).begin();
      const states = (...names: string[]) => names.map((name) => statusOf(lab.state, lab.agent(name)));
      lab.add('lead', 'ann');
      lab.add('lead', 'bob');
      lab.go();
      assert.deepEqual(states('lead', 'ann', 'bob'), ['working', 'working', 'waiting']);
      lab.end('ann', 'x');
      lab.end('lead', 'x');
      assert.deepEqual(states('lead', 'ann', 'bob'), ['working', 'finished', 'waiting'].with(0, 'waiting'));
      lab.go();
      lab.end('lead', 'x');
      assert.deepEqual(states('lead', 'ann', 'bob'), ['idle', 'finished', 'working']);
      // One that waits for the person is in its turn.
      const [call] = lab.step('bob', 'bash');
      assert.ok(call !== undefined);
      lab.must({
        type: 'ask_person',
        callId: call,
        about: {
          type: 'permission',
          tool: 'bash',
          argsHash: 'h',
          why: { code: 'mode' },
          preview: { type: 'none' },
        },
        argsHash: 'h',
      });
      lab.must({ type: 'park_run', runId: lab.run('bob').id });
      assert.deepEqual(states('bob'), ['working']);
      lab.send('bob', ['ann'], 'wake up');
      assert.deepEqual(states('ann'), ['waiting']);
    },
  },
];
