import assert from 'node:assert/strict';
import { localId, type OutcomeId } from '../../src/shared/ids';
import { Projection } from '../../src/shared/project/projection';
import { inline } from '../../src/shared/text';
import { Story } from '../support/webview/story';

describe('a member that reports twice in one turn', () => {
  it('has its files and their review at the last of the reports alone, and the other is told to be another', () => {
    const story = new Story();
    const lead = story.begin();
    const ui = story.add('ui', lead, 'page');
    const run = story.start(ui);
    story.change(story.step(run, 'edit', {}), run, ui, 'a.ts', 2, 1);
    const projection = new Projection();
    const shown = (message: string) => {
      const row = projection.row('room', message);
      assert.ok(row?.type === 'message');
      return [row.files.length, row.review?.state ?? null];
    };
    const first = story.say(ui, [lead], 'half', 'report', run);
    projection.open(story.state);
    story.commit();
    const outcome = {
      id: localId<OutcomeId>('o', 0),
      agentId: ui,
      runId: run,
      taskId: null,
      messageId: null,
      kind: 'result',
      cause: 'final',
      paths: [],
      summary: inline('done'),
    } as const;
    story.push({ type: 'outcome.recorded', outcome });
    projection.apply(story.state, story.commit());
    assert.deepEqual(shown(first), [1, 'to_review']);

    const second = story.say(ui, [lead], 'all of it', 'report', run);
    const named = projection.apply(story.state, story.commit()).map(({ key }) => key);
    assert.ok(named.includes(first) && named.includes(second));
    assert.deepEqual(
      [shown(first), shown(second)],
      [
        [0, null],
        [1, 'to_review'],
      ],
    );

    story.push({ type: 'outcome.accepted', outcomeId: outcome.id });
    projection.apply(story.state, story.commit());
    assert.deepEqual(
      [shown(first), shown(second)],
      [
        [0, null],
        [1, 'accepted'],
      ],
    );
  });
});
