import assert from 'node:assert/strict';
import { activitySentence } from '../../src/shared/project/sentence';
import { treeRow } from '../../src/shared/project/treeList';
import { noSurroundings } from '../../src/shared/project/who';
import { policies } from '../../src/team/policies';
import { Lab } from '../rules/support';

const line = (lab: Lab, index: number) => {
  const row = treeRow(lab.state, `a${index}` as never, 0, noSurroundings) ?? assert.fail(`no a${index}`);
  const { agent, kind, role, state, left, activity } = row;
  return [agent.name, kind, role, state, left, activitySentence(activity, () => '10:00')];
};

describe('helpers in the tree', () => {
  it('their caller says for whom it waits; they stand with what they do, and with how they ended', () => {
    const lab = new Lab(policies.room).begin();
    const [first, second] = lab.step('lead', 'task', 'task');
    assert.ok(first && second);
    lab.must(lab.tasking('lead', { callId: first }));
    lab.must(lab.tasking('lead', { callId: second, does: 'writes it' }));
    lab.must({ type: 'park_run', runId: lab.run('lead').id });
    lab.go();
    assert.deepEqual(line(lab, 0).slice(3), ['waits', false, 'waits for helper-1, helper-2']);
    assert.deepEqual(line(lab, 1), [
      'helper-1',
      'helper',
      'looks it up',
      'working',
      false,
      'thinks · step 1',
    ]);
    lab.end('helper-1', 'found');
    assert.deepEqual(line(lab, 0).slice(3), ['waits', false, 'waits for helper-2']);
    assert.deepEqual(line(lab, 1).slice(3), ['finished', true, 'finished 10:00']);
    lab.end('helper-2', '', 'error', 'no model');
    assert.deepEqual(line(lab, 2).slice(3), ['failed', true, 'failed 10:00: no model']);
    lab.go();
    for (const call of [first, second]) lab.finish(call);
    const behind = lab.helper('lead', { background: true });
    lab.must({ type: 'stop', name: behind });
    assert.deepEqual(line(lab, 3).slice(3), ['stopped', true, 'stopped by you 10:00']);
  });
});
