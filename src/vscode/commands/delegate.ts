import type { ModelEntry } from '../../model/port';
import type { DelegateOptions } from '../../runtime/engine';
import type { ModelId, SessionId } from '../../shared/ids';
import type { PermissionMode, SizeSetting } from '../../shared/state';
import { error } from '../asker';
import { ensureKey } from '../models/addModel';
import { isLocal } from '../models/address';
import { say } from '../texts';
import type { Desk } from './desk';
import { addModelCommand } from './models';
import { demand, mayRun } from './outcome';

/** Hands a task to a new team: the task is asked for, everything else comes from the settings. */
export async function delegate(desk: Desk, args: readonly unknown[]): Promise<SessionId | null> {
  if (!(await mayRun(desk))) return null;
  const model = await readyModel(desk);
  if (model === null) return null;
  const task = await askTask(desk, args, model);
  return task === null ? null : start(desk, { task, model: model.id as ModelId });
}

/** Like `delegate`, but size, permission mode and model are asked for first, for this team alone. */
export async function newTeam(desk: Desk, args: readonly unknown[]): Promise<SessionId | null> {
  if (!(await mayRun(desk))) return null;
  if ((await readyModel(desk)) === null) return null;
  const size = await askSize(desk, say.newTeamTitle(1, STEPS), desk.settings.defaultSize());
  if (size === null) return null;
  const mode = await askMode(desk, say.newTeamTitle(2, STEPS), desk.settings.mode());
  if (mode === null) return null;
  const model = await askModel(desk);
  if (model === null || !(await ensureKey(desk.asker, desk.keys, model, isLocal))) return null;
  const task = await askTask(desk, args, model);
  return task === null ? null : start(desk, { task, size, mode, model: model.id as ModelId });
}

const STEPS = 3;

/** The default model; where there is none, Add Model comes first. null: the person left it. */
async function readyModel(desk: Desk): Promise<ModelEntry | null> {
  await desk.models.settled();
  if (desk.models.default() === null) await addModelCommand(desk);
  const model = desk.models.default();
  if (model === null) return null;
  return (await ensureKey(desk.asker, desk.keys, model, isLocal)) ? model : null;
}

async function askTask(desk: Desk, args: readonly unknown[], model: ModelEntry): Promise<string | null> {
  const subject = desk.editor.subject(args);
  const prefilled = typeof args[0] === 'string' ? args[0] : undefined;
  const task = await desk.asker.input({
    title: say.delegateTitle(),
    prompt:
      subject === null
        ? say.delegatePrompt(model.label)
        : say.delegateAboutPrompt(nameOf(subject), model.label),
    placeholder: say.delegatePlaceholder(),
    ...(prefilled !== undefined && { value: prefilled }),
    check: (value) => (value.trim() === '' ? error(say.notEmpty()) : null),
  });
  if (task === undefined) return null;
  return subject === null ? task.trim() : `${task.trim()}\n\n${say.delegateAbout(subject)}`;
}

/** Of what goes along, as much as a line holds: the files, not the text that is selected in one. */
function nameOf(subject: string): string {
  const [first = '', , range = ''] = subject.split('\n', 3);
  const name = range.startsWith('(') ? `${first} ${range}` : first;
  return name.length > MOST_CHARS ? `${name.slice(0, MOST_CHARS)}…` : name;
}

const MOST_CHARS = 120;

async function start(desk: Desk, options: DelegateOptions): Promise<SessionId | null> {
  const session = await demand(desk, await desk.engine().delegate(options));
  await demand(desk, await desk.sessions.look(session));
  await desk.editor.showRoom(null, false);
  return session;
}

/** The size that is given stands in the field at first. */
export async function askSize(
  desk: Desk,
  title: string,
  { min, max }: SizeSetting,
): Promise<SizeSetting | null> {
  const cap = desk.settings.cap();
  const text = await desk.asker.input({
    title,
    prompt: say.howMany(cap),
    value: min === max ? String(max) : `${min}-${max}`,
    check: (value) => (readSize(value, cap) === null ? error(say.sizeProblem(cap)) : null),
  });
  return text === undefined ? null : readSize(text, cap);
}

/** "4" (at most four), "2-5"; null where the bounds 1 ≤ min ≤ max ≤ cap don't hold (L-12, L-13). */
export function readSize(text: string, cap: number): SizeSetting | null {
  const match = /^(\d{1,4})(?:\s*[-–]\s*(\d{1,4}))?$/.exec(text.trim());
  if (match === null) return null;
  const first = Number(match[1]);
  const size = match[2] === undefined ? { min: 1, max: first } : { min: first, max: Number(match[2]) };
  return size.min >= 1 && size.min <= size.max && size.max <= cap ? size : null;
}

/** Choosing `auto` says that commands are not sandboxed, and asks once more. */
export async function askMode(
  desk: Desk,
  title: string,
  now: PermissionMode,
): Promise<PermissionMode | null> {
  const modes: readonly PermissionMode[] = ['ask', 'edits', 'auto'];
  const mode = await desk.asker.pick<PermissionMode>({
    title,
    placeholder: say.whichMode(),
    items: [now, ...modes.filter((other) => other !== now)].map((value) => ({
      label: say.mode(value),
      detail: say.modeDetail(value),
      value,
    })),
  });
  if (mode !== 'auto') return mode ?? null;
  return (await desk.asker.confirm(say.autoTitle(), say.autoDetail(), say.autoYes())) ? 'auto' : null;
}

async function askModel(desk: Desk): Promise<ModelEntry | null> {
  const first = desk.models.default();
  const others = desk.models.entries().filter((entry) => entry.id !== first?.id);
  if (others.length === 0) return first;
  const entries = first === null ? others : [first, ...others];
  const model = await desk.asker.pick<ModelEntry>({
    title: say.newTeamTitle(STEPS, STEPS),
    placeholder: say.whichLeadModel(),
    items: entries.map((entry) => ({ label: entry.label, description: entry.baseUrl, value: entry })),
  });
  return model ?? null;
}
