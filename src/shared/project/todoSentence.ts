import type { TodoProgress } from '../protocol';
import { say } from '../texts';

/** "2 of 5: writing tests": how far an agent is with its own list. */
export const todoSentence = ({ done, total, now }: TodoProgress): string =>
  now === null ? say('doing.todoDone', { done, total }) : say('doing.todo', { done, total, now });
