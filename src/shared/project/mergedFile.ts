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
  readonly from: string | null;
  readonly mode: { readonly before: number; readonly after: number } | null;
  readonly binary: boolean;
  readonly sharedWith: readonly string[];
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
    from: first.from ?? null,
    mode: mergedMode(changes),
    binary: changes.some(isBinary),
    sharedWith: [...new Set(changes.flatMap((change) => change.sharedWith ?? []))],
  };
}

function mergedMode(changes: readonly Change[]): MergedFile['mode'] {
  const modes = changes.flatMap(({ mode }) => mode ?? []);
  const [before, after] = [modes[0]?.before, modes.at(-1)?.after];
  return before === undefined || after === undefined || before === after ? null : { before, after };
}

/** SHA-256 of nothing: an empty file is a text without lines. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Other bytes, all of them known, and yet no line counted: it is no text. */
function isBinary({ added, removed, before, beforeHash, after, afterHash }: Change): boolean {
  if (added > 0 || removed > 0 || beforeHash === afterHash) return false;
  if (!hasContent(before, beforeHash) || !hasContent(after, afterHash)) return false;
  return [beforeHash, afterHash].some((hash) => hash !== null && hash !== EMPTY);
}
