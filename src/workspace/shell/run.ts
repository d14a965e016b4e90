import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock';
import type { CommandOutcome, CommandRequest, ProcessGroup, ShellPort } from '../port';
import { commandEnvironment, WAIT_SCRIPT } from './environment';
import { OutputGatherer } from './output';
import { endGroup, groupMembers, isSameGroup, startTime } from './processes';

export interface ShellOptions {
  readonly clock: Clock;
  /** The program that takes `-c COMMAND`; null: bash where there is one, else sh. */
  readonly shell?: string | null;
  /** Where commands' environment is taken from, less what they must not see. */
  readonly environment?: NodeJS.ProcessEnv;
  /** An intent that failed after its command had been stopped: nobody waits for it any more. */
  readonly onLateFailure: (error: unknown) => void;
}

/** After the command itself has ended its output may stay open this long, held by what it left in the background. */
const LINGER_MS = 250;
const FLOOD_PAUSE_MS = 5;

/** What became of the wait for a command. */
type Ending =
  | { readonly type: 'exit'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly type: 'timeout' }
  | { readonly type: 'abort' };

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  readonly go: Writable;
  /** Resolves once, when the leader has ended. */
  readonly exited: Promise<Ending>;
  /** Resolves when nobody holds the output open any more. */
  readonly closed: Promise<void>;
}

export class Shell implements ShellPort {
  readonly #clock: Clock;
  readonly #program: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #onLateFailure: (error: unknown) => void;

