import * as z from 'zod';
import text from '../../prompts/tools/ask_user.md';
import { defineTool, errorText } from './defineTool';
import { describe } from './describe';

const MOST_CHOICES = 6;

const schema = z.strictObject({
  question: z.string().min(1).describe('The question, complete in itself.'),
  choices: z.array(z.string().min(1)).max(MOST_CHOICES).optional().describe('Answers to choose from.'),
});

export const askUser = defineTool<z.output<typeof schema>>({
  name: 'ask_user',
  risk: 'interact',
  description: describe(text, { choices: MOST_CHOICES }),
  schema,
  execute: async ({ question, choices }) =>
    question.trim() === ''
      ? errorText('The question is empty.')
      : { type: 'suspend', on: { type: 'question', text: question, choices: choices ?? [] } },
});
