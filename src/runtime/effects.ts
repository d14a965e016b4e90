import type { CommandOutcome, CommandRequest } from '../workspace/port';
import { watched } from './commandChanges';
import { type EffectParts, intend } from './effectParts';
import { fileEffects } from './fileEffects';
import type { EffectPort } from './toolPorts';

/** Side effects of one call: the intent is durable before anything happens, the outcome is recorded after it. */
export function effectsOf(parts: EffectParts): EffectPort {
  return {
    ...fileEffects(parts),
    command: (request) => command(parts, request),
  };
}

async function command(parts: EffectParts, request: CommandRequest): Promise<CommandOutcome> {
  let index: number | null = null;
  const outcome = await watched(parts, request, () =>
    parts.options.shell.run(
      request,
      async (group) => {
        const { command, cwd } = request;
        index = await intend(parts, { type: 'command', command, cwd: cwd.shown, ...group });
      },
      parts.output,
      parts.signal,
    ),
  );
  if (index !== null) {
    const ended = endOf(outcome);
    parts.runtime.dispatch({ type: 'end_effect', callId: parts.callId, index, outcome: ended, change: null });
    await parts.runtime.flushed();
  }
  return outcome;
}

/** A command that was stopped in the middle did nobody knows how much. */
function endOf({ status, why }: CommandOutcome): 'done' | 'not_done' | 'unknown' {
  switch (status) {
    case 'exited':
    case 'timed_out':
      return 'done';
    case 'failed_to_start':
      return 'not_done';
    case 'stopped':
      // A reason is given only when it was stopped before it began.
      return why === undefined ? 'unknown' : 'not_done';
  }
}
