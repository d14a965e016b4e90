/** What a path is at one time, as far as it matters for telling what happened to it. */
export interface Seen {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Permission bits. */
  readonly mode: number;
  /** Of the content; null: not known. */
  readonly hash: string | null;
}

/** A path that was found different. null: no file. */
export interface Pair {
  readonly path: string;
  readonly before: Seen | null;
  readonly after: Seen | null;
}

export interface Compared extends Pair {
  readonly kind: 'create' | 'modify' | 'delete' | 'rename';
  /** Of a rename: the path before. `before` is then that one's. */
  readonly from: string | null;
}

/**
 * What happened to each path: created, changed, deleted, renamed. Pure. A path that was only touched is left out. Every
 * path of the result is named once, as `path` or as `from`. A rename leads to a path where nothing was; a file that was
 * moved over another one is a deletion and a change, so that the content that it covered can be had back.
 */
export function compare(pairs: readonly Pair[]): readonly Compared[] {
  const gone = pairs.filter(isGone);
  const made = pairs.filter(isMade);
  const renames = pairUp(gone, made);
  const moved = new Set([...renames.values()].map((pair) => pair.path));
  return pairs.flatMap((pair): Compared[] => {
    const origin = renames.get(pair.path);
    if (origin !== undefined) return [{ ...pair, before: origin.before, kind: 'rename', from: origin.path }];
    if (isMade(pair)) return [{ ...pair, kind: 'create', from: null }];
    if (isGone(pair)) return moved.has(pair.path) ? [] : [{ ...pair, kind: 'delete', from: null }];
    return differs(pair) ? [{ ...pair, kind: 'modify', from: null }] : [];
  });
}

type Gone = Pair & { readonly before: Seen; readonly after: null };
type Made = Pair & { readonly before: null; readonly after: Seen };
const isGone = (pair: Pair): pair is Gone => pair.before !== null && pair.after === null;
const isMade = (pair: Pair): pair is Made => pair.before === null && pair.after !== null;

function differs({ before, after }: Pair): boolean {
  if (before === null || after === null) return false;
  if (before.mode !== after.mode || before.size !== after.size) return true;
  if (before.hash !== null && after.hash !== null) return before.hash !== after.hash;
  // Not both contents are known. A new time is then taken for a new content.
  return before.mtimeMs !== after.mtimeMs || before.ino !== after.ino;
}

/** New paths with the ones that they were renamed from: first by identity, then by content where that is unmistakable. */
function pairUp(gone: readonly Gone[], made: readonly Made[]): Map<string, Gone> {
  const renames = new Map<string, Gone>();
  if (gone.length === 0 || made.length === 0) return renames;
  const left = new Set(gone);
  const byIno = new Map(gone.map((pair) => [pair.before.ino, pair]));
  for (const to of made) {
    const from = byIno.get(to.after.ino);
    if (from === undefined || !left.has(from) || !isSameFile(from.before, to.after)) continue;
    renames.set(to.path, from);
    left.delete(from);
  }
  const byHash = groupByHash([...left], (pair) => pair.before);
  const rest = made.filter((pair) => !renames.has(pair.path));
  for (const [hash, targets] of groupByHash(rest, (pair) => pair.after)) {
    const origins = byHash.get(hash);
    const [to, from] = [targets[0], origins?.[0]];
    if (targets.length !== 1 || origins?.length !== 1 || to === undefined || from === undefined) continue;
    renames.set(to.path, from);
  }
  return renames;
}

/** The number of a deleted file is soon given to a new one: that alone proves nothing. */
const isSameFile = (before: Seen, after: Seen): boolean =>
  (before.mtimeMs === after.mtimeMs && before.size === after.size) ||
  (before.hash !== null && before.hash === after.hash);

function groupByHash<T>(pairs: readonly T[], seenOf: (pair: T) => Seen): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const pair of pairs) {
    const { hash, size } = seenOf(pair);
    // Empty files are all alike.
    if (hash === null || size === 0) continue;
    const group = groups.get(hash);
    if (group === undefined) groups.set(hash, [pair]);
    else group.push(pair);
  }
  return groups;
}
