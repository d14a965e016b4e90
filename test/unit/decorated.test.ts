import assert from 'node:assert/strict';
import { localId, type OutcomeId } from '../../src/shared/ids';
import { inline } from '../../src/shared/text';
import { changedMarks, marksOf } from '../../src/vscode/decorated';
import { Story } from '../support/webview/story';

describe('files that agents have changed', () => {
  it('are marked with who it was as long as it stands and is not accepted, and told when that changes', () => {
    const story = new Story();
    const lead = story.begin();
    const [ui, api] = [story.add('ui', lead, 'page'), story.add('api', lead, 'server')];
    const [run, other] = [story.start(ui), story.start(api)];
    const [call, otherCall] = [story.step(run, 'edit', {}), story.step(other, 'edit', {})];
    story.change(call, run, ui, 'a.ts', 1, 0);
    const gone = story.change(call, run, ui, 'b.ts', 1, 0);
    story.change(otherCall, other, api, 'a.ts', 1, 0);
    const marks = () => marksOf([story.state], (path) => (path.startsWith('/') ? null : `/work/${path}`));
    const shown = () =>
      [...marks()].map(([path, { names, toReview }]) => `${path} ${names.join('+')} ${toReview}`);
    assert.deepEqual(shown(), ['/work/a.ts ui+api false', '/work/b.ts ui false']);

    const outcome = (agentId: typeof ui, runId: typeof run) => {
      const id = localId<OutcomeId>('o', story.state.outcomes.size);
      const rest = {
        taskId: null,
        messageId: null,
        kind: 'result',
        summary: inline('done'),
        paths: [],
        cause: 'final',
      } as const;
      story.push({ type: 'outcome.recorded', outcome: { id, agentId, runId, ...rest } });
      return id;
    };
    story.end(run);
    const before = marks();
    const report = outcome(ui, run);
    assert.deepEqual(shown(), ['/work/a.ts ui+api true', '/work/b.ts ui true']);
    assert.deepEqual(changedMarks(before, marks()), ['/work/a.ts', '/work/b.ts']);
    story.push({ type: 'change.undone', changeId: gone, by: { type: 'person' } });
    assert.deepEqual(shown(), ['/work/a.ts ui+api true']);
    const reported = marks();
    story.push({ type: 'outcome.accepted', outcomeId: report });
    assert.deepEqual(shown(), ['/work/a.ts api false']);
    assert.deepEqual(changedMarks(reported, marks()), ['/work/a.ts']);
    assert.deepEqual(changedMarks(marks(), marks()), []);
    // What comes after the Accept waits for the next one.
    const next = story.start(ui);
    story.change(story.step(next, 'edit', {}), next, ui, 'c.ts', 1, 0);
    assert.deepEqual(shown(), ['/work/a.ts api false', '/work/c.ts ui false']);
  });
});
