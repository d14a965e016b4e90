import { fail, ok, type Result } from '../base/result';
import { values } from '../base/table';
import type { AgentId, BlobId } from '../shared/ids';
import { agentNamed, agentOf, changeOf, undoOf } from '../shared/lookup';
import { hasBoth, type Span, spansOf } from '../shared/spans';
import type { Change, State } from '../shared/state';
import type { UndoUnit } from '../shared/undoRecord';
import { standingUnits, undoneHunks } from '../shared/undos';
import type { UndoBy, UndoWhat } from './engine';
import type { LedgerPort } from './ports';
import { type Content, contentOf, type TakeOut } from './undoPlan';

/** What is to be taken out as a whole or not at all. */
export interface UndoJob {
  readonly unit: Omit<UndoUnit, 'phase' | 'writes'>;
  /** Newest first. */
  readonly changes: readonly TakeOut[];
  /** When the first of it was made: what came later may be in the way. */
  readonly since: number;
}

/** Contents that were kept; rejects if one is damaged. */
export type ReadBlob = (blob: BlobId) => Promise<Uint8Array>;

/** Works out what an act is about; `gone`: there is no such hunk or undo. */
export function undoJobs(
  state: State,
  what: UndoWhat,
  read: ReadBlob,
  ledger: LedgerPort,
): Promise<Result<readonly UndoJob[], 'gone'>> {
  switch (what.type) {
    case 'hunk':
      return hunkJob(state, what, read, ledger);
    case 'file':
      return changeJobs(changesBy(state, what.agent), what.path, read);
    case 'member':
      return changeJobs(changesBy(state, what.agent), null, read);
    case 'task':
      return changeJobs(
        [...values(state.changes)].filter((change) => change.undone === null),
        null,
        read,
      );
    case 'undo':
      return backJobs(state, what, read);
  }
}

/** The agent's changes that are still in place. A name that nobody bears now means all who bore it. */
function changesBy(state: State, by: UndoBy): readonly Change[] {
  const id = typeof by === 'string' ? agentNamed(state, by)?.id : by.id;
  const isBearer = (agent: AgentId) => (id === undefined ? agentOf(state, agent)?.name === by : agent === id);
  return [...values(state.changes)].filter((change) => change.undone === null && isBearer(change.agentId));
}

async function changeJobs(
  changes: readonly Change[],
  path: string | null,
  read: ReadBlob,
): Promise<Result<readonly UndoJob[], 'gone'>> {
  const groups = tied(changes).filter((group) => path === null || group.some((each) => names(each, path)));
  return ok(await Promise.all(groups.map((group) => changesJob(group, read))));
}

const names = (change: Change, path: string): boolean => change.path === path || fromOf(change) === path;

/** Where the file lay before, if the change gave it another name. */
const fromOf = (change: Change): string | null => change.from ?? null;

/** Changes by file; files that a rename ties together are one group. */
function tied(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const from = fromOf(change);
    const group = groups.get(change.path) ?? [];
    const other = from === null ? undefined : groups.get(from);
    if (other !== undefined && other !== group) {
      group.push(...other);
      for (const [path, each] of groups) if (each === other) groups.set(path, group);
    }
    group.push(change);
    groups.set(change.path, group);
    if (from !== null) groups.set(from, group);
  }
  return [...new Set(groups.values())];
}

async function changesJob(group: readonly Change[], read: ReadBlob): Promise<UndoJob> {
  const ids = group.map((change) => change.id);
  return {
    unit: {
      path: group.at(-1)?.path ?? '',
      agents: [...new Set(group.map((change) => change.agentId))],
      changes: ids,
      marks: ids,
      to: 'undone',
      hunk: null,
      takesBack: null,
    },
    changes: await Promise.all(
      group.toReversed().map(async (change) => ({
        path: change.path,
        from: fromOf(change),
        before: await content(change.before, change.beforeHash, change.mode?.before, read),
        after: await content(change.after, change.afterHash, change.mode?.after, read),
        isKnown: change.undoable !== false,
      })),
    ),
    since: group[0]?.at ?? 0,
  };
}

