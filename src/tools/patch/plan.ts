import { never } from '../../base/never';
import { fail, ok, type Result } from '../../base/result';
import type { PrepareContext, ToolResult } from '../../runtime/toolPorts';
import type { Answer, PlacedPath, PlannedChange } from '../../workspace/port';
import { decoded, planEdit } from '../editing';
import { plural, problemResult, treeProblem } from '../wording';
import { patched } from './apply';
import type { FilePatch } from './patch';

export interface PatchPlan {
  /** In the order in which they are written: what goes away last. */
  readonly changes: readonly PlannedChange[];
  /** What is done to each file, for the model. */
  readonly told: readonly string[];
}

type FilePlan = Result<PatchPlan, ToolResult>;

const MOST_PROBLEMS = 5;

/** Works all files of a patch out; with what is wrong with any of them, none is written. */
export async function planPatch(
  context: PrepareContext,
  files: readonly FilePatch[],
): Promise<Result<PatchPlan, ToolResult>> {
  const plans: PatchPlan[] = [];
  const problems: ToolResult[] = [];
  for (const file of files) {
    const plan = await planFile(context, file);
    if (plan.ok) plans.push(plan.value);
    else problems.push(plan.error);
  }
  const changes = plans.flatMap((plan) => plan.changes);
  const twice = changes.find((change, i) => changes.findIndex((each) => isSamePath(each, change)) < i);
  if (twice !== undefined) {
    problems.push(error(`${twice.path.shown} is in the patch twice: put all of its changes into one part.`));
  }
  if (problems.length > 0) return fail(together(problems));
  const goesAway = (change: PlannedChange) => change.kind === 'delete';
  return ok({
    changes: [...changes.filter((change) => !goesAway(change)), ...changes.filter(goesAway)],
    told: plans.flatMap((plan) => plan.told),
  });
}

const isSamePath = (a: PlannedChange, b: PlannedChange): boolean => a.path.real === b.path.real;

const error = (text: string): ToolResult => ({ status: 'error', text });

/** Refused only if nothing else is wrong. */
function together(problems: readonly ToolResult[]): ToolResult {
  const texts = problems.slice(0, MOST_PROBLEMS).map((problem) => bare(problem.text));
  const more = problems.length - texts.length;
  if (more > 0) texts.push(`${plural(more, 'more file')} can't be patched either.`);
  const refused = problems.every((problem) => problem.status === 'refused');
  return { status: refused ? 'refused' : 'error', text: `${texts.join('\n')}\nNothing was written.` };
}

const bare = (text: string): string => text.replace(/ Nothing was (?:written|changed)\./u, '');

function planFile(context: PrepareContext, file: FilePatch): Promise<FilePlan> {
  switch (file.type) {
    case 'add':
      return planAdd(context, file);
    case 'delete':
      return planDelete(context, file);
    case 'update':
      return file.moveTo === null ? planUpdate(context, file) : planMoved(context, file, file.moveTo);
    default:
      return never(file);
  }
}

async function planAdd(
  { workspace, actor }: PrepareContext,
  { path, text }: Extract<FilePatch, { type: 'add' }>,
): Promise<FilePlan> {
  const placed = await workspace.place(path);
  if (!placed.ok) return fail(problemResult(placed.error));
  const free = await freePlace(workspace, placed.value, 'Update it instead.');
  if (!free.ok) return free;
  const change = await workspace.plan(placed.value, Buffer.from(text, 'utf8'), actor);
  if (!change.ok) return fail(problemResult(change.error));
  return ok({ changes: [change.value], told: [`created ${placed.value.shown}`] });
}

async function freePlace(
  workspace: PrepareContext['workspace'],
  placed: PlacedPath,
  advice: string,
): Promise<Result<null, ToolResult>> {
  const now: Answer<unknown> = await workspace.peek(placed);
  if (!now.ok) return fail(problemResult(now.error));
  if (now.value === null) return ok(null);
  return fail(problemResult({ code: 'exists', path: placed.shown }, advice));
}

