import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok } from '../base/result';
import { type EntryPlace, isThere, makeFolder, moveEntry, removeEmptyFolder, subtreeOf } from './entries';
import { ioProblem } from './ioProblem';
import { isWithin } from './place';
import {
  type Actor,
  type Answer,
  MOST_TREE_BYTES,
  MOST_TREE_FILES,
  type PathProblem,
  type PlacedPath,
  type PlannedChange,
  type PlannedFolder,
  type PlannedMove,
  type PlannedRemoval,
  type TreePort,
} from './port';

/** What moving and removing need of the gateway. */
export interface TreeParts {
  roots(): readonly string[];
  rootOf(path: PlacedPath): string;
  /** Whether the path as it was written names a link, not what the link leads to. */
  isLink(path: PlacedPath): Promise<boolean>;
  denied(path: PlacedPath): boolean;
  /** The removal of one file: leases, unsaved text, staleness. */
  planRemove(path: PlacedPath, actor: Actor): Promise<Answer<PlannedChange>>;
  plan(path: PlacedPath, after: Uint8Array, actor: Actor): Promise<Answer<PlannedChange>>;
  /** Does what makes all of these changes, if the files are still as they were planned on. */
  together(
    changes: readonly PlannedChange[],
    actor: Actor,
    act: () => Promise<Answer<null>>,
  ): Promise<Answer<null>>;
}

/** Works out what happens to whole folders, and does it. Changes of single files are the gateway's. */
export class Trees implements TreePort {
  readonly #parts: TreeParts;

  constructor(parts: TreeParts) {
    this.#parts = parts;
  }

  async planFolder(path: PlacedPath): Promise<Answer<PlannedFolder>> {
    const kind = await kindAt(path);
    if (!kind.ok) return kind;
    if (kind.value === 'file') return fail({ code: 'exists', path: path.shown });
    return ok({ path, exists: kind.value === 'folder' });
  }

  makeFolder(path: PlacedPath): Promise<Answer<null>> {
    return makeFolder(this.#entry(path));
  }

  async planRemoval(path: PlacedPath, actor: Actor): Promise<Answer<PlannedRemoval>> {
    const content = await this.#content(path, actor);
    if (!content.ok) return content;
    return ok({ path, ...content.value });
  }

  /** Removes what `planRemoval` found of folders, after its files are gone. */
  async removeFolders(removal: PlannedRemoval): Promise<Answer<null>> {
    for (const folder of removal.folders.toReversed()) {
      const done = await removeEmptyFolder(this.#entry(folder));
      if (!done.ok) return done;
    }
    return ok(null);
  }

  async planMove(from: PlacedPath, to: PlacedPath, actor: Actor): Promise<Answer<PlannedMove>> {
    if (from.real !== to.real && isWithin(from.real, to.real))
      return fail({ code: 'into_itself', path: to.shown });
    const content = await this.#content(from, actor);
    if (!content.ok) return content;
    if (await occupied(to)) return fail({ code: 'exists', path: to.shown });
    const { what, changes: removals, folders } = content.value;
    const changes: PlannedChange[] = [];
    for (const removal of removals) {
      const created = await this.#arrival(removal, from, to, actor);
      if (!created.ok) return created;
      changes.push(created.value, removal);
    }
    const moved = folders.flatMap((folder) => [moveOf(folder, from, to), folder]);
    return ok({ from, to, what, changes, folders: moved });
  }

  /** The removed file as it comes into being at its new place. */
  async #arrival(
    removal: PlannedChange,
    from: PlacedPath,
    to: PlacedPath,
    actor: Actor,
  ): Promise<Answer<PlannedChange>> {
    const target = moveOf(removal.path, from, to);
    if (this.#parts.denied(target)) {
      return fail({ code: 'denied', path: target.shown, by: '.teamroomignore' });
    }
    return this.#parts.plan(target, removal.before ?? new Uint8Array(), actor);
  }

  move(plan: PlannedMove, actor: Actor): Promise<Answer<null>> {
    return this.#parts.together(plan.changes, actor, () => this.#move(plan));
  }

  /** Moves it, if no other files lie there than those that were planned on. */
  async #move(plan: PlannedMove): Promise<Answer<null>> {
    if (plan.what === 'folder') {
      const now = await subtreeOf(this.#entry(plan.from), MOST_TREE_FILES);
      if (!now.ok) return now;
      const planned = new Set(plan.changes.map((change) => change.path.real));
      const added = now.value.files.find((file) => !planned.has(join(plan.from.real, file)));
      if (added !== undefined) {
        return fail({ code: 'stale', path: `${plan.from.shown}/${added}`, by: 'something outside' });
      }
    }
    return moveEntry(this.#entry(plan.from), this.#entry(plan.to));
  }

  /** The file, or all that lies in the folder and the folders themselves, outer before inner. */
  async #content(path: PlacedPath, actor: Actor): Promise<Answer<Omit<PlannedRemoval, 'path'>>> {
    if (this.#parts.roots().some((root) => isWithin(path.real, root)))
      return fail({ code: 'workspace_folder', path: path.shown });
    if (await this.#parts.isLink(path)) return fail({ code: 'not_a_file', path: path.shown, what: 'a link' });
    const kind = await kindAt(path);
    if (!kind.ok) return kind;
    if (kind.value === 'nothing') return fail({ code: 'missing', path: path.shown });
    if (kind.value === 'file') {
      const change = await this.#parts.planRemove(path, actor);
      return change.ok ? ok({ what: 'file', changes: [change.value], folders: [] }) : change;
    }
    const tree = await subtreeOf(this.#entry(path), MOST_TREE_FILES);
    if (!tree.ok) return tree;
    const changes: PlannedChange[] = [];
    let bytes = 0;
    for (const file of tree.value.files) {
      const inner = below(path, file);
      if (this.#parts.denied(inner))
        return fail({ code: 'denied', path: inner.shown, by: '.teamroomignore' });
      const change = await this.#parts.planRemove(inner, actor);
      if (!change.ok) return change;
      changes.push(change.value);
      bytes += change.value.before?.length ?? 0;
      if (bytes > MOST_TREE_BYTES)
        return fail({ code: 'too_much', path: path.shown, limit: MOST_TREE_BYTES });
    }
    const folders = [path, ...tree.value.folders.map((folder) => below(path, folder))];
    return ok({ what: 'folder', changes, folders });
  }

  #entry(path: PlacedPath): EntryPlace {
    return { real: path.real, root: this.#parts.rootOf(path), shown: path.shown };
  }
}

const below = (folder: PlacedPath, inside: string): PlacedPath => ({
  shown: folder.shown === '.' ? inside : `${folder.shown}/${inside}`,
  real: join(folder.real, inside),
  folder: folder.folder,
});

/** Where a path inside `from` comes to lie when `from` becomes `to`. */
function moveOf(path: PlacedPath, from: PlacedPath, to: PlacedPath): PlacedPath {
  const inside = path.real.slice(from.real.length + 1);
  return inside === '' ? to : below(to, inside);
}

async function occupied(path: PlacedPath): Promise<boolean> {
  try {
    return await isThere(path.real);
  } catch {
    // What can't be looked at is not written over.
    return true;
  }
}

async function kindAt(path: PlacedPath): Promise<Answer<'file' | 'folder' | 'nothing'>> {
  try {
    return ok((await lstat(path.real)).isDirectory() ? 'folder' : 'file');
  } catch (error) {
    const problem: PathProblem = ioProblem(error, path.shown);
    return problem.code === 'missing' ? ok('nothing') : fail(problem);
  }
}
