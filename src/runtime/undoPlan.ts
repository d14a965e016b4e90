import { createHash } from 'node:crypto';
import { fail, ok, type Result } from '../base/result';
import type { UndoWrite } from '../shared/undoRecord';
import type { PathProblem } from '../workspace/port';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';

/** What a file holds. Both null: no file; bytes null alone: only the hash of it is known. */
export interface Content {
  readonly bytes: Uint8Array | null;
  readonly hash: string | null;
  /** Permission bits; null: there is no file, or they are not known. */
  readonly mode: number | null;
}

/** One change that is to be taken out of the files: from `before` to `after`, which lay at `from` before if that is set. */
export interface TakeOut {
  readonly path: string;
  readonly from: string | null;
  readonly before: Content;
  readonly after: Content;
  /** False: what it was before, or is after it, was not kept. */
  readonly isKnown: boolean;
}

/** Why it can't be, with the file in which. */
export type PlanProblem =
  /** `now`: hash of what the file holds. */
  | { readonly code: 'overlap' | 'no_merge'; readonly path: string; readonly now: string | null }
  | { readonly code: 'no_before' }
  | { readonly code: 'place_taken'; readonly place: string }
  | { readonly code: PathProblem['code'] };

type Parts = Pick<EngineOptions, 'workspace' | 'ledger'>;

/**
 * What has to be written so that these changes are out of the files: newest first, each by a three-way merge with what
 * the files hold now. It is worked out as a whole; nothing is written here.
 */
export async function planTakeOut(
  parts: Parts,
  runtime: SessionRuntime,
  changes: readonly TakeOut[],
): Promise<Result<readonly UndoWrite[], PlanProblem>> {
  const files = new Overlay(parts.workspace);
  for (const change of changes) {
    const problem = await takeOut(parts, files, change);
    if (problem !== null) return fail(problem);
  }
  return ok(files.writes((bytes) => runtime.store.keepBytes(bytes).blob));
}

async function takeOut({ ledger }: Parts, files: Overlay, change: TakeOut): Promise<PlanProblem | null> {
  const { path, from, before, after } = change;
  if (!change.isKnown || isUnknown(before)) return { code: 'no_before' };
  const now = await files.at(path);
  if (!now.ok) return now.error;
  const place = from ?? path;
  if (place !== path) {
    const there = await files.at(place);
    if (!there.ok) return there.error;
    if (there.value.hash !== null) return { code: 'place_taken', place };
  }
  const mode = modeWithout(before, after, now.value);
  if (mode === 'overlap') return { code: mode, path, now: files.onDisk(path) };
  let next: Content = { ...before, mode };
  if (now.value.hash !== after.hash) {
    if (isUnknown(after)) return { code: 'no_merge', path, now: files.onDisk(path) };
    const merged = ledger.withoutChange(before.bytes, after.bytes, now.value.bytes);
    if (!merged.ok) {
      const code = merged.error === 'conflict' ? 'overlap' : 'no_merge';
      return { code, path, now: files.onDisk(path) };
    }
    next = contentOf(merged.value, mode);
  }
  if (place !== path) files.set(path, NO_FILE);
  files.set(place, next);
  return null;
}

/** Permission bits merged like a text of one line. A file that comes back gets those it had, if they are known. */
function modeWithout(before: Content, after: Content, now: Content): number | null | 'overlap' {
  if (before.hash === null) return null;
  if (after.hash === null) return before.mode;
  if (before.mode === null || after.mode === null || before.mode === after.mode) return now.mode;
  if (now.mode === after.mode) return before.mode;
  return now.mode === before.mode ? now.mode : 'overlap';
}

export const NO_FILE: Content = { bytes: null, hash: null, mode: null };

const isUnknown = (content: Content): boolean => content.bytes === null && content.hash !== null;

export const contentOf = (bytes: Uint8Array | null, mode: number | null): Content =>
  bytes === null ? NO_FILE : { bytes, hash: createHash('sha256').update(bytes).digest('hex'), mode };

/** The files as they are, and as they will be. */
class Overlay {
  readonly #workspace: EngineOptions['workspace'];
  readonly #files = new Map<string, { readonly now: Content; will: Content }>();

  constructor(workspace: EngineOptions['workspace']) {
    this.#workspace = workspace;
  }

  async at(path: string): Promise<Result<Content, { readonly code: PathProblem['code'] }>> {
    const known = this.#files.get(path);
    if (known !== undefined) return ok(known.will);
    const placed = await this.#workspace.place(path);
    if (!placed.ok) return fail({ code: placed.error.code });
    const seen = await this.#workspace.peek(placed.value);
    if (!seen.ok) return fail({ code: seen.error.code });
    const now: Content = seen.value ?? NO_FILE;
    this.#files.set(path, { now, will: now });
    return ok(now);
  }

  onDisk(path: string): string | null {
    return this.#files.get(path)?.now.hash ?? null;
  }

  /** @param path one that was looked at before */
  set(path: string, content: Content): void {
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`nobody has looked at ${path}`);
    file.will = content;
  }

  /** New contents come before removals: whatever happens between them, no content is lost. */
  writes(keep: (bytes: Uint8Array) => UndoWrite['before']): readonly UndoWrite[] {
    const changed = [...this.#files].filter(
      ([, { now, will }]) => now.hash !== will.hash || now.mode !== will.mode,
    );
    const kept = ({ bytes }: Content) => (bytes === null ? null : keep(bytes));
    return changed
      .map(([path, { now, will }]) => ({
        path,
        before: kept(now),
        after: kept(will),
        beforeHash: now.hash,
        afterHash: will.hash,
        mode: { before: now.mode, after: will.mode },
      }))
      .sort((a, b) => Number(a.afterHash === null) - Number(b.afterHash === null));
  }
}