async function planDelete(
  { workspace, actor }: PrepareContext,
  { path, hunks }: Extract<FilePatch, { type: 'delete' }>,
): Promise<FilePlan> {
  const removal = await plannedRemoval(workspace, actor, path);
  if (!removal.ok) return removal;
  const change = removal.value;
  if (hunks !== null) {
    const rest = patchedBytes(change.before ?? new Uint8Array(), { hunks, finalBreak: 'keep' });
    const isWhole = rest !== null && rest.type === 'text' && rest.text === '';
    if (!isWhole) return fail(error(`${path}: the diff deletes a file with other content than it has.`));
  }
  return ok({ changes: [change], told: [`deleted ${change.path.shown}`] });
}

async function plannedRemoval(
  workspace: PrepareContext['workspace'],
  actor: PrepareContext['actor'],
  path: string,
): Promise<Result<PlannedChange, ToolResult>> {
  const placed = await workspace.place(path);
  if (!placed.ok) return fail(problemResult(placed.error));
  const removal = await workspace.trees.planRemoval(placed.value, actor);
  if (!removal.ok) return fail(treeProblem(removal.error));
  const [change] = removal.value.changes;
  if (removal.value.what === 'folder' || change === undefined) {
    const folder = { code: 'not_a_file', path: placed.value.shown, what: 'a folder' } as const;
    return fail(problemResult(folder));
  }
  return ok(change);
}

type Update = Extract<FilePatch, { type: 'update' }>;

/** null: not UTF-8 text. */
function patchedBytes(before: Uint8Array, { hunks, finalBreak }: Pick<Update, 'hunks' | 'finalBreak'>) {
  const text = decoded(before);
  return text === null ? null : patched(text, hunks, finalBreak);
}

async function planUpdate(context: PrepareContext, { path, hunks, finalBreak }: Update): Promise<FilePlan> {
  const planned = await planEdit(context, path, (before, shown) => {
    const after = patched(before, hunks, finalBreak);
    return after.type === 'problem'
      ? { type: 'problem', text: `${shown}: ${after.text}` }
      : { type: 'text', text: after.text, told: placesText(shown, after) };
  });
  if (planned.type === 'answer') return fail(planned.result);
  const { change, told } = planned;
  if (change.beforeHash === change.afterHash) return fail(error(`${path}: the patch changes nothing in it.`));
  return ok({ changes: [change], told: [`changed ${told}`] });
}

function placesText(
  shown: string,
  { lines, loose }: { readonly lines: readonly number[]; readonly loose: readonly number[] },
): string {
  const where = `${shown} (line${lines.length === 1 ? '' : 's'} ${lines.slice(0, 20).join(', ')})`;
  if (loose.length === 0) return where;
  return `${where}, where hunk${loose.length === 1 ? '' : 's'} ${loose.join(', ')} had other spaces than the file`;
}

/** The file comes into being at its new place, with its mode, and then goes away here. */
async function planMoved(context: PrepareContext, update: Update, moveTo: string): Promise<FilePlan> {
  const { workspace, actor } = context;
  const target = await workspace.place(moveTo);
  if (!target.ok) return fail(problemResult(target.error));
  const free = await freePlace(workspace, target.value, 'Nothing is overwritten by a move.');
  if (!free.ok) return free;
  const removal = await plannedRemoval(workspace, actor, update.path);
  if (!removal.ok) return removal;
  let after = removal.value.before ?? new Uint8Array();
  if (update.hunks.length > 0) {
    const edited = await planUpdate(context, update);
    if (!edited.ok) return edited;
    after = edited.value.changes[0]?.after ?? after;
  }
  const created = await workspace.plan(target.value, after, actor);
  if (!created.ok) return fail(problemResult(created.error));
  const { mode } = removal.value;
  const arrival = mode === undefined ? created.value : { ...created.value, mode };
  const how = update.hunks.length > 0 ? 'moved and changed' : 'moved';
  return ok({
    changes: [arrival, removal.value],
    told: [`${how} ${removal.value.path.shown} to ${target.value.shown}`],
  });
}
