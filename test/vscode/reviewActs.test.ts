import assert from 'node:assert/strict';
import type { State } from '../../src/shared/state';
import { perform } from '../../src/vscode/acts';
import { deskOn, rigModel } from '../support/desk';
import { Rig } from '../support/rig';
import { type Reaction, ScriptedAsker } from '../support/scriptedAsker';
import { call, calls, say } from '../support/scriptedModel';

describe('acts of the Room on what members have changed', () => {
  let rig: Rig;
  afterEach(() => rig.end());

  const begin = '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n';
  const changed = 'ONE\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nTWELVE\n';

  /** A member has reported two changed files. */
  const setUp = async (...script: readonly Reaction[]) => {
    rig = await Rig.start({ files: { 'a.txt': begin } });
    rig.server.script({
      lead: [
        call('team_add', { name: 'ui', role: 'page', task: 'Write it.', goal: 'A page.' }),
        say('I wait.'),
        say('It is there.'),
        say('It is there again.'),
      ],
      ui: [
        calls(call('read', { path: 'a.txt' }), call('write', { path: 'b.txt', content: 'b\n' })),
        call('write', { path: 'a.txt', content: changed }),
        say('Written.'),
        say('Nothing more to change.'),
      ],
    });
    const asker = new ScriptedAsker(...script);
    const parts = await deskOn(rig, asker, { models: [rigModel(rig)] });
    const session = await rig.delegate('A page.');
    await parts.desk.sessions.look(session);
    await rig.turns(session, 'lead', 2);
    await rig.quiet(session);
    const state = (): State => {
      const now = rig.engine.state(session);
      assert.ok(now);
      return now;
    };
    return { ...parts, asker, session, state };
  };

  it('are what the commands do, by what was shown there', async () => {
    const { desk, session, state } = await setUp({ confirm: true });
    const ports = { desk, diffs: null as never, place: () => null };
    const act = (what: Parameters<typeof perform>[2]) => perform(ports, session, what);
    const outcome = [...state().outcomes.pages.flat()][0]?.id;
    const agent = [...state().agents.pages.flat()].find(({ name }) => name === 'ui')?.id;
    assert.ok(outcome !== undefined && agent !== undefined);
    assert.deepEqual(await act({ type: 'requestChanges', outcome, text: ' ' }), {
      ok: false,
      words: "An empty message can't be sent.",
    });
    assert.deepEqual(await act({ type: 'accept', outcome }), { ok: true, words: '' });
    assert.deepEqual(await act({ type: 'accept', outcome }), {
      ok: false,
      words: 'report is accepted, so that is not possible now.',
    });
    assert.deepEqual(await act({ type: 'undoHunk', agent, path: 'a.txt', hunk: `${'0'.repeat(32)}-0` }), {
      ok: false,
      words: '',
    });
    await act({ type: 'undoTask' });
    assert.equal(await rig.read('a.txt'), begin);
    await act({ type: 'redo', undo: 'u0' as never });
    assert.equal(await rig.read('a.txt'), changed);
  });
});
