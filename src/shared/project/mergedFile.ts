import { hasContent } from '../spans';
import type { Change } from '../state';

/** Several changes of one path by one agent, seen as one: from the first one's before to the last one's after. */
export interface MergedFile {
  readonly status: 'new' | 'changed' | 'deleted';
  /** Sums: with several changes of the same lines more than the diff shows. */
  readonly added: number;
  readonly removed: number;
  readonly before: Change['before'];
  readonly after: Change['after'];
  /** False if a change has no content from before to go back to. */
  readonly undoable: boolean;
}

/** @param changes of one path in their order, at least one, none undone */
export function mergeChanges(changes: readonly Change[]): MergedFile {
  const first = changes[0];
  const last = changes[changes.length - 1];
  if (first === undefined || last === undefined) throw new Error('no change to merge');
  const status = last.kind === 'delete' ? 'deleted' : first.kind === 'create' ? 'new' : 'changed';
  return {
    status,
    added: changes.reduce((sum, change) => sum + change.added, 0),
    removed: changes.reduce((sum, change) => sum + change.removed, 0),
    before: first.before,
    after: last.after,
    undoable: changes.every(
      (change) => change.undoable !== false && hasContent(change.before, change.beforeHash),
    ),
  };
}
