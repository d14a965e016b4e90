import { at, values } from '../../base/table';
import { type AgentId, type ChangeId, indexOf } from '../ids';
import { agentOf, callOf, runOf } from '../lookup';
import type { ChangeGroupRow, ChangeRow, FileRow, Who } from '../protocol';
import type { Change, State } from '../state';
import { lastUndoOf } from '../undos';
import { oneLine, subjectOf } from './doing';
import { type MergedFile, mergeChanges } from './mergedFile';
import { reviewMark } from './reviewMarks';
import { currentRun, speaker, whoIs } from './who';

export const groupKey = (agent: AgentId): string => `g:${agent}`;
export const fileKey = (agent: AgentId, path: string): string => `p:${agent}:${path}`;

interface FileEntry {
  readonly agent: AgentId;
  readonly path: string;
  readonly changes: ChangeId[];
}

interface Group {
  readonly agent: AgentId;
  readonly files: FileEntry[];
}

export interface Inserted {
  readonly key: string;
  readonly index: number;
}

/**
 * The changed files by member, in the order in which each began. Grows by what is added; rows are worked out when
 * they are asked for.
 */
export class ChangeList {
  #groups: Group[] = [];
  readonly #files = new Map<string, FileEntry>();
  readonly #byPath = new Map<string, Set<AgentId>>();

  fill(state: State): void {
    this.#groups = [];
    this.#files.clear();
    this.#byPath.clear();
    for (const change of values(state.changes)) this.add(change);
  }

  /** Takes a change in; answers the keys that are new with their positions, in the order to insert them. */
  add(change: Change): readonly Inserted[] {
    const key = fileKey(change.agentId, change.path);
    const known = this.#files.get(key);
    if (known !== undefined) {
      known.changes.push(change.id);
      return [];
    }
    const entry: FileEntry = { agent: change.agentId, path: change.path, changes: [change.id] };
    this.#files.set(key, entry);
    const editors = this.#byPath.get(change.path) ?? new Set();
    this.#byPath.set(change.path, editors.add(change.agentId));
    return this.#place(entry, key);
  }

