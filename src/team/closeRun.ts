import { openAsks, openCallsOf } from '../shared/lookup';
import type { FinishReason, Run } from '../shared/state';
import { inline, type Text } from '../shared/text';
import type { Draft } from './draft';

/** What a call is told whose turn ended before it had a result. */
const NOT_BEGUN = 'The turn was ended before this call was carried out. Nothing was done.';
const BROKEN_OFF =
  'The turn was ended while this call went on. What it had done until then stays done: look before you go on.';

export interface RunEnd {
  readonly reason: FinishReason;
  readonly detail: string | null;
  readonly text: Text | null;
}

/** Ends a run with everything that hangs on it: each open call gets its one result, its questions are withdrawn. */
export function closeRun(draft: Draft, run: Run, end: RunEnd): void {
  for (const call of openCallsOf(draft.state, run.id)) {
    draft.push({
      type: 'call.finished',
      callId: call.id,
      result: { status: 'stopped', text: inline(call.phase.status === 'permitted' ? BROKEN_OFF : NOT_BEGUN) },
      statusCall: false,
    });
  }
  for (const ask of openAsks(draft.state, run.id)) draft.push({ type: 'ask.withdrawn', askId: ask.id });
  draft.push({ type: 'run.ended', runId: run.id, ...end });
}
