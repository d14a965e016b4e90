import * as z from 'zod';
import text from '../../prompts/tools/todo.md';
import { LONGEST_TODO_CHARS, MOST_TODO_ITEMS, todoProblem, todoProgress } from '../shared/todo';
import { defineTool, errorText, okText } from './defineTool';
import { describe } from './describe';

const schema = z.strictObject({
  items: z
    .array(
      z.strictObject({
        text: z.string(),
        status: z.enum(['pending', 'in_progress', 'done']),
      }),
    )
    .max(MOST_TODO_ITEMS)
    .describe('The whole list; empty to clear it.'),
});

export const todo = defineTool<z.output<typeof schema>>({
  name: 'todo',
  risk: 'interact',
  description: describe(text, { items: MOST_TODO_ITEMS, chars: LONGEST_TODO_CHARS }),
  schema,
  execute: async ({ items }, { team, agentId }) => {
    const problem = todoProblem(items);
    if (problem !== null) return errorText(`The list was not kept, the one before stands: ${problem}.`);
    const kept = await team.do({ type: 'todo', by: agentId, items });
    if (!kept.ok) return errorText(`The list was not kept (${kept.error.code}).`);
    const progress = todoProgress(items);
    if (progress === null) return okText('Your list is empty now.');
    const now = progress.now === null ? 'nothing is in progress' : `in progress: ${progress.now}`;
    return okText(`Your list is kept: ${progress.done} of ${progress.total} done, ${now}.`);
  },
});
