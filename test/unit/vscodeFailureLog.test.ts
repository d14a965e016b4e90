import assert from 'node:assert/strict';
import type { SessionId } from '../../src/shared/ids';
import { logFailures, logRetry } from '../../src/vscode/failureLog';
import { Story } from '../support/webview/story';

describe('what failed at a model’s server is in the log', () => {
  const written: unknown[] = [];
  const log = { warn: (words: string, about?: object) => written.push([words, about]) };
  const session = 's' as SessionId;

  it('each try, and a turn that it ended; nothing else', () => {
    const story = new Story();
    const agent = story.begin();
    const run = story.start(agent);
    logRetry(log, { session, agent, run, type: 'retry', attempt: 1, waitMs: 500, reason: 'HTTP 503' });
    logRetry(log, { session, agent, run, type: 'text', delta: 'secret words' });
    story.end(run, 'error', 'HTTP 401: the key was refused');
    story.end(story.start(agent), 'final');
    logFailures(log, { session, state: story.state, events: story.commit() });
    assert.deepEqual(written, [
      [
        'a model request failed and is tried again',
        { session, agent, attempt: 1, waitMs: 500, reason: 'HTTP 503' },
      ],
      ['a turn ended by an error', { session, run, detail: 'HTTP 401: the key was refused' }],
    ]);
  });
});
