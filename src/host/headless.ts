import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemClock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import { fail, ok, type Result } from '../base/result';
import { keyOrigin } from '../model/catalog';
import type { ModelEntry } from '../model/port';
import type { OwnedEngine } from '../runtime/createEngine';
import type { Engine, EngineProblem } from '../runtime/engine';
import { roomDocument } from '../shared/documents/roomDocument';
import type { AskId, ModelId, SessionId } from '../shared/ids';
import { agentNamed, agentOf, askOf, leadOf, openJobs, openRuns, runOf } from '../shared/lookup';
import type { State, Style } from '../shared/state';
import type { Text } from '../shared/text';
import { workerHistory } from '../store/workerHistory';
import { mayGoOn } from '../team/slots';
import { Gateway, noEditor } from '../workspace/gateway';
import { composeEngine } from './composeEngine';
import type { HeadlessAct, HeadlessCommand, HeadlessPlace } from './headlessArgs';
import { reportOf, undoLines } from './headlessReview';
import { problemText } from './problemText';

export interface HeadlessIo {
  out(line: string): void;
  err(line: string): void;
  /** From TEAMROOM_API_KEY; null: none. */
  readonly key: string | null;
  /** The bundled store worker and its wasm file, and the bundled worker that finds what commands change. */
  readonly worker: { readonly script: string; readonly wasm: string; readonly attribution: string };
  /** Resolves when the process is told to end. */
  readonly told: Promise<'SIGINT' | 'SIGTERM'>;
}

/** 0 finished, 1 failed, 2 bad usage, 3 waiting for a person; 130 and 143: told to end, as a shell would say it. */
export type ExitCode = 0 | 1 | 2 | 3 | 130 | 143;

/**
 * The engine without an editor: one command, from start to exit code. Told to end, it ends the running commands with all
 * their processes and leaves the runs to be resumed.
 */
export async function runHeadless(command: HeadlessCommand, io: HeadlessIo): Promise<ExitCode> {
  const ready = await readInput(command);
  if (!ready.ok) return complain(io, ready.error, 2);
  const engine = await startEngine(command.place, io);
  const told = io.told.then((signal): ExitCode => {
    io.err(`ended by ${signal}; resume goes on`);
    return signal === 'SIGINT' ? 130 : 143;
  });
  try {
    return await Promise.race([act(engine, ready.value, io), told]);
  } finally {
    await engine.dispose();
  }
}

