import { parseArgs } from 'node:util';
import { fail, ok, type Result } from '../base/result';
import type { ModelPrice } from '../model/port';
import type { UndoWhat } from '../runtime/engine';
import type { UndoId } from '../shared/ids';
import type { AskAnswer, Limits, PermissionMode, SizeSetting } from '../shared/state';

/** Where the engine works and with which model; every command has it. */
export interface HeadlessPlace {
  readonly workspace: string;
  readonly state: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly parallel: number | null;
  readonly mode: PermissionMode;
  readonly resume: 'ask' | 'auto' | 'never';
  readonly limits: Partial<Limits>;
  readonly size: SizeSetting | null;
  /** US dollars per million tokens; null: unknown, so that no cost is told. */
  readonly price: ModelPrice | null;
  /** Takes the workspace from another process that works on it; its runs are interrupted. */
  readonly takeOver: boolean;
  /** Print one JSON event a line instead of the lead's answer. */
  readonly events: boolean;
  readonly session: string | null;
}

export type HeadlessAct =
  | {
      readonly type: 'run';
      readonly style: string;
      readonly task: string | null;
      readonly taskFile: string | null;
    }
  | { readonly type: 'resume'; readonly go: boolean }
  | { readonly type: 'send'; readonly to: string | null; readonly text: string }
  | { readonly type: 'stop'; readonly name: string }
  | { readonly type: 'accept'; readonly name: string }
  | { readonly type: 'request_changes'; readonly name: string; readonly text: string }
  | { readonly type: 'undo'; readonly what: UndoWhat }
  | { readonly type: 'answer'; readonly ask: string; readonly answer: AskAnswer }
  | { readonly type: 'delete' }
  | { readonly type: 'pause' }
  | { readonly type: 'continue' }
  | { readonly type: 'retry'; readonly name: string }
  | { readonly type: 'tell_lead' }
  | { readonly type: 'state' }
  | { readonly type: 'export'; readonly format: 'markdown' | 'jsonl' };

export interface HeadlessCommand {
  readonly place: HeadlessPlace;
  readonly act: HeadlessAct;
}

const OPTIONS = {
  workspace: { type: 'string' },
  state: { type: 'string' },
  style: { type: 'string', default: 'room' },
  task: { type: 'string' },
  'task-file': { type: 'string' },
  'base-url': { type: 'string' },
  model: { type: 'string' },
  parallel: { type: 'string' },
  mode: { type: 'string', default: 'ask' },
  limit: { type: 'string' },
  size: { type: 'string' },
  price: { type: 'string' },
  'take-over': { type: 'boolean', default: false },
  resume: { type: 'string', default: 'ask' },
  events: { type: 'boolean', default: false },
  session: { type: 'string' },
  decline: { type: 'boolean', default: false },
  to: { type: 'string' },
  text: { type: 'string' },
  name: { type: 'string' },
  path: { type: 'string' },
  hunk: { type: 'string' },
  undo: { type: 'string' },
  all: { type: 'boolean', default: false },
  ask: { type: 'string' },
  allow: { type: 'boolean', default: false },
  'allow-run': { type: 'boolean', default: false },
  deny: { type: 'string' },
  reply: { type: 'string' },
  raise: { type: 'string' },
  format: { type: 'string', default: 'markdown' },
  end: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse>['values'];

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: true });

/** The command line as data, or a sentence that says what is wrong with it. */
export function readArgs(args: readonly string[]): Result<HeadlessCommand, string> {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  const [name, ...extra] = parsed.positionals;
  if (name === undefined || extra.length > 0) return fail('exactly one command is needed');
  const act = readAct(name, parsed.values);
  if (!act.ok) return act;
  const place = readPlace(parsed.values, NEEDS_MODEL.has(act.value.type));
  return place.ok ? ok({ place: place.value, act: act.value }) : place;
}

const NEEDS_MODEL: ReadonlySet<HeadlessAct['type']> = new Set([
  'run',
  'resume',
  'send',
  'answer',
  'request_changes',
  'continue',
  'retry',
  'tell_lead',
]);

function readAct(name: string, values: Values): Result<HeadlessAct, string> {
  switch (name) {
    case 'run': {
      const task = values.task ?? null;
      const taskFile = values['task-file'] ?? null;
      if ((task === null) === (taskFile === null))
        return fail('run needs --task or --task-file, one of them');
      return ok({ type: 'run', style: values.style, task, taskFile });
    }
    case 'resume':
      return ok({ type: 'resume', go: !values.decline });
    case 'send':
      if (values.text === undefined) return fail('send needs --text');
      return ok({ type: 'send', to: values.to ?? null, text: values.text });
    case 'stop':
      return values.name === undefined ? fail('stop needs --name') : ok({ type: 'stop', name: values.name });
    case 'accept':
      return values.name === undefined
        ? fail('accept needs --name')
        : ok({ type: 'accept', name: values.name });
    case 'request-changes':
      return values.name === undefined || values.text === undefined
        ? fail('request-changes needs --name and --text')
        : ok({ type: 'request_changes', name: values.name, text: values.text });
    case 'undo':
      return readUndo(values);
    case 'answer': {
      if (values.ask === undefined) return fail('answer needs --ask');
      const answer = readAnswer(values);
      return answer.ok ? ok({ type: 'answer', ask: values.ask, answer: answer.value }) : answer;
    }
    case 'delete':
      // What can't be taken back is named.
      return values.session === undefined ? fail('delete needs --session') : ok({ type: 'delete' });
    case 'retry':
      return values.name === undefined
        ? fail('retry needs --name')
        : ok({ type: 'retry', name: values.name });
    case 'tell-lead':
      return ok({ type: 'tell_lead' });
    case 'pause':
    case 'continue':
    case 'state':
      return ok({ type: name });
    case 'export':
      if (values.format !== 'markdown' && values.format !== 'jsonl')
        return fail('--format is markdown or jsonl');
      return ok({ type: 'export', format: values.format });
    default:
      return fail(`there is no command "${name}"`);
  }
}

