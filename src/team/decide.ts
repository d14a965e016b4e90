import type { State } from '../shared/state';
import { decideAdd } from './add';
import { decideAnswer } from './asks';
import {
  decideAbort,
  decideAskPerson,
  decideChanges,
  decideCompaction,
  decideEffectEnd,
  decideFinish,
  decideIntend,
  decidePermit,
  decideStep,
  decideSuspend,
} from './calls';
import { decideDelete } from './closing';
import type { Command, Decide, Decision, Facts } from './commands';
import { decideDelegate } from './delegate';
import { decideHelperSend, decideHelperStop, decideTask } from './helpers';
import { decideCloseJobs, decideEndJob, decideStartJob, decideStopJob } from './jobActs';
import { decideDrop, decideResult, decideReturn } from './receipts';
import { decideRetry, decideTellLead } from './retry';
import { decideAccept, decideRequestChanges } from './review';
import { decideRead, decideReport, decideSay, decideSayTo, decideSend } from './room';
import {
  decideAskLimit,
  decideContinue,
  decideEnd,
  decideInterrupt,
  decidePark,
  decidePauseRun,
  decideResume,
  decideStart,
  decideTakeInput,
} from './runs';
import {
  decideArchive,
  decideCreate,
  decideLimits,
  decideMode,
  decideModel,
  decidePause,
  decideRename,
  decideSize,
} from './session';
import { decidePersonStop, decideStop, decideStopAll } from './stop';
import { decideRevise } from './tasks';
import { decideTodo } from './todo';
import { decideBeginUndo, decideEndUndo } from './undo';

type Deciders = { readonly [K in Command['type']]: Decide<Extract<Command, { readonly type: K }>> };

const deciders: Deciders = {
  team_add: decideAdd,
  team_send: decideSend,
  team_stop: decideStop,
  team_read: decideRead,
  report: decideReport,
  todo: decideTodo,
  task: decideTask,
  helper_send: decideHelperSend,
  helper_stop: decideHelperStop,
  delegate: decideDelegate,
  create_session: decideCreate,
  say: decideSay,
  say_to: decideSayTo,
  stop: decidePersonStop,
  stop_all: decideStopAll,
  delete_session: decideDelete,
  answer_ask: decideAnswer,
  set_size: decideSize,
  set_mode: decideMode,
  set_limits: decideLimits,
  rename: decideRename,
  archive: decideArchive,
  pause: decidePause,
  retry: decideRetry,
  tell_lead: decideTellLead,
  set_model: decideModel,
  resume: decideResume,
  accept: decideAccept,
  request_changes: decideRequestChanges,
  begin_undo: decideBeginUndo,
  end_undo: decideEndUndo,
  start_run: decideStart,
  take_input: decideTakeInput,
  record_step: decideStep,
  record_abort: decideAbort,
  record_compaction: decideCompaction,
  permit_call: decidePermit,
  ask_person: decideAskPerson,
  suspend_call: decideSuspend,
  ask_limit: decideAskLimit,
  intend_effect: decideIntend,
  end_effect: decideEffectEnd,
  record_changes: decideChanges,
  finish_call: decideFinish,
  park_run: decidePark,
  pause_run: decidePauseRun,
  continue_run: decideContinue,
  interrupt_run: decideInterrupt,
  end_run: decideEnd,
  start_job: decideStartJob,
  stop_job: decideStopJob,
  close_jobs: decideCloseJobs,
  end_job: decideEndJob,
  return_delivery: decideReturn,
  record_result: decideResult,
  revise_task: decideRevise,
  drop_message: decideDrop,
};

/**
 * The one place where it is decided what happens: a command, judged on the state as it is, answers events or a
 * refusal. Pure: no clock, no randomness, no I/O, nothing changed.
 */
export function decide(state: State, command: Command, facts: Facts): Decision {
  const decider = deciders[command.type] as Decide<Command>;
  return decider(state, command, facts);
}
