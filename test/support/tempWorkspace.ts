import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Gateway, type GatewayOptions, noEditor } from '../../src/workspace/gateway';
import type { Actor, Answer, PathProblem, PlacedPath } from '../../src/workspace/port';

export const alice: Actor = { session: 's1', agent: 'a1', agentName: 'alice', run: 'r1' };
export const bob: Actor = { session: 's1', agent: 'a2', agentName: 'bob', run: 'r2' };
export const neverStopped = new AbortController().signal;

/** A workspace folder with something beside it that must never be reached. */
export interface TempWorkspace {
  readonly gateway: Gateway;
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Real path of the folder that holds the workspace and what lies outside of it. */
  readonly around: string;
  put(path: string, content: string | Uint8Array): Promise<void>;
  text(path: string): Promise<string>;
  place(path: string): Promise<PlacedPath>;
  dispose(): Promise<void>;
}

export async function tempWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<GatewayOptions> = {},
): Promise<TempWorkspace> {
  const around = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-ws-')));
  const root = join(around, 'ws');
  await mkdir(root);
  let names = 0;
  const gateway = await Gateway.open({
    folders: [{ name: 'ws', path: root }],
    editor: noEditor,
    uniqueName: () => `t${++names}`,
    ...options,
  });
  const workspace: TempWorkspace = {
    gateway,
    root,
    around,
    put: async (path, content) => {
      const file = join(root, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    },
    text: (path) => readFile(join(root, path), 'utf8'),
    place: async (path) => value(await gateway.place(path)),
    dispose: () => rm(around, { recursive: true, force: true }),
  };
  for (const [path, content] of Object.entries(files)) await workspace.put(path, content);
  return workspace;
}

/** The value of an answer that must be one. */
export function value<T>(answer: Answer<T>): T {
  if (!answer.ok) throw new Error(`unexpected problem: ${JSON.stringify(answer.error)}`);
  return answer.value;
}

/** The problem of an answer that must be one. */
export function problem<T>(answer: Answer<T>): PathProblem {
  if (answer.ok) throw new Error(`unexpected success: ${JSON.stringify(answer.value)}`);
  return answer.error;
}

/** Writes a file as an agent does: plan, then apply. */
export async function writeAs(
  workspace: TempWorkspace,
  actor: Actor,
  path: string,
  content: string | null,
): Promise<Answer<PlacedPath>> {
  const after = content === null ? null : Buffer.from(content, 'utf8');
  const planned = await workspace.gateway.plan(await workspace.place(path), after, actor);
  return planned.ok ? workspace.gateway.apply(planned.value, actor) : planned;
}
