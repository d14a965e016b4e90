import { never } from '../../base/never';
import type { LiveDoing } from '../protocol';
import { say, sayCount } from '../texts';
import type { Activity } from './activity';

/** What streams of an agent, as far as it says what the agent does. */
export interface Streaming {
  readonly doing: LiveDoing | null;
  /** Whether an answer's text has begun. */
  readonly writes: boolean;
}

export const noStreaming: Streaming = { doing: null, writes: false };

/** How moments (ms) are worded where the sentence is shown. */
export interface Moments {
  readonly time: (at: number) => string;
  /** How long it is until then. */
  readonly left: (until: number) => string;
}

/**
 * What an agent's row says in every tree. While the model answers, its stream tells more than the state, which hears
 * of the answer when it is complete; at any other time what streamed last says nothing.
 */
export function rowSentence(activity: Activity, { doing, writes }: Streaming, moments: Moments): string {
  if (activity.type !== 'thinking' && activity.type !== 'calling')
    return activitySentence(activity, moments.time);
  if (doing?.type === 'silent')
    return `${activitySentence(activity, moments.time)}, ${sayCount('doing.silent', doing.minutes)}`;
  if (activity.type === 'calling') return activitySentence(activity, moments.time);
  switch (doing?.type) {
    case 'retry':
      return say('doing.retry', { time: moments.left(doing.until), reason: doing.reason });
    case 'summarising':
      return say('doing.summarising');
    case 'writing_call':
      return say('doing.writingCall', { tool: doing.tool });
    case 'thinking':
      return activitySentence(activity, moments.time);
    case undefined:
      return writes ? say('doing.writing') : activitySentence(activity, moments.time);
    default:
      return never(doing);
  }
}

/**
 * An agent's line by its state alone: "edits report.tsx · step 7". `time` words a moment (ms) where it is shown.
 */
export function activitySentence(activity: Activity, time: (at: number) => string): string {
  switch (activity.type) {
    case 'new':
      return say('doing.new');
    case 'thinking':
      return say('doing.step', { what: say('doing.thinking'), step: activity.step });
    case 'calling':
      return callingSentence(activity);
    case 'asks_permission':
      return activity.what === null
        ? say('doing.asksTool', { tool: activity.tool })
        : say('doing.asks', { what: activity.what });
    case 'asks_question':
      return say('doing.asksYou', { what: activity.what });
    case 'at_limit':
      return say(activity.limit === 'tokens' ? 'doing.atTokens' : 'doing.atMoney');
    case 'collects':
      return say('doing.collects');
    case 'delegates':
      return say('doing.delegates', { name: activity.to });
    case 'waits_helper':
      return say('doing.helper', { names: listed(activity.names) });
    case 'waits_slot':
      return slotSentence(activity);
    case 'waits_group':
      return say('doing.group', { model: activity.model, names: listed(activity.names) });
    case 'waits_turn':
      return say('doing.turn', { name: activity.of });
    case 'waits_answer':
      return activity.from.length === 0
        ? say('doing.answer')
        : say('doing.answerFrom', { names: activity.from.join(', ') });
    case 'waits_reports':
      return say('doing.reports', { names: listed(activity.names) });
    case 'waits_jobs':
      return activity.jobs === 1 ? say('doing.job') : say('doing.jobs', { n: activity.jobs });
    case 'continues':
      return say('doing.continues');
    case 'interrupted':
      return say('doing.interrupted');
    case 'paused':
      return say('doing.paused');
    case 'finished':
      return say('doing.finished', { time: time(activity.at) });
    case 'ended':
      return endedSentence(activity, time(activity.at));
    case 'left':
      return leftSentence(activity, time(activity.at));
    default:
      return never(activity);
  }
}

function slotSentence({ model, names }: Extract<Activity, { type: 'waits_slot' }>): string {
  if (model === null) return say('doing.slotFree');
  return names.length === 0
    ? say('doing.slot', { model })
    : say('doing.slotOf', { model, names: listed(names) });
}

const MOST_NAMES = 3;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  if (more <= 0) return names.join(', ');
  return say('doing.namesMore', { names: names.slice(0, MOST_NAMES).join(', '), n: more });
}

/** Tools with a verb of their own; the others are "uses NAME". */
const verbs = {
  read: 'doing.read',
  list: 'doing.list',
  glob: 'doing.glob',
  grep: 'doing.grep',
  write: 'doing.write',
  edit: 'doing.edit',
  multiedit: 'doing.edit',
  mkdir: 'doing.mkdir',
  mv: 'doing.mv',
  rm: 'doing.rm',
  bash: 'doing.bash',
  ask_user: 'doing.ask_user',
  task: 'doing.task',
  team_add: 'doing.team_add',
  team_send: 'doing.team_send',
  team_stop: 'doing.team_stop',
} as const;

const isVerb = (tool: string): tool is keyof typeof verbs => Object.hasOwn(verbs, tool);

function callingSentence(activity: Extract<Activity, { type: 'calling' }>): string {
  const one = callSentence(activity.tool, activity.what);
  const what = activity.others > 0 ? say('doing.others', { what: one, n: activity.others }) : one;
  return say('doing.step', { what, step: activity.step });
}

/** "edits report.tsx": the file's name is enough, its folder is one click away. */
export function callSentence(tool: string, what: string | null): string {
  if (tool === 'team_read') return say('doing.team_read');
  if (tool === 'report') return say('doing.report');
  if (tool === 'apply_patch') return say('doing.apply_patch');
  if (tool === 'todo') return say('doing.todoTool');
  if (tool === 'diagnostics') return say('doing.diagnostics');
  if (what === null) return say('doing.tool', { tool });
  if (!isVerb(tool)) return say('doing.toolOn', { tool, what });
  const isFile = tool === 'read' || tool === 'write' || verbs[tool] === 'doing.edit';
  return say(verbs[tool], { what: isFile ? baseName(what) : what });
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;

function endedSentence(activity: Extract<Activity, { type: 'ended' }>, time: string): string {
  switch (activity.reason) {
    case 'waiting':
      return say('doing.answer');
    case 'question':
      return say('doing.endedQuestion', { time });
    case 'stopped':
      // Only the person stops a turn of an agent that stays.
      return say('doing.stoppedByYou', { time });
    case 'steps':
      return say('doing.endedSteps', { time });
    case 'budget':
      return say('doing.endedBudget', { time });
    case 'error':
      return activity.detail === null
        ? say('doing.endedError', { time })
        : say('doing.endedErrorWhy', { time, why: activity.detail });
    default:
      return never(activity.reason);
  }
}

function leftSentence(activity: Extract<Activity, { type: 'left' }>, time: string): string {
  if (activity.reason === 'dissolved') return say('doing.dissolved', { time });
  if (activity.reason === 'ended') return say('doing.left', { time });
  switch (activity.by.type) {
    case 'person':
      return say('doing.stoppedByYou', { time });
    case 'agent':
      return say('doing.stoppedBy', { name: activity.by.name, time });
    case 'host':
      return say('doing.stoppedAt', { time });
    default:
      return never(activity.by);
  }
}
