import { systemClock } from '../../src/base/clock';
import type { ToolAnswer, ToolContext, ToolResult, WrittenFiles } from '../../src/runtime/toolPorts';
import type { AgentId, CallId, RunId } from '../../src/shared/ids';
import type { PreparedCall, Tool } from '../../src/tools/defineTool';
import type { Actor, CommandRequest, PlannedChange } from '../../src/workspace/port';
import { Shell } from '../../src/workspace/shell/run';
import { alice, type TempWorkspace } from './tempWorkspace';

const noJobs = (): Promise<never> => Promise.reject(new Error('no jobs here'));

/** What a tool gets in life, on a real gateway and a real shell, without a store. */
export class ToolHost {
  readonly written: PlannedChange[] = [];
  readonly commands: CommandRequest[] = [];
  readonly live: string[] = [];
  readonly #workspace: TempWorkspace;
  readonly #shell = new Shell({
    clock: systemClock,
    onLateFailure: (error) => {
      throw error;
    },
  });

  constructor(workspace: TempWorkspace) {
    this.#workspace = workspace;
  }

  context(actor: Actor = alice, signal: AbortSignal = new AbortController().signal): ToolContext {
    const { gateway } = this.#workspace;
    return {
      actor,
      agentId: 'a1' as AgentId,
      runId: 'r1' as RunId,
      callId: 'c1' as CallId,
      signal,
      workspace: gateway,
      output: (chunk) => this.live.push(chunk),
      jobs: {
        start: noJobs,
        list: () => [],
        read: noJobs,
        send: noJobs,
        stop: noJobs,
        words: { refusal: ({ code }) => code, fact: ({ type }) => type },
      },
      team: { do: () => Promise.reject(new Error('no team here')) },
      effects: {
        write: (change) => {
          this.written.push(change);
          return gateway.apply(change, actor);
        },
        writeAll: (changes) => this.#writeAll(changes, actor),
        makeFolder: ({ path }) => gateway.trees.makeFolder(path),
        remove: async (removal) => {
          const files = await this.#writeAll(removal.changes, actor);
          if (files.problem !== null) return files;
          const folders = await gateway.trees.removeFolders(removal);
          return folders.ok ? files : { ...files, problem: folders.error };
        },
        move: (move) => gateway.trees.move(move, actor),
        command: (request) => {
          this.commands.push(request);
          return this.#shell.run(
            request,
            async () => undefined,
            (chunk) => this.live.push(chunk),
            signal,
          );
        },
      },
    };
  }

  async #writeAll(changes: readonly PlannedChange[], actor: Actor): Promise<WrittenFiles> {
    for (const [index, change] of changes.entries()) {
      const done = await this.#workspace.gateway.apply(change, actor);
      if (!done.ok) return { done: changes.slice(0, index), problem: done.error, left: changes.slice(index) };
      this.written.push(change);
    }
    return { done: changes, problem: null, left: [] };
  }

  async prepare(tool: Tool, args: unknown, context = this.context()): Promise<PreparedCall> {
    const opened = tool.open(JSON.stringify(args));
    if (!opened.ok) return { type: 'answer', result: { status: 'error', text: opened.error } };
    return opened.value.prepare(context);
  }

  async answer(tool: Tool, args: unknown, context = this.context()): Promise<ToolAnswer> {
    const prepared = await this.prepare(tool, args, context);
    return prepared.type === 'answer'
      ? { type: 'result', result: prepared.result }
      : prepared.execute(context);
  }

  /** The result of a call that must have one, as if it were allowed. */
  async call(tool: Tool, args: unknown, context = this.context()): Promise<ToolResult> {
    const answer = await this.answer(tool, args, context);
    if (answer.type !== 'result') throw new Error('the call is suspended');
    return answer.result;
  }
}
