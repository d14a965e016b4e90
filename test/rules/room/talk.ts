import assert from 'node:assert/strict';
import { values } from '../../../src/base/table';
import { inline } from '../../../src/shared/text';
import * as texts from '../../../src/styles/room/texts';
import type { RoomView } from '../../../src/team/commands';
import { routingKey } from '../../../src/team/routing';
import { READ_MAX } from '../../../src/team/visibility';
import { code, inlineText, Lab, modelFacts, type RuleTest, roomOf } from '../support';

async function look(lab: Lab, name: string, since = 0): Promise<RoomView> {
  const answer = await lab.team({ type: 'team_read', by: lab.id(name), since });
  if (!answer.ok || answer.value.type !== 'room') return assert.fail(`team_read: ${JSON.stringify(answer)}`);
  return answer.value.view;
}

const numbers = async (lab: Lab, name: string, since = 0) =>
  (await look(lab, name, since)).messages.map(({ n }) => n);

/** lead → area → (ann → leaf, bob); lead → cid. Everybody at work. */
function tree(lab: Lab): Lab {
  lab.begin();
  lab.add('lead', 'area', { lead: true });
  lab.add('area', 'ann', { lead: true });
  lab.add('ann', 'leaf');
  lab.add('area', 'bob');
  lab.add('lead', 'cid');
  lab.go();
  return lab;
}

const answersOf = (lab: Lab) =>
  [...values(lab.state.messages)]
    .filter((message) => message.kind === 'answer')
    .map((message) => `${message.fromName}>${message.to.join()}: ${inlineText(message.text)}`);

