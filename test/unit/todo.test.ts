import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { todoSentence } from '../../src/shared/project/todoSentence';
import { parseEvent } from '../../src/shared/schema';
import type { TodoItem } from '../../src/shared/state';
import { LONGEST_TODO_CHARS, MOST_TODO_ITEMS, todoProblem, todoProgress } from '../../src/shared/todo';
import { todo } from '../../src/tools/todo';

const item = (text: string, status: TodoItem['status'] = 'pending'): TodoItem => ({ text, status });
const words = (items: readonly TodoItem[]): string | null => {
  const progress = todoProgress(items);
  return progress === null ? null : todoSentence(progress);
};

describe('an agent’s own list', () => {
  it('is told as how much is done and what is in progress', () => {
    const list = [item('look', 'done'), item('write tests', 'in_progress'), item('tidy')];
    assert.equal(words(list), '1 of 3: write tests');
    assert.equal(words([item('look', 'done'), item('tidy')]), '1 of 2 done');
    assert.equal(words([item('look', 'done')]), '1 of 1 done');
    assert.equal(words([]), null);
  });

  it('holds one item in progress at most, and bounded texts', () => {
    assert.equal(todoProblem([item('a', 'in_progress'), item('b', 'done')]), null);
    assert.match(todoProblem([item('a', 'in_progress'), item('b', 'in_progress')]) ?? '', /2 items are in/u);
    assert.match(todoProblem([item('a'), item('  ')]) ?? '', /item 2 is empty/u);
    assert.match(todoProblem([item('x'.repeat(LONGEST_TODO_CHARS + 1))]) ?? '', /at most 200/u);
    assert.match(todoProblem(Array(MOST_TODO_ITEMS + 1).fill(item('a'))) ?? '', /at most 30/u);
  });

  it('never counts more than there is, and says nothing of an empty one', () => {
    const status = fc.constantFrom<TodoItem['status']>('pending', 'in_progress', 'done');
    fc.assert(
      fc.property(fc.array(fc.record({ text: fc.string(), status })), (items) => {
        const progress = todoProgress(items);
        if (items.length === 0) return progress === null;
        return progress !== null && progress.done <= progress.total && progress.total === items.length;
      }),
    );
  });

  it('is checked where it comes from disk', () => {
    const event = (items: unknown) => parseEvent({ at: 1, type: 'agent.todo', agentId: 'a0', items });
    assert.equal(event([item('a', 'done')]).ok, true);
    assert.equal(event([{ text: 'a', status: 'maybe' }]).ok, false);
    assert.equal(event(null).ok, false);
  });

  it('the tool takes only what the list can hold', () => {
    for (const bad of ['{"items":[{"text":"a","status":"doing"}]}', '{"items":[{"text":"a"}]}', '{}']) {
      assert.equal(todo.open(bad).ok, false, bad);
    }
    assert.equal(todo.open('{"items":[]}').ok, true);
  });
});