/** The files that the command names: the task's text in the place of its file, and a workspace that is there. */
async function readInput(command: HeadlessCommand): Promise<Result<HeadlessCommand, string>> {
  const { act: what, place } = command;
  const folder = await stat(place.workspace).catch(() => null);
  if (!folder?.isDirectory()) return fail(`--workspace: there is no folder ${place.workspace}`);
  if (what.type !== 'run' || what.taskFile === null) return ok(command);
  try {
    const task = await readFile(what.taskFile, 'utf8');
    return ok({ place, act: { ...what, task, taskFile: null } });
  } catch (error) {
    return fail(`--task-file can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function startEngine(place: HeadlessPlace, io: HeadlessIo): Promise<OwnedEngine> {
  const root = await realpath(place.workspace);
  await mkdir(place.state, { recursive: true });
  const entry = modelEntry(place);
  const log = errorLog(io);
  return composeEngine({
    gateway: await Gateway.open({
      folders: [{ name: basename(root), path: root }],
      editor: noEditor,
      uniqueName: randomUUID,
    }),
    storageDir: join(place.state, 'workspace'),
    globalDir: join(place.state, 'global'),
    history: workerHistory({ ...io.worker, clock: systemClock, log }),
    attributionScript: io.worker.attribution,
    entries: { entries: () => [entry], defaultModel: () => entry.id as ModelId },
    keyFor: (origin) => Promise.resolve(origin === keyOrigin(place.baseUrl) ? io.key : null),
    onModelNotice: (notice) => io.err(JSON.stringify(notice)),
    settings: {
      defaultSize: () => place.size ?? { min: 1, max: 4 },
      cap: () => DEFAULT_CAP,
      limits: () => ({ ...DEFAULT_LIMITS, ...place.limits }),
      mode: () => place.mode,
      rules: () => [],
      resume: () => place.resume,
      subagentsEnabled: () => true,
    },
    trusted: true,
    probe: () => Promise.resolve(true),
    clock: systemClock,
    log,
  });
}

/** L-12 */
const DEFAULT_CAP = 32;
const DEFAULT_LIMITS = { steps: 50, activeMs: 30 * 60_000, tokens: 2_000_000, microUsd: 5_000_000 };

const modelEntry = (place: HeadlessPlace): ModelEntry => ({
  id: place.model,
  provider: 'openai',
  label: place.model,
  baseUrl: place.baseUrl,
  model: place.model,
  parallel: place.parallel,
  singleSession: false,
  capacityGroup: null,
  contextWindow: 128_000,
  price: place.price,
  parameters: {},
});

const errorLog = (io: HeadlessIo): Log => ({
  debug: () => undefined,
  info: () => undefined,
  warn: (message, details) => io.err(`warning: ${message} ${JSON.stringify(details ?? {})}`),
  error: (message, error) =>
    io.err(`error: ${message} ${error instanceof Error ? error.message : String(error ?? '')}`),
});

async function act(engine: OwnedEngine, command: HeadlessCommand, io: HeadlessIo): Promise<ExitCode> {
  if (command.place.events) {
    engine.onDidChange(({ session, events }) => {
      for (const event of events) io.out(JSON.stringify({ sessionId: session, ...event }));
    });
  }
  engine.onNotice((notice) => io.err(`notice: ${JSON.stringify(notice)}`));
  if (command.act.type === 'run') return run(engine, command.place, command.act, io);
  const session = await pickSession(engine, command.place.session);
  if (session === null) return complain(io, 'there is no session in this state folder');
  if (command.place.takeOver) {
    const taken = await engine.takeOver();
    if (!taken.ok) return complain(io, problemText(taken.error));
  }
  if (command.act.type === 'delete') return deleteSession(engine, session, io);
  const opened = await engine.open(session);
  if (!opened.ok) return complain(io, problemText(opened.error));
  const { access } = engine;
  if (!READING.has(command.act.type) && access.type === 'read_only')
    return complain(io, `${access.detail}; --take-over takes it`);
  return actOn(engine, session, command, io);
}

/** Not opened before: nothing of it goes on. */
async function deleteSession(engine: OwnedEngine, session: SessionId, io: HeadlessIo): Promise<ExitCode> {
  const deleted = await engine.deleteSession(session);
  return deleted.ok ? say(io, `deleted: ${session}`) : complain(io, problemText(deleted.error));
}

async function run(
  engine: OwnedEngine,
  place: HeadlessPlace,
  { style, task }: Extract<HeadlessAct, { type: 'run' }>,
  io: HeadlessIo,
): Promise<ExitCode> {
  if (style !== 'room') return complain(io, `the style "${style}" is not there; there is: room`, 2);
  const chosen: Style = style;
  const delegated = await engine.delegate({ task: task ?? '', style: chosen, model: place.model as ModelId });
  if (!delegated.ok) return complain(io, problemText(delegated.error));
  return untilQuiet(engine, delegated.value, place, io);
}

const READING: ReadonlySet<HeadlessAct['type']> = new Set(['state', 'export']);

async function actOn(
  engine: OwnedEngine,
  session: SessionId,
  command: HeadlessCommand,
  io: HeadlessIo,
): Promise<ExitCode> {
  const { act: what, place } = command;
  switch (what.type) {
    case 'run':
    case 'delete':
      return 2;
    case 'state':
      io.out(JSON.stringify(engine.state(session)));
      return 0;
    case 'export':
      return exportTo(engine, session, what.format, io);
    case 'stop': {
      const stopped = await engine.stop(session, what.name);
      return stopped.ok
        ? say(io, `stopped: ${stopped.value.join(', ')}`)
        : complain(io, problemText(stopped.error));
    }
    case 'accept': {
      const report = reportOf(engine, session, what.name);
      const accepted = report.ok ? await engine.accept(session, report.value) : report;
      return accepted.ok ? say(io, `accepted: ${what.name}`) : complain(io, problemText(accepted.error));
    }
    case 'request_changes': {
      const report = reportOf(engine, session, what.name);
      const sent = report.ok ? await engine.requestChanges(session, report.value, what.text) : report;
      return follow(engine, session, place, io, sent);
    }
    case 'undo': {
      const { out, err } = await undoLines(engine, session, what.what);
      for (const line of out) io.out(line);
      for (const line of err) io.err(line);
      return err.length === 0 ? 0 : 1;
    }
    case 'send':
      return follow(engine, session, place, io, await engine.send(session, what.to, what.text));
    case 'pause': {
      const done = await engine.pause(session, true);
      return done.ok ? say(io, 'paused; continue goes on') : complain(io, problemText(done.error));
    }
    case 'continue':
      return follow(engine, session, place, io, await engine.pause(session, false));
    case 'retry': {
      const state = engine.state(session);
      const run = state === null ? undefined : agentNamed(state, what.name)?.runs.at(-1);
      if (run === undefined) return complain(io, `nobody named ${what.name} has had a turn`);
      return follow(engine, session, place, io, await engine.retry(session, run, place.model as ModelId));
    }
    case 'tell_lead':
      return follow(engine, session, place, io, await engine.tellLead(session));
    case 'resume':
      return follow(engine, session, place, io, await engine.resume(session, what.go, null));
    case 'answer': {
      const ask = what.ask as AskId;
      const hash = argsHashOf(engine.state(session), ask);
      return follow(engine, session, place, io, await engine.answer(session, ask, what.answer, hash));
    }
  }
}

async function follow(
  engine: OwnedEngine,
  session: SessionId,
  place: HeadlessPlace,
  io: HeadlessIo,
  done: { readonly ok: true } | { readonly ok: false; readonly error: EngineProblem },
): Promise<ExitCode> {
  return done.ok ? untilQuiet(engine, session, place, io) : complain(io, problemText(done.error));
}

/** Whether the durable state still has to hear of something that goes on. */
const isMoving = (state: State): boolean =>
  openRuns(state).some((run) => run.phase.status === 'running' || mayGoOn(state, run));

/** As long as a command in the foreground may take at most. */
const JOBS_WAIT_MS = 10 * 60_000;

/** Resolves when nothing runs any more: all is done, or what is left waits for a person. */
async function untilQuiet(
  engine: OwnedEngine,
  session: SessionId,
  place: HeadlessPlace,
  io: HeadlessIo,
): Promise<ExitCode> {
  const waiting: { timer: Disposable | null } = { timer: null };
  const lost = await new Promise<string | null>((resolve) => {
    const look = () => {
      const state = engine.state(session);
      if (state === null) return;
      if (!isMoving(state) && engine.isAtRest(session)) resolve(null);
      // Only commands of the lead are left: their end wakes it, but a server has none.
      const onlyJobs = openRuns(state).length === 0 && state.open.jobs.length > 0;
      if (!onlyJobs) {
        waiting.timer?.dispose();
        waiting.timer = null;
      } else waiting.timer ??= systemClock.after(JOBS_WAIT_MS, () => resolve(null));
    };
    engine.onDidChange(look);
    engine.onNotice((notice) => {
      // The history can't be written, for instance because another process has just taken the workspace over.
      if (notice.type === 'failure') resolve(notice.message);
    });
    engine.onDidChangeAccess((access) => {
      if (access.type === 'read_only') resolve(access.detail);
    });
    look();
  });
  waiting.timer?.dispose();
  if (lost !== null) return complain(io, lost);
  const state = engine.state(session);
  if (state === null) return 1;
  for (const { command } of openJobs(state)) io.err(`still running in the background, ended now: ${command}`);
  if (openRuns(state).length > 0) {
    for (const line of waitingLines(state)) io.err(line);
    return 3;
  }
  return ended(engine, session, state, place, io);
}

async function ended(
  engine: OwnedEngine,
  session: SessionId,
  state: State,
  place: HeadlessPlace,
  io: HeadlessIo,
): Promise<ExitCode> {
  const lead = leadOf(state);
  const last = lead === undefined ? undefined : lead.runs.map((id) => runOf(state, id)).at(-1);
  if (last?.phase.status !== 'ended') return 1;
  const text = last.phase.text === null ? '' : await engine.readText(session, last.phase.text);
  if (!place.events) io.out(text);
  if (last.phase.reason === 'final') return 0;
  io.err(
    `the lead's turn ended: ${last.phase.reason}${last.phase.detail === null ? '' : ` — ${last.phase.detail}`}`,
  );
  return 1;
}

function waitingLines(state: State): string[] {
  const lines: string[] = state.session?.paused === true ? ['the session is paused: continue'] : [];
  for (const run of openRuns(state)) {
    const name = agentOf(state, run.agentId)?.name ?? run.agentId;
    if (run.phase.status === 'interrupted')
      lines.push(`${name} was interrupted: resume, or resume --decline`);
    if (run.phase.status === 'parked') lines.push(`${name} waits: ${run.phase.on}`);
  }
  for (const id of state.open.asks) lines.push(`answer --ask ${id} …`);
  return lines;
}

function argsHashOf(state: State | null, id: AskId): string | null {
  const ask = state === null ? undefined : askOf(state, id);
  return ask?.about.type === 'permission' ? ask.about.argsHash : null;
}

async function pickSession(engine: Engine, wanted: string | null): Promise<SessionId | null> {
  const listed = [...(await engine.listings())].sort((a, b) => b.createdAt - a.createdAt);
  const found = wanted === null ? listed[0] : listed.find((listing) => listing.id === wanted);
  return found === undefined ? null : (found.id as SessionId);
}

/** The conversation and the room as Markdown, or every event as a line of JSON. */
async function exportTo(
  engine: Engine,
  session: SessionId,
  format: 'markdown' | 'jsonl',
  io: HeadlessIo,
): Promise<ExitCode> {
  const state = engine.state(session);
  if (state === null) return 1;
  if (format === 'markdown') {
    const read = (text: Text) => engine.readText(session, text);
    io.out((await roomDocument(state, { read, time: (at) => new Date(at).toISOString() })).trimEnd());
    return 0;
  }
  for await (const page of engine.records(session)) for (const record of page) io.out(record);
  return 0;
}

function complain(io: HeadlessIo, sentence: string, code: ExitCode = 1): ExitCode {
  io.err(sentence);
  return code;
}

function say(io: HeadlessIo, sentence: string): ExitCode {
  io.out(sentence);
  return 0;
}