const content = async (
  blob: BlobId | null,
  hash: string | null,
  mode: number | null | undefined,
  read: ReadBlob,
): Promise<Content> => ({ bytes: blob === null ? null : await read(blob), hash, mode: mode ?? null });

/** One hunk of what an agent did between others. With the last of its hunks all of it is out. */
async function hunkJob(
  state: State,
  { agent, path, hunk }: Extract<UndoWhat, { type: 'hunk' }>,
  read: ReadBlob,
  ledger: LedgerPort,
): Promise<Result<readonly UndoJob[], 'gone'>> {
  const changes = changesBy(state, agent).filter((change) => change.path === path);
  for (const span of spansOf(changes)) {
    const before = await content(span.before, span.beforeHash, null, read);
    const after = await content(span.after, span.afterHash, null, read);
    const ids = ledger.hunkIds(before.bytes, after.bytes) ?? [];
    if (!ids.includes(hunk)) continue;
    const agentId = span.changes[0]?.agentId;
    const out = agentId === undefined ? new Set<string>() : undoneHunks(state, agentId);
    if (agentId === undefined || out.has(hunk)) return fail('gone');
    // Its other name and its permission bits are no hunks: with them all hunks are not all of it.
    const isText = span.changes.every((change) => change.from === undefined && change.mode === undefined);
    // A file with one hunk may have been made or removed by it.
    const wanted =
      isText && ids.length === 1
        ? before
        : contentOf(ledger.withoutHunk(before.bytes, after.bytes, hunk), null);
    const isLast = isText && ids.every((id) => id === hunk || out.has(id));
    const change = { path, from: null, before: wanted, after, isKnown: hasBoth(span) };
    return ok([spanJob(span, agentId, hunk, isLast, change)]);
  }
  return fail('gone');
}

function spanJob(span: Span, agent: AgentId, hunk: string, isLast: boolean, change: TakeOut): UndoJob {
  const changes = span.changes.map(({ id }) => id);
  const marks = isLast ? changes : [];
  return {
    unit: { path: span.path, agents: [agent], changes, marks, to: 'undone', hunk, takesBack: null },
    changes: [change],
    since: span.changes[0]?.at ?? 0,
  };
}

/** An undo is a change like another: what it did to the files is taken out of them. */
async function backJobs(
  state: State,
  { undo: id }: Extract<UndoWhat, { type: 'undo' }>,
  read: ReadBlob,
): Promise<Result<readonly UndoJob[], 'gone'>> {
  const undo = undoOf(state, id);
  const units = undo === undefined ? [] : standingUnits(state, undo);
  if (undo === undefined || units.length === 0) return fail('gone');
  return ok(
    await Promise.all(
      units.map(async ({ unit, index }) => ({
        unit: {
          ...keysOf(unit),
          marks: unit.changes.filter((change) => marksBack(state, unit, change)),
          to: unit.to === 'undone' ? ('standing' as const) : ('undone' as const),
          takesBack: { undo: id, unit: index },
        },
        changes: await Promise.all(
          unit.writes.map(async (write) => ({
            path: write.path,
            from: null,
            before: await content(write.before, write.beforeHash, write.mode?.before, read),
            after: await content(write.after, write.afterHash, write.mode?.after, read),
            isKnown: true,
          })),
        ),
        since: undo.at,
      })),
    ),
  );
}

const keysOf = ({ path, agents, changes, hunk }: UndoUnit) => ({ path, agents, changes, hunk });

/** Put back in, all of it stands again; taken out again, what that undo had taken out as a whole. */
function marksBack(state: State, unit: UndoUnit, id: Change['id']): boolean {
  const isUndone = changeOf(state, id)?.undone != null;
  return unit.to === 'undone' ? isUndone : !isUndone && unit.marks.includes(id);
}
