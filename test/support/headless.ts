import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Script, type ScriptedModel, startScriptedModel } from './scriptedModel';

export interface HeadlessPlace {
  readonly root: string;
  /** The workspace. */
  readonly work: string;
  readonly server: ScriptedModel;
  /** What every command of the host needs, with `--events`, in the mode `auto`. */
  readonly args: readonly string[];
  close(): Promise<void>;
}

/** A workspace, a state folder and a scripted server for headless processes. */
export async function headlessPlace(script: Script): Promise<HeadlessPlace> {
  const root = await mkdtemp(join(tmpdir(), 'teamroom-headless-'));
  const work = join(root, 'work');
  await mkdir(work);
  const server = await startScriptedModel();
  server.script(script);
  const dirs = ['--workspace', work, '--state', join(root, 'state')];
  return {
    root,
    work,
    server,
    args: [...dirs, '--base-url', server.url, '--model', 'scripted', '--mode', 'auto', '--events'],
    close: async () => {
      await server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

const SCRIPT = join(process.cwd(), 'dist', 'headless.js');

export interface HeadlessRun {
  readonly child: ChildProcess;
  /** Lines of standard output so far. */
  readonly out: string[];
  readonly err: string[];
  /** Resolves, when n lines have come, with true; with false when the process ended before. */
  lines(n: number): Promise<boolean>;
  /** The same for a line of which this is true. */
  line(wanted: (line: string) => boolean): Promise<boolean>;
  /** Exit code; null: killed. */
  readonly exit: Promise<number | null>;
}

/** The bundled headless host as a process of its own. */
export function headless(args: readonly string[]): HeadlessRun {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { ...process.env, TEAMROOM_API_KEY: 'test-key' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const err: string[] = [];
  const waiting: { readonly come: () => boolean; readonly resolve: (came: boolean) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.push(line);
    for (const each of waiting) if (each.come()) each.resolve(true);
  });
  createInterface({ input: child.stderr }).on('line', (line) => err.push(line));
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      for (const each of waiting) each.resolve(false);
      resolve(code);
    });
  });
  const until = (come: () => boolean) =>
    new Promise<boolean>((resolve) => {
      if (come()) resolve(true);
      else if (child.exitCode !== null || child.signalCode !== null) resolve(false);
      else waiting.push({ come, resolve });
    });
  const lines = (n: number) => until(() => out.length >= n);
  const line = (wanted: (line: string) => boolean) => until(() => out.some(wanted));
  return { child, out, err, lines, line, exit };
}
