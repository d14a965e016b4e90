import assert from 'node:assert/strict';
import { Silence } from '../../src/runtime/silence';
import type { AgentId, ModelId } from '../../src/shared/ids';
import { agentNamed } from '../../src/shared/lookup';
import { activityOf } from '../../src/shared/project/doing';
import { LiveBuffer } from '../../src/shared/project/live';
import { activitySentence, rowSentence } from '../../src/shared/project/sentence';
import { type ModelFacts, noSurroundings } from '../../src/shared/project/who';
import { inline } from '../../src/shared/text';
import { policies } from '../../src/team/policies';
import { Lab, modelFacts } from '../rules/support';
import { ManualClock } from '../support/scriptedModel/manualClock';

const MINUTE = 60_000;
const moments = { time: () => '10:00', left: () => '0:09' };

const around = (models: Readonly<Record<string, Partial<ModelFacts>>>) => ({
  ...noSurroundings,
  models: new Map(
    Object.entries(models).map(([id, facts]): [ModelId, ModelFacts] => [
      id as ModelId,
      { label: id, parallel: null, rehearsal: false, ...facts },
    ]),
  ),
});

const says = (lab: Lab, name: string, surroundings = noSurroundings): string => {
  const agent = agentNamed(lab.state, name) ?? assert.fail(name);
  return activitySentence(activityOf(lab.state, agent, surroundings), () => '10:00');
};

describe('who waits for whom', () => {
  it('for a free slot of a model, with those that hold them', () => {
    const lab = new Lab(policies.room, { models: [modelFacts('main', { slots: 2 })] }).begin();
    lab.must(lab.adding('lead', 'ann'));
    lab.must(lab.adding('lead', 'bob'));
    lab.go();
    const one = around({ main: { parallel: 2, label: 'Big' } });
    assert.equal(says(lab, 'bob', one), 'waits for a free slot of Big (lead, ann at work)');
    assert.equal(says(lab, 'bob', around({ main: { parallel: 3 } })), 'waits to start');
  });

  it('for another model of the same capacity group', () => {
    const models = [
      modelFacts('main', { capacityGroup: 'gpu' }),
      modelFacts('other', { capacityGroup: 'gpu' }),
    ];
    const lab = new Lab(policies.room, { models }).begin();
    lab.must(lab.adding('lead', 'ann', { model: 'other' }));
    const both = around({ main: { capacityGroup: 'gpu' }, other: { capacityGroup: 'gpu' } });
    assert.equal(says(lab, 'ann', both), 'waits for main, which has the capacity (lead at work)');
  });

  it('a lead for the reports of those that are at work, three of them by name', () => {
    const lab = new Lab(policies.room).begin();
    for (const name of ['ann', 'bob', 'cid', 'dee']) lab.must(lab.adding('lead', name));
    lab.end('lead', 'final');
    assert.equal(says(lab, 'lead'), 'waits for ann, bob, cid and 1 more');
  });

  it('a lead for its commands in the background, until they have ended', () => {
    const lab = new Lab(policies.room).begin();
    const calls = lab.step('lead', 'bash', 'bash');
    const start = { type: 'start_job', command: 'x', cwd: '.', pgid: 1, processStart: 't' } as const;
    for (const callId of calls) {
      lab.must({ ...start, callId });
      lab.finish(callId);
    }
    lab.end('lead', 'They run.');
    assert.equal(says(lab, 'lead'), 'has 2 commands in the background');
    const [first, second] = lab.state.open.jobs;
    assert.ok(first !== undefined && second !== undefined);
    const output = inline('');
    const end = { how: 'unknown', exitCode: null, signal: null, output, from: 0, detail: null } as const;
    lab.must({ type: 'end_job', jobId: first, end, words: output, wake: false });
    assert.equal(says(lab, 'lead'), 'has a command in the background');
    lab.must({ type: 'end_job', jobId: second, end, words: output, wake: false });
    assert.equal(says(lab, 'lead'), 'finished 10:00');
  });

  it('nobody for a step that ended while it is paused', () => {
    const lab = new Lab(policies.room).begin();
    lab.must({ type: 'pause', paused: true });
    lab.must({ type: 'pause_run', runId: lab.run('lead').id });
    assert.equal(says(lab, 'lead'), 'paused');
    assert.deepEqual(lab.startable(), []);
    lab.must({ type: 'pause', paused: false });
    assert.equal(says(lab, 'lead'), 'goes on');
    assert.deepEqual(lab.startable(), ['lead']);
  });
});

describe('silence', () => {
  it('is told minute by minute until something is heard, and not at all when nothing is waited for', () => {
    const clock = new ManualClock();
    const told: (number | 'over')[] = [];
    const silence = new Silence(
      clock,
      (minutes) => told.push(minutes),
      () => told.push('over'),
    );
    silence.heard();
    clock.advance(MINUTE - 1);
    silence.heard();
    clock.advance(MINUTE - 1);
    assert.deepEqual(told, []);
    clock.advance(1 + MINUTE);
    assert.deepEqual(told, [1, 2]);
    silence.heard();
    assert.deepEqual(told, [1, 2, 'over']);
    silence.dispose();
    clock.advance(10 * MINUTE);
    assert.deepEqual(told, [1, 2, 'over']);
    assert.deepEqual(clock.pending, []);
  });

  it('is said beside what the agent does, and only while it does something', () => {
    const live = new LiveBuffer();
    const agent = 'a1' as AgentId;
    live.take({ agent, type: 'thinking' }, false, 0);
    live.take({ agent, type: 'silent', minutes: 2 }, false, 0);
    const words = (activity: Parameters<typeof rowSentence>[0]) =>
      rowSentence(activity, live.streaming(agent), moments);
    assert.equal(words({ type: 'thinking', step: 3 }), 'thinks · step 3, silent for 2 minutes');
    const running = { type: 'calling', tool: 'bash', what: 'npm test', others: 0, step: 3 } as const;
    assert.equal(words(running), 'runs npm test · step 3, silent for 2 minutes');
    assert.equal(words({ type: 'finished', at: 0 }), 'finished 10:00');
    live.take({ agent, type: 'text', delta: 'Now' }, false, 0);
    assert.equal(words({ type: 'thinking', step: 3 }), 'writes');
  });
});
