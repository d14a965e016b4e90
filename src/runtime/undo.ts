import { SerialQueue } from '../base/queue';
import { fail, ok, type Result } from '../base/result';
import { values } from '../base/table';
import { localId, type UndoId } from '../shared/ids';
import { agentOf } from '../shared/lookup';
import type { State } from '../shared/state';
import type { UndoUnit } from '../shared/undoRecord';
import type { EngineProblem, UndoRefusal, UndoReport, UndoWhat, UndoWhy } from './engine';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';
import { type UndoJob, undoJobs } from './undoJobs';
import { type PlanProblem, planTakeOut } from './undoPlan';
import { readerOf, writeUnit } from './undoWrites';

type Parts = Pick<EngineOptions, 'workspace' | 'ledger'>;
type Unit = Omit<UndoUnit, 'phase'>;

/**
 * Takes changes out of the files by three-way merges, so that what others did since stays, and by the same code takes
 * back what it did. A file where that can't be done without guessing is refused as a whole and named, with the reason.
 * One at a time: what an undo works out must still be so when it writes.
 */
export class Undoing {
  readonly #parts: Parts;
  readonly #queue = new SerialQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  run(runtime: SessionRuntime, what: UndoWhat): Promise<Result<UndoReport, EngineProblem>> {
    return this.#queue.run(async () => {
      try {
        return await this.#undo(runtime, what);
      } catch (error) {
        // The history could not be read or written; what was begun is settled when the session is opened again.
        return fail({ code: 'store', message: error instanceof Error ? error.message : String(error) });
      }
    });
  }

  async #undo(runtime: SessionRuntime, what: UndoWhat): Promise<Result<UndoReport, EngineProblem>> {
    const { ledger } = this.#parts;
    const jobs = await undoJobs(runtime.state, what, (blob) => runtime.store.readBytes(blob), ledger);
    if (!jobs.ok) {
      if (what.type !== 'hunk') return fail({ code: 'refused', refusal: { code: 'gone', what: 'undo' } });
      return reported(null, [], [{ path: what.path, why: { code: 'hunk_gone' } }]);
    }
    const units: Unit[] = [];
    const refused: UndoRefusal[] = [];
    for (const job of jobs.value) {
      const writes = await planTakeOut(this.#parts, runtime, job.changes);
      if (writes.ok) units.push({ ...job.unit, writes: writes.value });
      else refused.push({ path: job.unit.path, why: whyOf(runtime.state, job, writes.error) });
    }
    if (units.length === 0) return reported(null, [], refused);
    return this.#write(runtime, what.type, units, refused);
  }

  /** The intent is durable before the first file is written, and what became of each file is recorded after it. */
  async #write(
    runtime: SessionRuntime,
    of: UndoWhat['type'],
    units: readonly Unit[],
    refused: UndoRefusal[],
  ): Promise<Result<UndoReport, EngineProblem>> {
    const begun = runtime.dispatch({ type: 'begin_undo', by: { type: 'person' }, of, units });
    if (!begun.ok) return fail({ code: 'refused', refusal: begun.error });
    await begun.flushed;
    const id = localId<UndoId>('u', begun.state.undos.size - 1);
    const undone: string[] = [];
    for (const [index, unit] of units.entries()) {
      const written = await writeUnit(this.#parts.workspace, unit, readerOf(runtime));
      runtime.dispatch({ type: 'end_undo', undo: id, unit: index, outcome: written.outcome });
      if (written.why === null) undone.push(unit.path);
      else refused.push({ path: unit.path, why: written.why });
    }
    await runtime.flushed();
    return reported(undone.length === 0 ? null : id, undone, refused);
  }
}

function reported(
  id: UndoId | null,
  undone: readonly string[],
  refused: readonly UndoRefusal[],
): Result<UndoReport, EngineProblem> {
  const report: UndoReport = { id, undone, refused };
  return refused.length > 0 && undone.length === 0 ? fail({ code: 'conflict', report }) : ok(report);
}

function whyOf(state: State, job: UndoJob, problem: PlanProblem): UndoWhy {
  if (!('now' in problem)) return problem;
  return { code: problem.code, ...inTheWay(state, job, problem.path, problem.now) };
}

/** Who changed the file after the first of these changes, and whether it holds what nobody of the team has left there. */
function inTheWay(
  state: State,
  { unit, since }: UndoJob,
  path: string,
  now: string | null,
): { readonly by: readonly string[]; readonly outside: boolean } {
  const by = new Set<string>();
  const left = new Set<string | null>();
  for (const change of values(state.changes)) {
    if (change.path !== path) continue;
    left.add(change.afterHash);
    if (change.undone !== null || unit.changes.includes(change.id) || change.at < since) continue;
    by.add(agentOf(state, change.agentId)?.name ?? change.agentId);
  }
  for (const undo of values(state.undos)) {
    for (const { writes } of undo.units)
      for (const write of writes) if (write.path === path) left.add(write.afterHash);
  }
  return { by: [...by], outside: !left.has(now) };
}
