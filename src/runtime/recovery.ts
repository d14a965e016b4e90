import { values } from '../base/table';
import type { CallId } from '../shared/ids';
import { callOf, openCallsOf, openJobs, openRuns, runOf } from '../shared/lookup';
import type { Call, CallResult, Effect, Run, State } from '../shared/state';
import { lostJobWords, startedBeforeRestart } from './jobWording';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';
import { doneBeforeRestart, endedInTheMiddle, lostOutput, unknownCommand, unknownWrite } from './wording';

/** What a restart found, to be told to the person. */
export interface Recovered {
  /** All that wait for the person's word, those of an earlier restart included. */
  readonly interrupted: readonly Run['id'][];
  /** Command lines of a dead host whose processes were still there and were ended. */
  readonly survivors: readonly string[];
}

/**
 * Makes a session that was open when its host ended fit to go on: survivors are ended before anything else, effects
 * without an outcome are looked into and never repeated, runs that were running become `interrupted`. Runs that were
 * parked or queued stay as they are.
 */
export async function recover(runtime: SessionRuntime, options: EngineOptions): Promise<Recovered> {
  const survivors = await settleJobs(runtime, options);
  for (const run of openRuns(runtime.state)) {
    for (const call of openCallsOf(runtime.state, run.id)) {
      survivors.push(...(await settleEffects(runtime, options, call.id)));
    }
    if (runOf(runtime.state, run.id)?.phase.status !== 'running') continue;
    runtime.dispatch({ type: 'interrupt_run', runId: run.id });
  }
  // Calls whose run had been stopped may have left a command that the dead host was about to kill.
  survivors.push(...(await endStoppedCommands(runtime, options)));
  await runtime.flushed();
  return { interrupted: interruptedRuns(runtime.state), survivors };
}

/**
 * Commands in the background died with their host, or are ended now; what is left of them must not be there when a run
 * goes on. Their agents are told once: the end and the word of it are one record.
 */
async function settleJobs(runtime: SessionRuntime, options: EngineOptions): Promise<string[]> {
  const survivors: string[] = [];
  for (const job of openJobs(runtime.state)) {
    const { id, callId, command, pgid, processStart: startedAt } = job;
    if (await options.shell.endSurvivor({ pgid, startedAt })) survivors.push(command);
    const call = openCall(runtime, callId);
    if (call !== null) finish(runtime, options, call, { status: 'ok', text: startedBeforeRestart(job) });
    const output = runtime.store.keep('');
    runtime.dispatch({
      type: 'end_job',
      jobId: id,
      end: { how: 'unknown', exitCode: null, signal: null, output, from: 0, detail: null },
      words: runtime.store.keep(lostJobWords(job)),
      // What a restart broke off goes on by itself only where the person has said so.
      wake: options.settings.resume() === 'auto',
    });
  }
  return survivors;
}

/** Runs on which the person has to decide, whether the host had died or was closed in order. */
export const interruptedRuns = (state: State): readonly Run['id'][] =>
  openRuns(state).flatMap((run) => (run.phase.status === 'interrupted' ? [run.id] : []));

async function settleEffects(runtime: SessionRuntime, options: EngineOptions, id: CallId): Promise<string[]> {
  const call = openCall(runtime, id);
  if (call === null || call.effects.length === 0) return [];
  const survivors: string[] = [];
  for (const [index, effect] of call.effects.entries()) {
    if (effect.outcome !== 'open') continue;
    if (effect.intent.type === 'write') await settleWrite(runtime, options, call, index, effect.intent);
    if (effect.intent.type === 'folder') await settleFolder(runtime, options, call, index, effect.intent);
    if (effect.intent.type !== 'command') continue;
    const { command, pgid, startedAt } = effect.intent;
    if (await options.shell.endSurvivor({ pgid, startedAt })) survivors.push(command);
    runtime.dispatch({ type: 'end_effect', callId: id, index, outcome: 'unknown', change: null });
  }
  const { phase } = openCall(runtime, id) ?? call;
  // It waits for its helper: that this was made is not yet its result.
  if (phase.status === 'suspended' && phase.on.type === 'helper') return survivors;
  const result = resultOf(openCall(runtime, id)?.effects ?? []);
  // No effect happened: the call is carried out when the run goes on.
  if (result !== null) finish(runtime, options, call, result);
  return survivors;
}

/** The file itself tells whether a write happened: it has the new content, the old one, or neither. */
async function settleWrite(
  runtime: SessionRuntime,
  options: EngineOptions,
  call: Call,
  index: number,
  intent: Extract<Effect['intent'], { type: 'write' }>,
): Promise<void> {
  const now = await hashNow(options, intent.path);
  const outcome = now === intent.afterHash ? 'done' : now === intent.beforeHash ? 'not_done' : 'unknown';
  const { type: _type, ...written } = intent;
  const counts = outcome === 'done' ? await countLines(runtime, options, intent) : null;
  const change = counts === null ? null : { ...written, ...counts };
  runtime.dispatch({ type: 'end_effect', callId: call.id, index, outcome, change });
}

