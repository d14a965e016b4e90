import assert from 'node:assert/strict';
import { values } from '../../src/base/table';
import type { StepId } from '../../src/shared/ids';
import { agentOf } from '../../src/shared/lookup';
import type { Step } from '../../src/shared/state';
import { scenes } from '../support/scene';
import { call, calls, say } from '../support/scriptedModel';

describe('what can be looked up afterwards', function () {
  const { start } = scenes(this);

  it('the exact request of every step is byte by byte what the server got, also after closing and opening', async () => {
    const rig = await start({ files: { 'a.txt': 'Größe 尺寸 😀\n' } });
    rig.server.script({
      lead: [
        call('team_add', { name: 'writer', role: 'writes', task: 'Write.', goal: 'a file' }),
        say('I wait.'),
        say('All done.'),
        say('Nothing more.'),
      ],
      writer: [
        calls(call('read', { path: 'a.txt' }), call('list', {})),
        call('nonsense', '{not json'),
        say('Written.'),
      ],
    });
    const session = await rig.delegate('Do it.');
    await rig.turns(session, 'lead', 2);
    await rig.engine.send(session, null, 'And now?');
    await rig.turns(session, 'lead', 3);
    await rig.close();
    await rig.open();
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok);
    for (const name of ['lead', 'writer']) {
      const steps: readonly Step[] = [...values(opened.value.steps)].filter(
        (step) => agentOf(opened.value, step.agentId)?.name === name,
      );
      const sent = rig.server.requestsOf(name).map((request) => request.raw);
      const shown = await Promise.all(steps.map((step) => rig.engine.exactRequest(session, step.id)));
      assert.equal(shown.length, sent.length);
      for (const [n, body] of sent.entries()) assert.deepEqual(shown[n], { ok: true, value: body });
      assert.ok(!JSON.stringify(shown).includes('test-key'));
    }
    assert.deepEqual(await rig.engine.exactRequest(session, 's99' as StepId), {
      ok: false,
      error: { code: 'no_step', step: 's99' },
    });
  });

  it('all records come in order, and messages are found by the beginnings of their words', async () => {
    const rig = await start();
    rig.server.script({ lead: [say('The walnut is cracked.'), say('Walnuts again.')] });
    const session = await rig.delegate('Crack the walnut.');
    await rig.turns(session, 'lead', 1);
    await rig.engine.send(session, null, 'And the next?');
    await rig.turns(session, 'lead', 2);
    const records: string[] = [];
    for await (const page of rig.engine.records(session)) records.push(...page);
    const state = rig.engine.state(session);
    assert.equal(records.length, state?.seq);
    assert.match(records[0] ?? '', /"session\.created"/);
    assert.match(records.at(-1) ?? '', /"delivery\.processed"|"run\.ended"|"message\.posted"/);
    const found = await rig.engine.search(session, 'WALN', 10);
    const texts = await Promise.all(
      [...values(state?.messages ?? assert.fail())]
        .filter((message) => found.includes(message.id))
        .map((message) => rig.engine.readText(session, message.text)),
    );
    assert.deepEqual(texts, ['Crack the walnut.', 'The walnut is cracked.', 'Walnuts again.']);
    assert.deepEqual(await rig.engine.search(session, 'hazel', 10), []);
  });
});