/** Exactly one of all, an undo, or an agent with what of it. */
function readUndo({ name: agent, path, hunk, undo, all }: Values): Result<HeadlessAct, string> {
  const given = [all, undo !== undefined, agent !== undefined].filter(Boolean).length;
  if (
    given !== 1 ||
    (path !== undefined && agent === undefined) ||
    (hunk !== undefined && path === undefined)
  )
    return fail('undo needs one of --name NAME [--path PATH [--hunk ID]], --all, --undo ID');
  if (undo !== undefined) return ok({ type: 'undo', what: { type: 'undo', undo: undo as UndoId } });
  if (agent === undefined) return ok({ type: 'undo', what: { type: 'task' } });
  if (path === undefined) return ok({ type: 'undo', what: { type: 'member', agent } });
  if (hunk === undefined) return ok({ type: 'undo', what: { type: 'file', agent, path } });
  return ok({ type: 'undo', what: { type: 'hunk', agent, path, hunk } });
}

function readAnswer(values: Values): Result<AskAnswer, string> {
  const given: AskAnswer[] = [];
  if (values.allow) given.push({ type: 'allow', scope: 'once' });
  if (values['allow-run']) given.push({ type: 'allow', scope: 'run' });
  if (values.deny !== undefined) given.push({ type: 'deny', words: values.deny });
  if (values.reply !== undefined) given.push({ type: 'reply', text: values.reply });
  if (values.raise !== undefined) {
    const to = values.raise === 'none' ? null : Number(values.raise);
    if (to !== null && !(to > 0)) return fail('--raise takes a number above 0, or none');
    given.push({ type: 'raise', to });
  }
  if (values.end) given.push({ type: 'end' });
  const [answer, ...more] = given;
  if (answer === undefined || more.length > 0)
    return fail('answer needs exactly one of --allow, --allow-run, --deny, --reply, --raise, --end');
  return ok(answer);
}

function readPlace(values: Values, needsModel: boolean): Result<HeadlessPlace, string> {
  const { workspace, state, mode, resume } = values;
  if (workspace === undefined || state === undefined) return fail('--workspace and --state are needed');
  const baseUrl = values['base-url'] ?? '';
  const model = values.model ?? '';
  if (needsModel && (baseUrl === '' || model === '')) return fail('--base-url and --model are needed');
  if (mode !== 'ask' && mode !== 'edits' && mode !== 'auto') return fail('--mode is ask, edits or auto');
  if (resume !== 'ask' && resume !== 'auto' && resume !== 'never')
    return fail('--resume is ask, auto or never');
  const limits = readLimits(values.limit ?? '');
  if (!limits.ok) return limits;
  const size = readSize(values.size);
  if (!size.ok) return size;
  const price = readPrice(values.price);
  if (!price.ok) return price;
  // Without prices no cost is known, and the limit would hold nothing back.
  if (price.value === null && typeof limits.value.microUsd === 'number')
    return fail('--limit usd=N needs --price, since nothing else tells what this model costs');
  const parallel = values.parallel === undefined ? null : Number(values.parallel);
  if (parallel !== null && !(Number.isInteger(parallel) && parallel > 0))
    return fail('--parallel is a number above 0');
  const { events } = values;
  const session = values.session ?? null;
  return ok({
    workspace,
    state,
    baseUrl,
    model,
    parallel,
    mode,
    resume,
    limits: limits.value,
    size: size.value,
    price: price.value,
    takeOver: values['take-over'],
    events,
    session,
  });
}

function readSize(text: string | undefined): Result<SizeSetting | null, string> {
  if (text === undefined) return ok(null);
  const [min, max] = text.split(',').map(Number);
  if (min === undefined || max === undefined || !Number.isInteger(min) || !Number.isInteger(max)) {
    return fail('--size takes MIN,MAX');
  }
  return ok({ min, max });
}

/** `INPUT,OUTPUT` or `INPUT,OUTPUT,CACHED INPUT`, in US dollars per million tokens. */
function readPrice(text: string | undefined): Result<ModelPrice | null, string> {
  if (text === undefined) return ok(null);
  const [input, output, cachedInput, ...more] = text
    .split(',')
    .map((part) => (part === '' ? NaN : Number(part)));
  if (input === undefined || output === undefined || more.length > 0) return fail(PRICE);
  const price = { input, output, cachedInput: cachedInput ?? input };
  return Object.values(price).every((each) => each >= 0 && Number.isFinite(each)) ? ok(price) : fail(PRICE);
}

const PRICE = '--price takes INPUT,OUTPUT[,CACHED] in US dollars per million tokens, none of them below 0';

/** `steps=N,minutes=N,tokens=N,usd=N`; `none` means no limit. */
export function readLimits(text: string): Result<Partial<Limits>, string> {
  const limits: { -readonly [K in keyof Limits]?: Limits[K] } = {};
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [key, raw] = part.split('=');
    const value = raw === 'none' ? null : Number(raw);
    if (value !== null && !(value > 0)) return fail(`--limit: "${part}" needs a number above 0, or none`);
    if (key === 'steps') limits.steps = value;
    else if (key === 'minutes') limits.activeMs = value === null ? null : value * 60_000;
    else if (key === 'tokens') limits.tokens = value;
    else if (key === 'usd') limits.microUsd = value === null ? null : Math.round(value * 1_000_000);
    else return fail(`--limit: there is no limit "${key ?? ''}"`);
  }
  return ok(limits);
}