/** A folder is there or it isn't. */
async function settleFolder(
  runtime: SessionRuntime,
  options: EngineOptions,
  call: Call,
  index: number,
  intent: Extract<Effect['intent'], { type: 'folder' }>,
): Promise<void> {
  const placed = await options.workspace.place(intent.path);
  const now = placed.ok ? await options.workspace.trees.planFolder(placed.value) : placed;
  const wanted = intent.act === 'make';
  const outcome = !now.ok ? 'unknown' : now.value.exists === wanted ? 'done' : 'not_done';
  runtime.dispatch({ type: 'end_effect', callId: call.id, index, outcome, change: null });
}

async function countLines(
  runtime: SessionRuntime,
  options: EngineOptions,
  intent: Extract<Effect['intent'], { type: 'write' }>,
): Promise<{ added: number; removed: number }> {
  const before = intent.before === null ? null : await runtime.store.readBytes(intent.before);
  const after = intent.after === null ? null : await runtime.store.readBytes(intent.after);
  return options.ledger.countLines(before, after);
}

/** null: there is no such file; undefined: it can't be told. */
async function hashNow(options: EngineOptions, path: string): Promise<string | null | undefined> {
  const placed = await options.workspace.place(path);
  if (!placed.ok) return undefined;
  const seen = await options.workspace.peek(placed.value);
  return seen.ok ? (seen.value?.hash ?? null) : undefined;
}

type Found = { readonly status: 'ok' | 'unknown'; readonly text: string };

/** The one result of a call whose host ended: unknown if any of its effects is, done if all were, null if none was. */
function resultOf(effects: readonly Effect[]): Found | null {
  const unknown = effects.find((effect) => effect.outcome === 'unknown')?.intent;
  if (unknown !== undefined) {
    if (unknown.type === 'command') return { status: 'unknown', text: unknownCommand(unknown.command) };
    const text = unknownWrite(unknown.type === 'team' ? 'the team' : unknown.path);
    return { status: 'unknown', text: effects.length === 1 ? text : `${text} ${partlyDone(effects)}` };
  }
  const done = effects.find((effect) => effect.outcome === 'done')?.intent;
  if (done === undefined) return null;
  if (done.type === 'command') return { status: 'unknown', text: lostOutput(done.command) };
  if (effects.some((effect) => effect.outcome === 'not_done')) {
    return { status: 'unknown', text: partlyDone(effects) };
  }
  return { status: 'ok', text: doneBeforeRestart };
}

/** Of several files what was done and what wasn't, exactly. */
function partlyDone(effects: readonly Effect[]): string {
  const paths = (outcome: Effect['outcome']): readonly string[] =>
    effects.flatMap(({ intent, ...effect }) =>
      effect.outcome === outcome && (intent.type === 'write' || intent.type === 'folder')
        ? [intent.path]
        : [],
    );
  return endedInTheMiddle(paths('done'), paths('not_done'));
}

function finish(runtime: SessionRuntime, options: EngineOptions, call: Call, found: Found): void {
  const result: CallResult = { status: found.status, text: runtime.store.keep(found.text) };
  const done = runtime.dispatch({ type: 'finish_call', callId: call.id, result, statusCall: false });
  if (!done.ok) options.log.warn(`recovery could not finish call ${call.id}`, { code: done.error.code });
}

async function endStoppedCommands(runtime: SessionRuntime, options: EngineOptions): Promise<string[]> {
  const ended: string[] = [];
  for (const call of stoppedCalls(runtime)) {
    for (const [index, effect] of call.effects.entries()) {
      if (effect.outcome !== 'open' || effect.intent.type !== 'command') continue;
      const { command, pgid, startedAt } = effect.intent;
      if (await options.shell.endSurvivor({ pgid, startedAt })) ended.push(command);
      runtime.dispatch({ type: 'end_effect', callId: call.id, index, outcome: 'unknown', change: null });
    }
  }
  return ended;
}

/** Calls that were finished as `stopped` and whose effect has no outcome yet. */
function stoppedCalls(runtime: SessionRuntime): Call[] {
  return [...values(runtime.state.calls)].filter(
    (call) => call.phase.status === 'finished' && call.effects.some((effect) => effect.outcome === 'open'),
  );
}

function openCall(runtime: SessionRuntime, id: CallId): Call | null {
  const call = callOf(runtime.state, id);
  return call === undefined || call.phase.status === 'finished' ? null : call;
}
