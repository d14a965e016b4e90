import * as z from 'zod';
import text from '../../prompts/tools/bash.md';
import { never } from '../base/never';
import type { JobStart, Readable, ToolResult } from '../runtime/toolPorts';
import type {
  Answer,
  BackgroundRequest,
  CommandOutcome,
  CommandRequest,
  PlacedPath,
} from '../workspace/port';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { ended, endedBy } from './wording';

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;
const MAX_OUTPUT_BYTES = 30_000;
/** As in workspace/shell/reading. */
const MOST_PARTS = 50;
/** As in team/jobs. */
const MOST_JOBS = 8;

const schema = z.strictObject({
  command: z.string().min(1).describe('The command line.'),
  timeout_seconds: z.int().min(1).max(MOST_SECONDS).optional().describe('When to end it, in seconds.'),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe('The folder to run it in; the root of the workspace by default.'),
  background: z.boolean().optional().describe('true: do not wait for its end.'),
});

export const bash = defineTool<z.output<typeof schema>, Planned>({
  name: 'bash',
  risk: 'execute',
  description: describe(text, {
    shell: 'bash',
    output: MAX_OUTPUT_BYTES / 1000,
    timeout: DEFAULT_SECONDS,
    most: MOST_SECONDS,
    parts: MOST_PARTS,
    jobs: MOST_JOBS,
  }),
  schema,
  commandOf: ({ command }) => command,
  prepare: async ({ command, timeout_seconds, cwd, background }, { workspace, signal }) => {
    if (command.trim() === '') return ended({ status: 'error', text: 'The command is empty.' });
    if (command.includes('\0')) {
      return ended({ status: 'error', text: 'The command contains a NUL character. Nothing was run.' });
    }
    const folder = await workingFolder(workspace, cwd, signal);
    if (!folder.ok) return endedBy(folder.error);
    const inspection = await workspace.inspect(command, folder.value);
    return {
      type: 'ready',
      subjects: [{ type: 'command', command, cwd: folder.value, inspection }],
      preview: { type: 'command', command, cwd: folder.value.shown },
      plan: planOf(command, folder.value, timeout_seconds ?? null, background ?? false),
    };
  },
  execute: async (_args, { effects, jobs }, { background, request }) => ({
    type: 'result',
    result: background
      ? startedResult(await jobs.start(request))
      : outcomeResult(await effects.command(request), request),
  }),
});

type Planned =
  | { readonly background: false; readonly request: CommandRequest }
  | { readonly background: true; readonly request: BackgroundRequest };

/** In the background a command has no time limit unless one is asked for. */
function planOf(command: string, cwd: PlacedPath, seconds: number | null, background: boolean): Planned {
  if (background) {
    return { background, request: { command, cwd, timeoutMs: seconds === null ? null : seconds * 1000 } };
  }
  const timeoutMs = (seconds ?? DEFAULT_SECONDS) * 1000;
  return { background, request: { command, cwd, timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES } };
}

function startedResult(start: JobStart): ToolResult {
  switch (start.type) {
    case 'started':
      return {
        status: 'ok',
        text: `It runs in the background as ${start.id}. job_read shows its output, job_stop ends it.`,
      };
    case 'too_many':
      return {
        status: 'refused',
        text: `You have ${start.most} commands in the background already. Nothing was run: end one with job_stop, or wait for one.`,
      };
    case 'not_started':
      return {
        status: 'error',
        text:
          start.status === 'stopped'
            ? `Stopped (${start.why}). Nothing was run.`
            : `The command could not be started (${start.why}). Nothing was run.`,
      };
    default:
      return never(start);
  }
}

/** The folder that a command runs in: the named one, else the first of the workspace. */
async function workingFolder(
  workspace: Readable,
  cwd: string | undefined,
  signal: AbortSignal,
): Promise<Answer<PlacedPath>> {
  const several = workspace.folders.length > 1;
  const placed = await workspace.place(cwd ?? (several ? (workspace.folders[0]?.name ?? '.') : '.'));
  if (!placed.ok) return placed;
  const listed = await workspace.list(placed.value, 1, 1, signal);
  return listed.ok ? placed : listed;
}

function outcomeResult(outcome: CommandOutcome, request: CommandRequest): ToolResult {
  const why = outcome.why === undefined ? '' : ` (${outcome.why})`;
  const time = `${(outcome.durationMs / 1000).toFixed(1)} s`;
  const printed = outcome.output.trim() === '' ? 'No output.' : outcome.output.trimEnd();
  switch (outcome.status) {
    case 'exited': {
      const how = outcome.signal === null ? `Exit code ${outcome.exitCode}` : `Ended by ${outcome.signal}`;
      return { status: 'ok', text: `${how} after ${time}${why}.\n${printed}` };
    }
    case 'timed_out':
      return {
        status: 'error',
        text: `Ended after the time limit of ${request.timeoutMs / 1000} s, with all its processes. What it did until then stays done. If it needs longer set timeout_seconds (at most ${MOST_SECONDS}); if it waits for input or serves for ever, run it in the background.\n${printed}`,
      };
    case 'stopped':
      return {
        status: 'error',
        text: `Stopped after ${time}${why}. What it did until then stays done.\n${printed}`,
      };
    case 'failed_to_start':
      return { status: 'error', text: `The command could not be started${why}. Nothing was run.` };
    default:
      return never(outcome.status);
  }
}