  #place(entry: FileEntry, key: string): readonly Inserted[] {
    let start = 0;
    for (const group of this.#groups) {
      const end = start + 1 + group.files.length;
      if (group.agent === entry.agent) {
        group.files.push(entry);
        return [{ key, index: end }];
      }
      start = end;
    }
    this.#groups.push({ agent: entry.agent, files: [entry] });
    return [
      { key: groupKey(entry.agent), index: start },
      { key, index: start + 1 },
    ];
  }

  get size(): number {
    return this.#files.size + this.#groups.length;
  }

  get fileCount(): number {
    return this.#files.size;
  }

  /** Who has changed a path. */
  editors(path: string): readonly AgentId[] {
    return [...(this.#byPath.get(path) ?? [])];
  }

  /** Keys of an agent's rows that change with any of its changes: its group and its last file. */
  around(agent: AgentId): readonly string[] {
    const group = this.#groups.find((each) => each.agent === agent);
    if (group === undefined) return [];
    const before = group.files.slice(-2).map((file) => fileKey(agent, file.path));
    return [groupKey(agent), ...before];
  }

  has(key: string): boolean {
    return this.#files.has(key) || this.#groups.some((group) => groupKey(group.agent) === key);
  }

  /** The changes of one file by one agent, oldest first. */
  changesOf(agent: AgentId, path: string): readonly ChangeId[] {
    return this.#files.get(fileKey(agent, path))?.changes ?? [];
  }

  filesOf(agent: AgentId): readonly string[] {
    return this.#groups.find((group) => group.agent === agent)?.files.map((file) => file.path) ?? [];
  }

  rows(state: State, from: number, to: number): readonly ChangeRow[] {
    const rows: ChangeRow[] = [];
    let index = 0;
    for (const group of this.#groups) {
      if (index >= to) break;
      const next = index + 1 + group.files.length;
      if (next > from) {
        if (index >= from) rows.push(this.#groupRow(state, group));
        const first = Math.max(0, from - index - 1);
        const last = Math.min(group.files.length, to - index - 1);
        for (const file of group.files.slice(first, last)) rows.push(this.#fileRow(state, group, file));
      }
      index = next;
    }
    return rows;
  }

  row(state: State, key: string): ChangeRow | null {
    const file = this.#files.get(key);
    const group = this.#groups.find((each) =>
      file === undefined ? groupKey(each.agent) === key : each.agent === file.agent,
    );
    if (group === undefined) return null;
    return file === undefined ? this.#groupRow(state, group) : this.#fileRow(state, group, file);
  }

  #groupRow(state: State, group: Group): ChangeGroupRow {
    let added = 0;
    let removed = 0;
    let undoable = 0;
    for (const file of group.files) {
      const live = liveChanges(state, file.changes);
      if (live.length === 0) continue;
      const merged = mergeChanges(live);
      added += merged.added;
      removed += merged.removed;
      if (merged.undoable) undoable++;
    }
    const agent = agentOf(state, group.agent);
    const run = agent === undefined ? undefined : currentRun(state, agent);
    return {
      type: 'group',
      key: groupKey(group.agent),
      agent: whoIs(state, group.agent),
      files: group.files.length,
      added,
      removed,
      working: run !== undefined && run.phase.status !== 'ended',
      undoable,
      review: reviewMark(state, group.agent),
      left: agent === undefined || agent.left !== null,
    };
  }

  #fileRow(state: State, group: Group, file: FileEntry): FileRow {
    const all = allChanges(state, file.changes);
    const live = all.filter((change) => change.undone === null);
    const shown = live.length > 0 ? live : all;
    const merged: MergedFile = mergeChanges(shown);
    const last = all[all.length - 1];
    return {
      type: 'file',
      key: fileKey(file.agent, file.path),
      agent: whoIs(state, file.agent),
      path: file.path,
      status: merged.status,
      from: merged.from,
      mode: merged.mode,
      binary: merged.binary,
      added: merged.added,
      removed: merged.removed,
      edits: shown.length,
      alsoBy: this.#others(state, file),
      sharedWith: merged.sharedWith,
      via: last === undefined ? null : viaCommand(state, last),
      undone:
        live.length > 0 || last === undefined || last.undone === null
          ? null
          : { at: last.undone.at, by: speaker(state, last.undone.by) },
      undoable: live.length > 0 && merged.undoable,
      redo: lastUndoOf(state, file.agent, file.path),
      last: group.files[group.files.length - 1] === file,
    };
  }

  #others(state: State, file: FileEntry): readonly Who[] {
    return this.editors(file.path)
      .filter((agent) => agent !== file.agent)
      .filter((agent) => liveChanges(state, this.changesOf(agent, file.path)).length > 0)
      .map((agent) => whoIs(state, agent));
  }
}

export function allChanges(state: State, ids: readonly ChangeId[]): readonly Change[] {
  return ids.map((id) => at(state.changes, indexOf(id))).filter((change) => change !== undefined);
}

/** Those that have not been undone. */
export function liveChanges(state: State, ids: readonly ChangeId[]): readonly Change[] {
  return allChanges(state, ids).filter((change) => change.undone === null);
}

/** The command that changed a file, if it was one: its writer did not name the file. */
function viaCommand(state: State, change: Change): FileRow['via'] {
  const call = callOf(state, change.callId);
  if (call === undefined) return null;
  const intent = call.effects.find((each) => each.intent.type === 'command')?.intent;
  if (change.by !== 'command' && intent === undefined) return null;
  const command = intent?.type === 'command' ? intent.command : call.tool;
  const run = runOf(state, call.runId);
  const steps = run?.entries.filter((entry) => entry.type === 'step') ?? [];
  const step = steps.findIndex((entry) => entry.step === call.stepId) + 1;
  return { call: call.id, command: oneLine(subjectOf(call) ?? command), step };
}
