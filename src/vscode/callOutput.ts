import { values } from '../base/table';
import type { CallId } from '../shared/ids';
import { callOf } from '../shared/lookup';
import type { State } from '../shared/state';
import type { Text } from '../shared/text';

/** What there is to read of a call: its whole result, then what the command that it let go in the background printed. */
export function outputOf(state: State, id: CallId): readonly Text[] {
  const phase = callOf(state, id)?.phase;
  if (phase?.status !== 'finished') return [];
  const { text, whole } = phase.result;
  const jobs = [...values(state.jobs)].filter((job) => job.callId === id);
  return [
    whole ?? text,
    ...jobs.flatMap((job) => (job.phase.status === 'ended' ? job.phase.end.output : [])),
  ];
}
