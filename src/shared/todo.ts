import type { TodoProgress } from './protocol';
import type { TodoItem } from './state';

export const MOST_TODO_ITEMS = 30;
export const LONGEST_TODO_CHARS = 200;

/** What is wrong with a list, worded for the model; null: nothing. */
export function todoProblem(items: readonly TodoItem[]): string | null {
  if (items.length > MOST_TODO_ITEMS) {
    return `it has ${items.length} items; at most ${MOST_TODO_ITEMS} are kept`;
  }
  for (const [index, { text }] of items.entries()) {
    if (text.trim() === '') return `item ${index + 1} is empty`;
    if (text.length > LONGEST_TODO_CHARS) {
      return `item ${index + 1} has ${text.length} characters; at most ${LONGEST_TODO_CHARS}`;
    }
  }
  const current = items.filter((item) => item.status === 'in_progress').length;
  return current > 1 ? `${current} items are in progress; at most one is at a time` : null;
}

export function todoProgress(items: readonly TodoItem[]): TodoProgress | null {
  if (items.length === 0) return null;
  const done = items.filter((item) => item.status === 'done').length;
  const now = items.find((item) => item.status === 'in_progress')?.text ?? null;
  return { done, total: items.length, now };
}
