import type { State } from '../state';
import { add, change, type Handlers } from './handler';

export const taskHandlers: Handlers<
  'task.created' | 'task.changed' | 'outcome.recorded' | 'outcome.accepted' | 'outcome.returned'
> = {
  'task.created': (state, event) =>
    add(state, 'tasks', {
      ...event.task,
      status: 'open',
      changedAt: event.at,
      outcomeId: null,
      evidence: null,
    }),
  'task.changed': (state, event) =>
    change(state, 'tasks', event.taskId, (task) => ({
      ...task,
      status: event.status,
      changedAt: event.at,
      brief: event.brief ?? task.brief,
      // Evidence of a failure stays readable after a cancel (C-60).
      evidence: event.evidence ?? task.evidence,
    })),
  'outcome.recorded': (state, event) => {
    const { outcome, at } = event;
    const added: State | null = add(state, 'outcomes', { ...outcome, at, accepted: null });
    if (added === null || outcome.taskId === null) return added;
    return change(added, 'tasks', outcome.taskId, (task) => ({ ...task, outcomeId: outcome.id }));
  },
  'outcome.accepted': (state, event) =>
    change(state, 'outcomes', event.outcomeId, (outcome) =>
      outcome.accepted === null ? { ...outcome, accepted: { at: event.at } } : null,
    ),
  'outcome.returned': (state, event) =>
    change(state, 'outcomes', event.outcomeId, (outcome) =>
      outcome.accepted === null && outcome.returned == null
        ? { ...outcome, returned: { at: event.at, messageId: event.messageId } }
        : null,
    ),
};
