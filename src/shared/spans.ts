import type { Change } from './state';

/**
 * Changes of one file by one agent between which nobody else touched it, seen as one: what the agent did there. Hunks
 * are those of a span, so that they hold nothing of others.
 */
export interface Span {
  /** In their order, at least one. */
  readonly changes: readonly Change[];
  readonly path: string;
  readonly before: Change['before'];
  readonly after: Change['after'];
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
}

/** @param changes of one file by one agent in their order, none of them undone */
export function spansOf(changes: readonly Change[]): readonly Span[] {
  const spans: Change[][] = [];
  for (const change of changes) {
    const current = spans.at(-1);
    const last = current?.at(-1);
    if (current !== undefined && last?.afterHash === change.beforeHash && last.path === change.path)
      current.push(change);
    else spans.push([change]);
  }
  return spans.flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { before, beforeHash } = first;
    const { after, afterHash, path } = last;
    return [{ changes: group, path, before, after, beforeHash, afterHash }];
  });
}

/** A hash without its content: the file was too large, or nobody had seen it before a command changed it. */
export const hasBoth = (span: Pick<Span, 'before' | 'beforeHash' | 'after' | 'afterHash'>): boolean =>
  hasContent(span.before, span.beforeHash) && hasContent(span.after, span.afterHash);

export const hasContent = (blob: string | null, hash: string | null): boolean =>
  blob !== null || hash === null;
