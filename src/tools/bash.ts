import * as z from 'zod';
import text from '../../prompts/tools/bash.md';
import { never } from '../base/never';
import type { Readable, ToolResult } from '../runtime/toolPorts';
import type { Answer, CommandOutcome, CommandRequest, PlacedPath } from '../workspace/port';
import { defineTool } from './defineTool';
import { describe } from './describe';
import { ended, endedBy } from './wording';

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;
const MAX_OUTPUT_BYTES = 30_000;
/** As in workspace/shell/reading. */
const MOST_PARTS = 50;

const schema = z.strictObject({
  command: z.string().min(1).describe('The command line.'),
  timeout_seconds: z.int().min(1).max(MOST_SECONDS).optional().describe('When to end it, in seconds.'),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe('The folder to run it in; the root of the workspace by default.'),
});

export const bash = defineTool<z.output<typeof schema>, CommandRequest>({
  name: 'bash',
  risk: 'execute',
  description: describe(text, {
    shell: 'bash',
    output: MAX_OUTPUT_BYTES / 1000,
    timeout: DEFAULT_SECONDS,
    most: MOST_SECONDS,
    parts: MOST_PARTS,
  }),
  schema,
  commandOf: ({ command }) => command,
  prepare: async ({ command, timeout_seconds, cwd }, { workspace, signal }) => {
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
      plan: {
        command,
        cwd: folder.value,
        timeoutMs: (timeout_seconds ?? DEFAULT_SECONDS) * 1000,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      },
    };
  },
  execute: async (_args, { effects }, request) => ({
    type: 'result',
    result: outcomeResult(await effects.command(request), request),
  }),
});

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
        text: `Ended after the time limit of ${request.timeoutMs / 1000} s, with all its processes. What it did until then stays done. If it needs longer set timeout_seconds (at most ${MOST_SECONDS}); if it waits for input or serves for ever, run it otherwise.\n${printed}`,
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
