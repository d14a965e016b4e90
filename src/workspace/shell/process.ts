import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock';
import type { ProcessGroup } from '../port';
import { commandEnvironment, WAIT_SCRIPT } from './environment';
import { endGroup, groupMembers, startTime } from './processes';

/** After the command itself has ended its output may stay open this long, held by what it left in the background. */
const LINGER_MS = 250;
const FLOOD_PAUSE_MS = 5;

/** What became of the wait for a command. */
export type Ending =
  | { readonly type: 'exit'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly type: 'timeout' }
  | { readonly type: 'abort' };

/** Where a command's output goes. */
export interface OutputSink {
  add(chunk: Buffer): void;
  /** Whether so much has come that the command should be slowed down. */
  readonly floods: boolean;
}

export interface ProcessRequest {
  /** The shell and its options, to be followed by `-c COMMAND`. */
  readonly program: readonly string[];
  readonly command: string;
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Whether it gets an input that can be written to; else it finds none. */
  readonly input: boolean;
}

interface Parts {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: Readable;
  readonly go: Writable;
  readonly clock: Clock;
}

/** One command's process group, from the wrapper that waits for the word to go to the end of its output. */
export class CommandProcess {
  readonly #parts: Parts;
  /** Resolves once, when the leader has ended. */
  readonly #exited: Promise<Ending>;
  /** Resolves when nobody holds the output open any more. */
  readonly #closed: Promise<void>;

  private constructor(parts: Parts, sink: OutputSink) {
    this.#parts = parts;
    const { child, stdout, go } = parts;
    // The wrapper may be gone before it reads: that is told by its exit, not by the broken pipe.
    go.on('error', () => go.destroy());
    this.#exited = new Promise<Ending>((resolve) => {
      child.once('exit', (code, by) => resolve({ type: 'exit', code, signal: by }));
    });
    this.#closed = new Promise<void>((resolve) => {
      stdout.once('close', () => resolve());
    });
    stdout.on('data', (chunk: Buffer) => this.#take(chunk, sink));
  }

  /** Starts the wrapper, which executes nothing yet. Text: why it couldn't be started. */
  static async start(
    request: ProcessRequest,
    sink: OutputSink,
    clock: Clock,
  ): Promise<CommandProcess | string> {
    const args = ['-c', WAIT_SCRIPT, 'sh', ...request.program, '-c', request.command];
    let child: ChildProcess;
    try {
      child = spawn('/bin/sh', args, {
        cwd: request.folder,
        env: commandEnvironment(request.environment),
        detached: true,
        stdio: [request.input ? 'pipe' : 'ignore', 'pipe', 'ignore', 'pipe'],
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
    return new CommandProcess({ child, pid, stdout, go, clock }, sink);
  }

  /**
   * Makes the group durable and lets it go. false: stopped meanwhile, and nothing has run. Rejects if the intent
   * couldn't be recorded; nothing has run then either.
   * @param onLate an intent that failed after its command had been stopped
   */
  async release(
    intent: (group: ProcessGroup) => Promise<void>,
    signal: AbortSignal,
    onLate: (error: unknown) => void,
  ): Promise<boolean> {
    const { pid, go } = this.#parts;
    const stop = aborted(signal);
    try {
      const began = (await startTime(pid)) ?? '';
      const recorded = intent({ pgid: pid, startedAt: began });
      const first = await Promise.race([recorded.then(() => 'recorded' as const), stop.promise]);
      if (first === 'recorded' && !signal.aborted) {
        go.end('go\n');
        return true;
      }
      recorded.catch(onLate);
    } catch (error) {
      await this.#abandon();
      throw error;
    } finally {
      stop.dispose();
    }
    await this.#abandon();
    return false;
  }

  /** How it ends: by itself, at its time limit (null: none), or stopped. */
  async ending(timeoutMs: number | null, signal: AbortSignal): Promise<Ending> {
    const stop = aborted(signal);
    let expire: (ending: Ending) => void = () => undefined;
    const expired = new Promise<Ending>((resolve) => {
      expire = resolve;
    });
    const timer =
      timeoutMs === null ? null : this.#parts.clock.after(timeoutMs, () => expire({ type: 'timeout' }));
    try {
      return await Promise.race([
        this.#exited,
        expired,
        stop.promise.then((): Ending => ({ type: 'abort' })),
      ]);
    } finally {
      timer?.dispose();
      stop.dispose();
    }
  }

  /** Ends what is left of the group and of the output. Whether the command had left something running. */
  async cleanUp(ending: Ending): Promise<boolean> {
    const { pid, stdout, clock, child } = this.#parts;
    child.stdin?.destroy();
    if (ending.type !== 'exit') {
      await endGroup(pid, clock);
      await this.#drain();
      return true;
    }
    await this.#drain(false);
    const left = (await groupMembers(pid)).length > 0;
    if (left) await endGroup(pid, clock);
    if (!stdout.destroyed) await this.#drain();
    return left;
  }

  /** The input of a command that was started with one. */
  get input(): Writable | null {
    return this.#parts.child.stdin;
  }

  #take(chunk: Buffer, sink: OutputSink): void {
    const { stdout, clock } = this.#parts;
    sink.add(chunk);
    if (!sink.floods) return;
    stdout.pause();
    clock.after(FLOOD_PAUSE_MS, () => stdout.resume());
  }

  async #abandon(): Promise<void> {
    const { go, pid, stdout, clock, child } = this.#parts;
    go.destroy();
    child.stdin?.destroy();
    await endGroup(pid, clock);
    stdout.destroy();
  }

  /** Waits until the output is closed, at most for the linger time; then lets go of it. */
  async #drain(letGo = true): Promise<void> {
    let timer = { dispose: (): void => undefined };
    const lingered = new Promise<void>((resolve) => {
      timer = this.#parts.clock.after(LINGER_MS, resolve);
    });
    await Promise.race([this.#closed, lingered]);
    timer.dispose();
    if (letGo) this.#parts.stdout.destroy();
  }
}

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