  constructor(options: ShellOptions) {
    this.#clock = options.clock;
    this.#environment = options.environment ?? process.env;
    this.#onLateFailure = options.onLateFailure;
    const shell = options.shell ?? ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path));
    this.#program =
      shell === undefined ? ['/bin/sh'] : shell.endsWith('bash') ? [shell, '--noprofile', '--norc'] : [shell];
  }

  async run(
    request: CommandRequest,
    intent: (group: ProcessGroup) => Promise<void>,
    onOutput: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<CommandOutcome> {
    const startedAt = this.#clock.now();
    const gathered = new OutputGatherer(request.maxOutputBytes, onOutput);
    const outcome = (
      status: CommandOutcome['status'],
      ending: { readonly code: number | null; readonly signal: string | null },
      why?: string,
    ): CommandOutcome => ({
      status,
      exitCode: ending.code,
      signal: ending.signal,
      ...gathered.result(),
      durationMs: Math.max(0, this.#clock.now() - startedAt),
      ...(why === undefined ? {} : { why }),
    });
    const none = { code: null, signal: null };
    if (signal.aborted) return outcome('stopped', none, 'it was stopped before it began');
    const started = await this.#start(request, gathered);
    if (typeof started === 'string') return outcome('failed_to_start', none, started);
    if (!(await this.#release(started, intent, signal))) {
      return outcome('stopped', none, 'it was stopped before it began');
    }
    const ending = await this.#ending(started, request.timeoutMs, signal);
    const left = await this.#cleanUp(started, ending);
    switch (ending.type) {
      case 'exit':
        return outcome('exited', ending, left ? LEFTOVERS : undefined);
      case 'timeout':
        return outcome('timed_out', none);
      case 'abort':
        return outcome('stopped', none);
    }
  }

  async endSurvivor(group: ProcessGroup): Promise<boolean> {
    if (!(await isSameGroup(group.pgid, group.startedAt))) return false;
    await endGroup(group.pgid, this.#clock);
    return true;
  }

  /** Starts the wrapper, which executes nothing yet. Text: why it couldn't be started. */
  async #start(request: CommandRequest, gathered: OutputGatherer): Promise<Running | string> {
    const args = ['-c', WAIT_SCRIPT, 'sh', ...this.#program, '-c', request.command];
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', args, {
        cwd: request.cwd.real,
        env: commandEnvironment(this.#environment),
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      });
    } catch (error) {
      // An argument that is too long, or holds a NUL, is thrown and not announced.
      return error instanceof Error ? error.message : String(error);
    }
    const failed = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
    });
    const { pid, stdout } = child;
    const go = child.stdio[3];
    if (pid === undefined || stdout === null || go === null || go === undefined || !('write' in go)) {
      return failed;
    }
    // The wrapper may be gone before it reads: that is told by its exit, not by the broken pipe.
    go.on('error', () => go.destroy());
    const exited = new Promise<Ending>((resolve) => {
      child.once('exit', (code, by) => resolve({ type: 'exit', code, signal: by }));
    });
    const closed = new Promise<void>((resolve) => {
      stdout.once('close', () => resolve());
    });
    stdout.on('data', (chunk: Buffer) => this.#take(chunk, stdout, gathered));
    return { child, pid, stdout, go, exited, closed };
  }

  #take(chunk: Buffer, from: Readable, gathered: OutputGatherer): void {
    gathered.add(chunk);
    if (!gathered.floods) return;
    from.pause();
    this.#clock.after(FLOOD_PAUSE_MS, () => from.resume());
  }

  /**
   * Makes the group durable and lets it go. false: stopped meanwhile, and nothing has run. Rejects if the intent
   * couldn't be recorded; nothing has run then either.
   */
  async #release(
    running: Running,
    intent: (group: ProcessGroup) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const stop = aborted(signal);
    try {
      const began = (await startTime(running.pid)) ?? '';
      const recorded = intent({ pgid: running.pid, startedAt: began });
      const first = await Promise.race([recorded.then(() => 'recorded' as const), stop.promise]);
      if (first === 'recorded' && !signal.aborted) {
        running.go.end('go\n');
        return true;
      }
      recorded.catch(this.#onLateFailure);
    } catch (error) {
      await this.#abandon(running);
      throw error;
    } finally {
      stop.dispose();
    }
    await this.#abandon(running);
    return false;
  }

  async #abandon(running: Running): Promise<void> {
    running.go.destroy();
    await endGroup(running.pid, this.#clock);
    running.stdout.destroy();
  }

  async #ending(running: Running, timeoutMs: number, signal: AbortSignal): Promise<Ending> {
    const stop = aborted(signal);
    let expire: (ending: Ending) => void = () => undefined;
    const expired = new Promise<Ending>((resolve) => {
      expire = resolve;
    });
    const timer = this.#clock.after(timeoutMs, () => expire({ type: 'timeout' }));
    try {
      return await Promise.race([
        running.exited,
        expired,
        stop.promise.then((): Ending => ({ type: 'abort' })),
      ]);
    } finally {
      timer.dispose();
      stop.dispose();
    }
  }

  /** Ends what is left of the group and of the output. Whether the command had left something running. */
  async #cleanUp(running: Running, ending: Ending): Promise<boolean> {
    if (ending.type !== 'exit') {
      await endGroup(running.pid, this.#clock);
      await this.#drain(running);
      return true;
    }
    await this.#drain(running, false);
    const left = (await groupMembers(running.pid)).length > 0;
    if (left) await endGroup(running.pid, this.#clock);
    if (!running.stdout.destroyed) await this.#drain(running);
    return left;
  }

  /** Waits until the output is closed, at most for the linger time; then lets go of it. */
  async #drain(running: Running, letGo = true): Promise<void> {
    let timer = { dispose: (): void => undefined };
    const lingered = new Promise<void>((resolve) => {
      timer = this.#clock.after(LINGER_MS, resolve);
    });
    await Promise.race([running.closed, lingered]);
    timer.dispose();
    if (letGo) running.stdout.destroy();
  }
}

const LEFTOVERS = 'it left processes running in the background; they were ended';

/** Resolves when the signal is aborted; disposing takes the listener off again. */
function aborted(signal: AbortSignal): { readonly promise: Promise<'aborted'>; dispose(): void } {
  let listener = (): void => undefined;
  const promise = new Promise<'aborted'>((resolve) => {
    listener = () => resolve('aborted');
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', listener, { once: true });
  });
  return { promise, dispose: () => signal.removeEventListener('abort', listener) };
}
