import assert from 'node:assert/strict';
import { values } from '../../src/base/table';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

describe('texts of any length and of any characters', function () {
  const { start } = scenes(this);

  it('reach the models whole: briefs, messages, reports, answers, also after closing and opening', async () => {
    const rig = await start();
    const long = (name: string) => `${name}: ${'Größe 尺寸 😀 '.repeat(900)}end of ${name}`;
    rig.server.script({
      lead: [
        call('team_add', { name: 'a', role: 'a', task: long('brief'), goal: 'g'.repeat(1024) }),
        call('team_send', { to: 'a', message: long('message') }),
        say(long('answer')),
        say('a is done.'),
        say('Nothing more.'),
      ],
      a: [hold('a', call('report', { message: long('word') })), hold('a ends', say(long('report')))],
    });
    const session = await rig.delegate(long('task'));
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    rig.server.release('a ends');
    await rig.turns(session, 'lead', 3);
    assert.equal(await rig.lastAnswer(session), 'Nothing more.');
    await rig.close();
    await rig.open();
    rig.server.script({ lead: [say('Still here.')] });
    await rig.engine.send(session, null, long('second task'));
    await rig.turns(session, 'lead', 4);
    const sent = (agent: string) =>
      (rig.server.requestsOf(agent).at(-1)?.messages ?? []).flatMap(({ role, content }) =>
        role === 'user' || (role === 'assistant' && content !== '') ? [content] : [],
      );
    const note = '[Note:]\nThe team may have 1 to 4 agents, you included.\n\n';
    assert.deepEqual(sent('lead'), [
      `${note}${long('task')}`,
      long('answer'),
      `[Team message from a to lead:]\n${long('word')}`,
      'a is done.',
      `[Team report from a to lead:]\n${long('report')}`,
      'Nothing more.',
      long('second task'),
    ]);
    assert.deepEqual(sent('a'), [long('brief'), `[Team message from lead to a:]\n${long('message')}`]);
    const system = rig.server.requestsOf('a')[0]?.messages[0]?.content ?? '';
    assert.ok(system.includes('g'.repeat(1024)));
    assert.deepEqual(rig.server.unused(), []);
    assert.deepEqual(rig.errors, []);
  });

  it('a result that is too long is cut with a note, between characters, and kept whole; a goal that is too long is refused', async () => {
    const rig = await start();
    const message = '😀'.repeat(9000);
    rig.server.script({
      lead: [
        call('team_add', { name: 'a', role: 'a', task: 'x', goal: '尺'.repeat(342) }),
        call('team_add', { name: 'a', role: 'a', task: 'x', goal: '尺'.repeat(341) }),
        calls(...Array.from({ length: 5 }, () => call('team_send', { to: 'a', message }))),
        call('team_read'),
        say('Read.'),
      ],
      a: [hold('a')],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 1);
    const [refused, added] = (rig.server.requestsOf('lead')[2]?.messages ?? []).flatMap((each) =>
      each.role === 'tool' ? [each.content] : [],
    );
    assert.match(refused ?? '', /goal is longer than 1 KB/);
    assert.match(added ?? '', /^a was added/);
    const request = rig.server.requestsOf('lead').at(-1);
    const result = request?.messages.at(-1)?.content ?? '';
    assert.match(result, /\d+ characters left out here/);
    assert.ok(result.length < 61_000 && result.length > 59_000, `${result.length} characters`);
    // No half of a surrogate pair: strict servers refuse the request, and every later one.
    assert.ok(request?.raw.isWellFormed());
    assert.doesNotMatch(request?.raw ?? '', /\\ud[89a-f]/);
    const state = await rig.until(session, () => true);
    const read = [...values(state.calls)].find((each) => each.tool === 'team_read');
    assert.ok(read?.phase.status === 'finished' && read.phase.result.whole !== undefined);
    const whole = await rig.engine.readText(session, read.phase.result.whole);
    assert.equal(whole.split(message).length, 6);
  });
});