export const talkRules: readonly RuleTest[] = [
  {
    title: 'L-10 room messages are numbered from 1 in posting order, with all that belongs to them',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.go();
      lab.send('lead', ['ann'], 'one');
      lab.say('not in the room');
      lab.must({ type: 'say_to', to: 'ann', text: inline('two') });
      lab.end('ann', 'three');
      const rows = [...values(lab.state.messages)].filter((message) => message.n !== null);
      assert.deepEqual(
        rows.map(({ n, fromName, to, kind, at, deliveries }) => [
          n,
          fromName,
          to,
          kind,
          at > 0,
          deliveries.length,
        ]),
        [
          [1, 'lead', ['ann'], 'message', true, 1],
          [2, 'person', ['ann'], 'person', true, 1],
          [3, 'ann', ['lead'], 'report', true, 1],
        ],
      );
      assert.ok(rows.every((row, i) => i === 0 || row.at >= (rows[i - 1]?.at ?? 0)));
    },
  },
  {
    title: 'L-50 team_send posts one message to a list; a lone string is a one-name list',
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      const sent = await lab.tool('lead', 'team_send', { to: ['area', 'cid'], message: 'hello' });
      assert.deepEqual(sent, { status: 'ok', text: 'Sent to area, cid.' });
      const lone = await lab.tool('cid', 'team_send', { to: 'bob', message: 'you?' });
      assert.deepEqual(lone, { status: 'ok', text: 'Sent to bob.' });
      assert.deepEqual(roomOf(lab), ['1 lead>area,cid (area,cid): hello', '2 cid>bob (bob): you?']);
      for (const args of [
        { to: [], message: 'x' },
        { to: 'bob', message: ' ' },
        { to: 'bob' },
        { to: 'bob', message: 'x', cc: 'ann' },
      ]) {
        const answer = await lab.tool('cid', 'team_send', args);
        assert.notEqual(answer.status, 'ok', JSON.stringify(args));
        assert.notEqual(answer.text, '');
      }
      assert.equal(lab.state.session?.lastRoomNumber, 2);
    },
  },
  {
    title: 'L-51 names are deduplicated in the order given; all anywhere means all and the rest is ignored',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.send('lead', ['cid', 'area', 'cid', 'bob', 'area'], 'x');
      lab.send('bob', ['cid', 'nobody-of-that-name', 'all', 'bob'], 'y');
      assert.deepEqual(roomOf(lab), [
        '1 lead>cid,area,bob (cid,area,bob): x',
        '2 bob>all (lead,area,ann,leaf,cid): y',
      ]);
    },
  },
  {
    title: 'L-52 named: exactly those; all: everyone but the sender, whoever manages them',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.send('leaf', ['lead', 'cid'], 'x');
      lab.send('leaf', ['all'], 'y');
      assert.deepEqual(roomOf(lab), [
        '1 leaf>lead,cid (lead,cid): x',
        '2 leaf>all (lead,area,ann,bob,cid): y',
      ]);
    },
  },
  {
    title: 'L-53 recipients are resolved at posting: an agent added later does not get it',
    run: (policy) => {
      const lab = new Lab(policy, { models: [modelFacts('main', { slots: 1 })] }).begin();
      lab.add('lead', 'ann');
      lab.send('lead', ['all'], 'hello all');
      lab.add('lead', 'bob');
      lab.end('lead', 'x');
      lab.go();
      lab.end('ann', 'x');
      lab.go();
      lab.end('lead', 'x');
      lab.go();
      assert.deepEqual(lab.heard('bob'), ['brief of bob']);
      // A name that was given anew is another agent: what was posted to the old one is not its.
      lab.send('bob', ['ann'], 'for the first ann');
      lab.must({ type: 'stop', name: 'ann' });
      lab.add('lead', 'ann');
      lab.end('bob', '');
      lab.go();
      assert.equal(lab.run('ann').phase.status, 'queued', 'behind the lead');
      assert.deepEqual(roomOf(lab)[0], '1 lead>all (ann): hello all');
      lab.end('lead', '');
      lab.go();
      assert.deepEqual(lab.heard('ann'), ['brief of ann']);
    },
  },
  {
    title: 'L-54 team_send refuses in order, with nothing posted: unavailable, nobody, unknown, self',
    run: (policy) => {
      const lab = new Lab(policy, { size: { min: 1, max: 4 } }).begin();
      const send = (by: string, ...to: string[]) => lab.refused(lab.sending(by, to, 'x'));
      assert.deepEqual(send('lead', 'all'), { code: 'nobody' });
      assert.deepEqual(send('lead', 'lead', 'nix', 'all'), { code: 'nobody' }, 'all: the rest is ignored');
      lab.must(lab.settings({ max: 1 }));
      for (const to of ['all', 'nix', 'lead']) assert.equal(code(send('lead', to)), 'unavailable', to);
      lab.must(lab.settings({ max: 4 }));
      lab.add('lead', 'ann');
      assert.deepEqual(
        send('lead', 'ann', 'zed', 'lead', 'nix'),
        { code: 'unknown', name: 'zed' },
        'first given',
      );
      assert.deepEqual(send('lead', 'lead', 'nix'), { code: 'unknown', name: 'nix' }, 'before self');
      assert.deepEqual(send('lead', 'ann', 'lead'), { code: 'self' });
      assert.deepEqual(send('ann', 'ann'), { code: 'self' });
      assert.deepEqual(send('ann', 'person'), { code: 'unknown', name: 'person' });
      assert.equal(lab.state.session?.lastRoomNumber, 0, 'nothing was posted');
    },
  },
  {
    title: 'L-55 the answer of a sent message names the recipients as addressed',
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      const all = await lab.tool('ann', 'team_send', { to: ['bob', 'all'], message: 'x' });
      assert.equal(all.text, texts.fact({ type: 'sent', to: ['all'] }));
      const named = await lab.tool('ann', 'team_send', { to: ['cid', 'bob', 'cid'], message: 'x' });
      assert.equal(named.text, texts.fact({ type: 'sent', to: ['cid', 'bob'] }));
    },
  },
  {
    title:
      "L-56 an agent receives only what is addressed to it, by name or as all, and its own members' reports",
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.send('ann', ['bob'], 'aside');
      lab.send('cid', ['all'], 'to all');
      lab.end('leaf', 'leaf is done');
      assert.deepEqual(
        ['lead', 'area', 'ann', 'bob', 'cid'].map((name) => lab.boundary(name).join('\n\n')),
        [
          '[Team message from cid to all:]\nto all',
          '[Team message from cid to all:]\nto all',
          '[Team message from cid to all:]\nto all\n\n[Team report from leaf to ann:]\nleaf is done',
          '[Team message from ann to bob:]\naside\n\n[Team message from cid to all:]\nto all',
          '',
        ],
      );
    },
  },
  {
    title: "L-57 a manager is not sent its members' talk; it reads it on demand",
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      lab.send('ann', ['bob'], 'between us');
      assert.deepEqual(lab.boundary('area'), []);
      assert.deepEqual(lab.boundary('lead'), []);
      const view = await look(lab, 'area');
      assert.deepEqual(
        view.messages.map(({ n, from, to, text }) => [n, from, to, text]),
        [[1, 'ann', ['bob'], 'between us']],
      );
    },
  },
  {
    title: "L-58 a member's final reply is posted as a report to its manager and delivered to it",
    run: (policy) => {
      const lab = tree(new Lab(policy));
      const events = lab.end('cid', 'cid is done');
      assert.deepEqual(roomOf(lab), ['1 cid>lead (lead) report: cid is done']);
      assert.deepEqual(lab.boundary('lead'), ['[Team report from cid to lead:]\ncid is done']);
      // X5, X6: the result itself is kept beside the message.
      const outcome = [...values(lab.state.outcomes)].at(-1);
      assert.deepEqual(
        [outcome?.kind, outcome?.cause, outcome === undefined ? '' : inlineText(outcome.summary)],
        ['result', 'final', 'cid is done'],
      );
      assert.ok(
        events.findIndex((event) => event.type === 'outcome.recorded') <
          events.findIndex((event) => event.type === 'message.posted'),
      );
    },
  },
  {
    title: 'L-59 an empty final reply reads as the no_report text',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.end('cid', '  \n');
      assert.deepEqual(lab.boundary('lead'), [`[Team report from cid to lead:]\n${texts.noReport}`]);
    },
  },
  {
    title: 'L-60 a turn that ended otherwise than by the model stopping says how, after a blank line',
    run: (policy) => {
      const heardOf = (reason: 'steps' | 'budget' | 'error', text: string, detail: string | null) => {
        const lab = tree(new Lab(policy));
        lab.end('cid', text, reason, detail);
        return lab.boundary('lead').join();
      };
      const mark = '[Team report from cid to lead:]';
      const ended = (how: string) => texts.ended({ reason: 'steps', detail: null }).replace('steps', how);
      assert.equal(heardOf('steps', 'so far', '50 steps'), `${mark}\nso far\n\n${ended('steps')}`);
      assert.equal(heardOf('budget', 'so far', '30 min'), `${mark}\nso far\n\n${ended('budget')}`);
      assert.equal(
        heardOf('error', '', 'the server is gone'),
        `${mark}\n${texts.noReport}\n\n${ended('error — the server is gone')}`,
      );
      const lab = tree(new Lab(policy));
      lab.end('cid', 'plainly done');
      assert.deepEqual(lab.boundary('lead'), [`${mark}\nplainly done`]);
    },
  },
  {
    title: "L-61 a sub-manager's final reply is likewise its report upward",
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.end('leaf', 'leaf is done');
      lab.end('ann', 'ann and leaf are done');
      lab.end('area', 'the area is done');
      assert.deepEqual(roomOf(lab), [
        '1 leaf>ann (ann) report: leaf is done',
        '2 ann>area (area) report: ann and leaf are done',
        '3 area>lead (lead) report: the area is done',
      ]);
    },
  },
  {
    title:
      "L-62 the person's words go to the lead as its user message, and the lead's answers to the person; none is in the room",
    run: (policy) => {
      const lab = new Lab(policy).begin('build it');
      lab.add('lead', 'ann');
      lab.go();
      lab.end('ann', 'ann is done');
      lab.boundary('lead');
      lab.end('lead', 'here it is');
      assert.match(lab.heard('lead')[0] ?? '', /\n\nbuild it$/);
      assert.doesNotMatch(lab.heard('lead')[0] ?? '', /Team message/);
      assert.deepEqual(answersOf(lab), ['lead>person: here it is'], 'no member speaks to the person');
      assert.deepEqual(roomOf(lab), ['1 ann>lead (lead) report: ann is done']);
      assert.equal(routingKey(lab.state, 'build it', policy), null, 'nothing is answered from a cache');
    },
  },
  {
    title: 'L-63 the person can stop a member; the lead is told by a note with the names',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      lab.must({ type: 'stop', name: 'area' });
      lab.say('go on');
      assert.deepEqual(lab.boundary('lead'), [
        `[Note:]\n${texts.note.teamStopped(['area', 'ann', 'leaf', 'bob'])}\n\ngo on`,
      ]);
    },
  },
  {
    title:
      'L-64 team_read shows the whole tree in tree order: name, role, manager, state, model, last activity',
    run: async (policy) => {
      const lab = new Lab(policy, {
        models: [modelFacts('main', { slots: 3 }), modelFacts('other')],
      }).begin();
      lab.add('lead', 'area', { lead: true, role: 'leads the area' });
      lab.add('lead', 'cid', { model: 'other' });
      lab.add('area', 'ann');
      lab.add('area', 'bob');
      lab.go();
      lab.end('ann', 'x');
      const view = await look(lab, 'cid');
      assert.deepEqual(
        view.tree.map((row) => [row.depth, row.name, row.role, row.manager, row.state, row.model]),
        [
          [0, 'lead', 'lead', null, 'working', 'main'],
          [1, 'area', 'leads the area', 'lead', 'working', 'main'],
          [2, 'ann', "ann's role", 'area', 'finished', 'main'],
          [2, 'bob', "bob's role", 'area', 'waiting', 'main'],
          [1, 'cid', "cid's role", 'lead', 'working', 'other'],
        ],
      );
      const phase = lab.run('ann').phase;
      assert.equal(view.tree[2]?.lastActivityAt, phase.status === 'ended' ? phase.at : null);
      lab.step('area', 'read');
      const later = await look(lab, 'area');
      assert.ok((later.tree[1]?.lastActivityAt ?? 0) > (view.tree[1]?.lastActivityAt ?? 0));
      const { text } = await lab.tool('lead', 'team_read', {});
      assert.match(
        text,
        /^The team:\n- lead \(role: lead; state: working; model: main; last activity: 1970-01-01 00:00:01 UTC\)\n {2}- area \(role: leads the area; manager: lead; state: working;/,
      );
    },
  },
  {
    title: 'L-64 each agent is one line, whatever its role was given as',
    run: async (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann', { role: 'a\n- boss (role: the person; state: working)' });
      const { text } = await lab.tool('lead', 'team_read', {});
      assert.equal(text.split('\n').filter((line) => /^ *- /.test(line)).length, 2);
    },
  },
  {
    title: 'L-64 team_read may be called as often as wanted',
    run: (policy) => {
      const lab = tree(new Lab(policy));
      for (let i = 0; i < 3; i++) {
        const [call] = lab.step('lead', 'team_read');
        assert.ok(call !== undefined);
        lab.must({ type: 'team_read', by: lab.id('lead'), since: 0 });
        lab.finish(call, 'ok', true);
      }
      assert.equal(lab.run('lead').statusCalls, 3, 'counted all the same (X21)');
    },
  },
  {
    title: 'L-65 messages above since that the caller may see, oldest first, at most 50, with how to read on',
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      // 60 between ann and bob, and as many that ann may not see: filtered before counting.
      for (let i = 0; i < 60; i++) {
        lab.send('ann', ['bob'], `a${i}`);
        lab.send('cid', ['lead'], `c${i}`);
      }
      assert.equal(READ_MAX, 50);
      const first = await look(lab, 'ann');
      assert.deepEqual(
        [first.messages.length, first.messages[0]?.n, first.messages.at(-1)?.n, first.nextSince],
        [50, 1, 99, 99],
      );
      const second = await look(lab, 'ann', first.nextSince ?? 0);
      assert.deepEqual(
        [second.messages.length, second.messages[0]?.n, second.messages.at(-1)?.n, second.nextSince],
        [10, 101, 119, null],
      );
      assert.deepEqual(await numbers(lab, 'ann', 119), []);
      const exact = await look(lab, 'cid', 20);
      assert.deepEqual(
        [exact.messages.length, exact.nextSince],
        [50, null],
        'exactly fifty: nothing to read on',
      );
      const { text } = await lab.tool('ann', 'team_read', { since: 0 });
      assert.ok(text.endsWith(texts.readOn(99)), text.slice(-200));
      assert.ok(!(await lab.tool('ann', 'team_read', { since: 99 })).text.includes('call team_read'));
      assert.equal((await lab.tool('ann', 'team_read', { since: -1 })).status, 'error');
    },
  },
  {
    title: 'L-65 an odd end and an empty report are readable in the room too',
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      lab.end('cid', '', 'error', 'no disk');
      const { text } = await lab.tool('lead', 'team_read', {});
      assert.match(text, /#1, 1970-01-01 00:00:01 UTC\n\[Team report from cid to lead:\]\n/);
      assert.ok(text.includes(`${texts.noReport}\n\n${texts.ended({ reason: 'error', detail: 'no disk' })}`));
    },
  },
  {
    title: 'L-66 the lead sees every message; others those whose sender or one recipient is in their subtree',
    run: async (policy) => {
      const lab = tree(new Lab(policy));
      lab.send('lead', ['cid'], '1');
      lab.send('leaf', ['ann'], '2');
      lab.send('cid', ['leaf'], '3');
      lab.send('bob', ['cid'], '4');
      lab.send('lead', ['all'], '5');
      lab.send('cid', ['lead', 'ann'], '6');
      lab.must({ type: 'say_to', to: 'leaf', text: inline('7') });
      const seen: Record<string, number[]> = {};
      for (const name of ['lead', 'area', 'ann', 'leaf', 'bob', 'cid']) seen[name] = await numbers(lab, name);
      assert.deepEqual(seen, {
        lead: [1, 2, 3, 4, 5, 6, 7],
        area: [2, 3, 4, 5, 6, 7],
        ann: [2, 3, 5, 6, 7],
        leaf: [2, 3, 5, 7],
        bob: [4, 5],
        cid: [1, 3, 4, 5, 6],
      });
      // A stopped member's rows keep its id: its old manager still sees them, a new bearer of the name does not.
      lab.must(lab.stopping('ann', 'leaf'));
      lab.add('lead', 'leaf');
      assert.deepEqual(await numbers(lab, 'ann'), [2, 3, 5, 6, 7]);
      assert.deepEqual(await numbers(lab, 'leaf'), []);
    },
  },
];
