import assert from 'node:assert/strict';
import { values } from '../../../src/base/table';
import { agentNamed } from '../../../src/shared/lookup';
import { inline } from '../../../src/shared/text';
import * as texts from '../../../src/styles/room/texts';
import { sizeOf, treeOrder } from '../../../src/team/roster';
import { code, Lab, type RuleTest, roomOf } from '../support';

/** lead → area → (ann → leaf, bob); lead → cid. Everybody at work. */
function tree(lab: Lab): Lab {
  lab.begin();
  lab.add('lead', 'cid');
  lab.add('lead', 'area', { lead: true });
  lab.add('area', 'bob');
  lab.add('area', 'ann', { lead: true });
  lab.add('ann', 'leaf');
  lab.go();
  return lab;
}

const present = (lab: Lab) => treeOrder(lab.state).map(({ agent }) => agent.name);

export const stoppingRules: readonly RuleTest[] = [
  {
    title: 'L-89 team_stop stops one member with its subtree, or with all every member under the caller',
    run: (policy) => {
      const one = tree(new Lab(policy));
      one.must(one.stopping('lead', 'ann'));
      assert.deepEqual(present(one), ['lead', 'cid', 'area', 'bob']);
      const all = tree(new Lab(policy));
      all.must(all.stopping('area', 'all'));
      assert.deepEqual(present(all), ['lead', 'cid', 'area']);
      all.must(all.stopping('lead', 'all'));
      assert.deepEqual(present(all), ['lead']);
    },
  },
  {
    title:
      'L-90 turns end where they are, waiting messages are dropped, they leave: size, slots and names are free',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      const [call] = lab.step('leaf', 'bash');
      assert.ok(call !== undefined);
      const about = { type: 'question', text: inline('?'), choices: [] } as const;
      lab.must({ type: 'ask_person', callId: call, about, argsHash: null });
      lab.send('cid', ['leaf', 'bob'], 'too late for leaf');
      const before = sizeOf(lab.state, policy);
      const leaf = lab.id('leaf');
      const run = lab.run('leaf').id;
      lab.must(lab.stopping('area', 'ann'));
      assert.equal(sizeOf(lab.state, policy), before - 2);
      const phase = lab.runById(run).phase;
      assert.equal(phase.status === 'ended' && phase.reason, 'stopped');
      const result = lab.call(call).phase;
      assert.equal(
        result.status === 'finished' && result.result.status,
        'stopped',
        'its call has its one result',
      );
      assert.deepEqual(
        [...values(lab.state.asks)].map((ask) => ask.phase.status),
        ['withdrawn'],
      );
      assert.deepEqual(
        [...values(lab.state.deliveries)].slice(1).map(({ to, phase: { status } }) => [to === leaf, status]),
        [
          [true, 'dropped'],
          [false, 'pending'],
        ],
      );
      lab.add('lead', 'leaf');
      assert.notEqual(lab.id('leaf'), leaf, 'the name is free, and means another agent');
      assert.deepEqual(lab.state.open.asks, []);
    },
  },
  {
    title: 'L-91 no report comes from a stopped member',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.must(lab.stopping('lead', 'area'));
      lab.must({ type: 'stop', name: 'cid' });
      assert.deepEqual(roomOf(lab), []);
      assert.deepEqual([...values(lab.state.outcomes)], []);
      assert.deepEqual(lab.boundary('lead'), []);
      lab.end('lead', 'x');
      assert.deepEqual(lab.startable(), [], 'nobody is woken by it');
      const other = tree(new Lab(policy));
      other.end('cid', 'cut off', 'stopped');
      assert.deepEqual([roomOf(other), other.startable()], [[], []], 'however the turn was stopped');
    },
  },
  {
    title: 'L-92 team_stop refuses in order: unavailable, nobody_to_stop, unknown, not_yours',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 4 } }).begin();
      const stop = (by: string, name: string) => lab.refused(lab.stopping(by, name));
      assert.deepEqual(stop('lead', 'all'), { code: 'nobody_to_stop' });
      assert.deepEqual(stop('lead', 'nix'), { code: 'unknown', name: 'nix' });
      assert.deepEqual(stop('lead', 'lead'), { code: 'not_yours', name: 'lead' });
      lab.must(lab.settings({ max: 1 }));
      for (const name of ['all', 'nix', 'lead']) assert.equal(code(stop('lead', name)), 'unavailable', name);
      lab.must(lab.settings({ max: 4 }));
      lab.add('lead', 'area', { lead: true });
      lab.add('lead', 'cid');
      lab.add('area', 'ann');
      assert.deepEqual(stop('area', 'area'), { code: 'not_yours', name: 'area' });
      assert.deepEqual(stop('area', 'cid'), { code: 'not_yours', name: 'cid' });
      assert.deepEqual(stop('area', 'lead'), { code: 'not_yours', name: 'lead' });
      assert.deepEqual(stop('area', 'person'), { code: 'unknown', name: 'person' });
      lab.must(lab.stopping('area', 'ann'));
      assert.deepEqual(stop('area', 'all'), { code: 'nobody_to_stop' });
      assert.equal(agentNamed(lab.state, 'cid')?.left, null);
    },
  },
  {
    title: 'L-93 the answer names the stopped in tree order',
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      const answer = await lab.tool('lead', 'team_stop', { name: 'area' });
      assert.equal(answer.text, texts.fact({ type: 'stopped', names: ['area', 'bob', 'ann', 'leaf'] }));
      const all = tree(new Lab(policy));
      const everybody = await all.tool('lead', 'team_stop', { name: 'all' });
      assert.equal(
        everybody.text,
        texts.fact({ type: 'stopped', names: ['cid', 'area', 'bob', 'ann', 'leaf'] }),
      );
    },
  },
  {
    title: 'L-49 deleting the session stops the whole team: every turn, helper and open question',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.helper('leaf');
      lab.helper('lead', { background: true });
      const [call] = lab.step('bob', 'bash');
      assert.ok(call !== undefined);
      const about = { type: 'question', text: inline('?'), choices: [] } as const;
      lab.must({ type: 'ask_person', callId: call, about, argsHash: null });
      lab.must({ type: 'delete_session' });
      assert.deepEqual([lab.state.open.runs, lab.state.open.asks], [[], []]);
      assert.deepEqual(present(lab), ['lead']);
      assert.deepEqual(
        [...values(lab.state.teams)].map((team) => team.status),
        ['dissolved'],
      );
      assert.deepEqual([roomOf(lab), lab.startable()], [[], []]);
    },
  },
  {
    title:
      'L-96 members that the person stopped: a block of their own with the names, on the next user message',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.must({ type: 'stop', name: 'ann' });
      lab.must(lab.settings({ max: 7 }));
      lab.must({ type: 'stop', name: 'cid' });
      lab.send('bob', ['lead'], 'mail alone brings no note');
      assert.deepEqual(lab.boundary('lead'), ['[Team message from bob to lead:]\nmail alone brings no note']);
      lab.say('go on');
      assert.deepEqual(lab.boundary('lead'), [
        [
          `[Note:]\n${texts.note.teamStopped(['ann', 'leaf'])}`,
          `[Note:]\n${texts.note.team(1, 7)}`,
          `[Note:]\n${texts.note.teamStopped(['cid'])}`,
          'go on',
        ].join('\n\n'),
      ]);
      lab.must(lab.stopping('lead', 'area'));
      lab.say('and now');
      assert.deepEqual(lab.boundary('lead'), ['and now'], 'what the lead stopped itself it knows');
    },
  },
  {
    title: "L-96 the person's stop of the lead ends its turn alone; of everything, all",
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.send('cid', ['lead'], 'unread');
      lab.must({ type: 'stop', name: 'lead' });
      assert.deepEqual(lab.startable(), [], 'mail that was there does not undo the stop');
      assert.equal(lab.run('cid').phase.status, 'running');
      assert.equal(lab.agent('lead').left, null);
      lab.end('cid', 'done');
      assert.deepEqual(lab.go(), ['lead'], 'news wakes it');
      lab.must({ type: 'stop', name: 'all' });
      assert.deepEqual(present(lab), ['lead']);
      assert.deepEqual(lab.state.open.runs, []);
      lab.say('what was that?');
      lab.go();
      assert.ok(
        lab
          .heard('lead')
          .at(-1)
          ?.startsWith(`[Note:]\n${texts.note.teamStopped(['cid', 'area', 'bob', 'ann', 'leaf'])}`),
      );
    },
  },
];
