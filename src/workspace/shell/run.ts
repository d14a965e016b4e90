import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../base/clock';
import type {
  BackgroundEnd,
  BackgroundRequest,
  BackgroundStart,
  CommandOutcome,
  CommandRequest,
  PlacedPath,
  ProcessGroup,
  ShellPort,
  Written,
} from '../port';
import { FLOOD_BYTES, OutputGatherer } from './output';
import { CommandProcess, type OutputSink } from './process';
import { endGroup, isSameGroup } from './processes';

export interface ShellOptions {
  readonly clock: Clock;
  /** The program that takes `-c COMMAND`; null: bash where there is one, else sh. */
  readonly shell?: string | null;
  /** Where commands' environment is taken from, less what they must not see. */
  readonly environment?: NodeJS.ProcessEnv;
  /** An intent that failed after its command had been stopped: nobody waits for it any more. */
  readonly onLateFailure: (error: unknown) => void;
}

const NOT_BEGUN = 'it was stopped before it began';
const LEFTOVERS = 'it left processes running in the background; they were ended';

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
    const started = await this.#begin(request, false, gathered, intent, signal);
    if (!('process' in started)) return outcome(started.status, none, started.why);
    const ending = await started.process.ending(request.timeoutMs, signal);
    const left = await started.process.cleanUp(ending);
    switch (ending.type) {
      case 'exit':
        return outcome('exited', ending, left ? LEFTOVERS : undefined);
      case 'timeout':
        return outcome('timed_out', none);
      case 'abort':
        return outcome('stopped', none);
    }
  }

  async start(
    request: BackgroundRequest,
    intent: (group: ProcessGroup) => Promise<void>,
    onOutput: (chunk: string) => void,
    signal: AbortSignal,
  ): Promise<BackgroundStart> {
    const sink = new PassedOn(onOutput);
    const started = await this.#begin(request, true, sink, intent, signal);
    if (!('process' in started)) return { type: 'not_started', ...started };
    const { process } = started;
    const input = process.input;
    // A command that reads nothing any more is told by `write`, not by the broken pipe.
    input?.on('error', () => input.destroy());
    return {
      type: 'started',
      command: {
        ended: this.#endOf(process, request, sink, signal),
        write: (text, close) =>
          input === null ? Promise.resolve('closed') : writeInto(input, text, close, this.#clock),
      },
    };
  }

  async endSurvivor(group: ProcessGroup): Promise<boolean> {
    if (!(await isSameGroup(group.pgid, group.startedAt))) return false;
    await endGroup(group.pgid, this.#clock);
    return true;
  }

  /** Starts a command and lets it go once its intent is durable; or says why it did not come to that. */
  async #begin(
    request: { readonly command: string; readonly cwd: PlacedPath },
    input: boolean,
    sink: OutputSink,
    intent: (group: ProcessGroup) => Promise<void>,
    signal: AbortSignal,
  ): Promise<
    | { readonly process: CommandProcess }
    | { readonly status: 'stopped' | 'failed_to_start'; readonly why: string }
  > {
    if (signal.aborted) return { status: 'stopped', why: NOT_BEGUN };
    const process = await CommandProcess.start(
      {
        program: this.#program,
        command: request.command,
        folder: request.cwd.real,
        environment: this.#environment,
        input,
      },
      sink,
      this.#clock,
    );
    if (typeof process === 'string') return { status: 'failed_to_start', why: process };
    if (await process.release(intent, signal, this.#onLateFailure)) return { process };
    return { status: 'stopped', why: NOT_BEGUN };
  }

  async #endOf(
    process: CommandProcess,
    request: BackgroundRequest,
    sink: PassedOn,
    signal: AbortSignal,
  ): Promise<BackgroundEnd> {
    const startedAt = this.#clock.now();
    const ending = await process.ending(request.timeoutMs, signal);
    const left = await process.cleanUp(ending);
    sink.end();
    const durationMs = Math.max(0, this.#clock.now() - startedAt);
    switch (ending.type) {
      case 'exit':
        return {
          status: 'exited',
          exitCode: ending.code,
          signal: ending.signal,
          durationMs,
          ...(left ? { why: LEFTOVERS } : {}),
        };
      case 'timeout':
        return { status: 'timed_out', exitCode: null, signal: null, durationMs };
      case 'abort':
        return { status: 'stopped', exitCode: null, signal: null, durationMs };
    }
  }
}

/** Output that is passed on as text, all of it; characters that are cut between two chunks stay whole. */
class PassedOn implements OutputSink {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onOutput: (chunk: string) => void;
  #total = 0;

  constructor(onOutput: (chunk: string) => void) {
    this.#onOutput = onOutput;
  }

  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const text = this.#decoder.write(chunk);
    if (text !== '') this.#onOutput(text);
  }

  get floods(): boolean {
    return this.#total > FLOOD_BYTES;
  }

  end(): void {
    const rest = this.#decoder.end();
    if (rest !== '') this.#onOutput(rest);
  }
}

/** A command that doesn't read has its pipe full at some time: the caller is not kept for longer than this. */
const WRITE_WAIT_MS = 1000;

function writeInto(input: Writable, text: string, close: boolean, clock: Clock): Promise<Written> {
  if (!input.writable) return Promise.resolve('closed');
  return new Promise((resolve) => {
    const timer = clock.after(WRITE_WAIT_MS, () => resolve('waits'));
    input.write(text, (error) => {
      timer.dispose();
      resolve(error == null ? 'taken' : 'closed');
    });
    if (close) input.end();
  });
}
