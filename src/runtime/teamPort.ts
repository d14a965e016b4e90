import type { CallId } from '../shared/ids';
import type { State } from '../shared/state';
import type { Text } from '../shared/text';
import { answerOf } from '../team/answer';
import type { TeamAnswer, TeamCommand } from '../team/commands';
import { keepTexts } from '../team/keepTexts';
import type { SessionRuntime } from './sessionRuntime';
import type { TeamPort } from './toolPorts';

/** The team behind a team tool. An answer waits for the flush: what a model is told has happened can't be lost. */
export function teamPortOf(
  runtime: SessionRuntime,
  callId: CallId,
  others: readonly State[],
  read: (text: Text) => Promise<string>,
): TeamPort {
  return {
    do: async (command: TeamCommand): Promise<TeamAnswer> => {
      const done = runtime.dispatch(keepTexts(command, runtime.store.keep.bind(runtime.store)), callId);
      if (!done.ok) return done;
      await done.flushed;
      return {
        ok: true,
        value: await answerOf(done.state, command, done.events, { facts: runtime.facts(), read, others }),
      };
    },
  };
}
