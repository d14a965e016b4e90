import { never } from '../../base/never';
import type { Ended, Note } from '../../shared/state';
import type { Refusal, TeamFact } from '../../team/commands';

/** Every word that a model reads of the style `room`. The keys are the seed's; where it fixes a text, it is the seed's. */

/** L-67, word for word. */
export const manager = 'You lead a team: give this to a member (team_add or team_send).';

export const mark = {
  message: (from: string, to: readonly string[]): string =>
    `[Team message from ${from} to ${to.join(', ')}:]`,
  report: (from: string, to: readonly string[]): string => `[Team report from ${from} to ${to.join(', ')}:]`,
  instruction: (from: string): string => `[Message from ${from}:]`,
  result: (from: string): string => `[Result of ${from}:]`,
} as const;

export const noReport = '(No report: the turn ended without a final reply.)';

/** L-60: `steps`, `budget` or `error — <text>`. */
export function endedReason({ reason, detail }: Ended): string {
  return reason === 'error' ? `error — ${detail ?? 'unknown'}` : reason;
}

export const noReply = '(No reply: the turn ended without one.)';

export const helperStopped = '(The helper was stopped. What it had done until then stays done.)';

export const ended = (how: Ended): string => `(The turn did not end by itself: ${endedReason(how)})`;

export const readOn = (since: number): string =>
  `There are more messages: call team_read with since ${since}.`;

const agents = (count: number): string => (count === 1 ? '1 agent' : `${count} agents`);

export const note = {
  team: (min: number, max: number): string => `The team may have ${min} to ${agents(max)}, you included.`,
  teamLead: (members: number): string =>
    `Work through the team from the start: add at least ${members === 1 ? '1 member' : `${members} members`}. Also before the first one your own calls that write files or run more than reading commands are refused.`,
  teamOne: 'This session has one agent, you. No member and no helper can be added.',
  teamStopped: (names: readonly string[]): string =>
    `The person stopped ${names.join(', ')}. They have left the team: their work ended where it was, no report comes from them, and their names may be used again.`,
} as const;

/** One block for the size (L-95), one for each stop (L-96). */
export function noteText(about: Note['about']): string {
  switch (about.type) {
    case 'size': {
      const { min, max } = about.size;
      if (max === 1) return note.teamOne;
      return min < 2 ? note.team(min, max) : `${note.team(min, max)} ${note.teamLead(min - 1)}`;
    }
    case 'stopped':
      return note.teamStopped(about.names);
  }
}

export const unavailable = {
  one_request:
    'There can be no team now: the model serves one request at a time. Go on by yourself with your other tools.',
  one_agent:
    'There can be no team now: the person has set this session to one agent. Go on by yourself with your other tools.',
} as const;

export function refusal(why: Refusal): string {
  switch (why.code) {
    case 'unavailable':
      return unavailable[why.why];
    case 'all_name':
      return 'A member can\'t be named "all": a message to all goes to everybody. Choose another name.';
    case 'bad_name':
      return `"${why.name}" can't be a name. A name is a lower-case letter, then at most 31 lower-case letters, digits, "-" or "_".`;
    case 'taken':
      return `The name "${why.name}" is taken. Choose another; or, if you want this agent to do more, write to it with team_send.`;
    case 'no_goal':
      return 'Say what the team is for: the first team_add must give a goal.';
    case 'full':
      return `The team is full: it has ${agents(why.size)} and may have ${why.max}. Nobody was added. Give the work to a member that you have with team_send, or make room with team_stop.`;
    case 'model_full':
      return `No helper can begin now: ${why.slots === null ? `others go before it on ${why.model}, or on a model that shares its capacity` : `${why.model} serves ${why.slots === 1 ? 'one agent' : `${why.slots} agents`} at a time, and as many are at work`}. Nothing was started. Do it yourself, or try again when another agent has ended its turn.`;
    case 'no_helper':
      return `You have no helper "${why.name}" in the background.`;
    case 'nobody':
      return 'Nobody else is on the team, so there is nobody to write to. Nothing was sent.';
    case 'unknown':
      return `Nobody named "${why.name}" is on the team. team_read shows who is.`;
    case 'self':
      return "You can't write to yourself. Nothing was sent.";
    case 'nobody_to_stop':
      return 'Nobody is under you, so there is nobody to stop.';
    case 'not_yours':
      return `"${why.name}" is not under you, so you can't stop it.`;
    case 'unknown_expert':
      return `There is no agent "${why.name}". There are: ${why.known.join(', ')}.`;
    case 'unknown_model':
      if (why.name === '') return 'No model is set up for this agent. Name one with model.';
      return `There is no model "${why.name}" that you may use.${why.known === undefined ? '' : ` There are: ${why.known.join(', ')}.`} Leave model out to use your own.`;
    case 'too_deep':
      return `Members can't be added here: a team has ${why.depth === 1 ? 'one level' : `${why.depth} levels`} under its lead.`;
    case 'not_allowed':
      return `You may not do this here: ${why.what}.`;
    case 'status_again':
      return `You have looked ${why.allowed === 1 ? 'once' : `${why.allowed} times`} in this turn already. News comes to you by itself.`;
    case 'empty':
      return 'There was nothing to send: the text or the list of names is empty.';
    case 'gone':
      return `The ${why.what} is gone. Nothing was done.`;
    case 'wrong_state':
      return `This can't be done now: the ${why.what} is ${why.is}.`;
    case 'size_bounds':
      return `The size ${why.min} to ${why.max} is out of bounds: 1 ≤ min ≤ max ≤ ${why.cap}.`;
    case 'limit_bounds':
      return `The limit of ${why.limit} is out of bounds.`;
    case 'downstream_unfinished':
      return `Work that builds on this is not finished: ${why.names.join(', ')}.`;
    case 'fenced':
      return `This belongs to attempt ${why.attempt}; attempt ${why.current} has taken over.`;
    default:
      return never(why);
  }
}

/** What a team tool answers when it was done. */
export function fact(done: Exclude<TeamFact, { type: 'room' }>): string {
  switch (done.type) {
    case 'added': {
      const twin =
        done.alike === undefined
          ? ''
          : ` ${done.alike} has the same role and has work too: if you only miss news of it, team_read shows what it does.`;
      const size = `The team has ${agents(done.size)} now.${twin}`;
      return done.waiting
        ? `${done.name} was added. It waits for a free slot of its model and then starts by itself. ${size}`
        : `${done.name} was added and is at work. ${size}`;
    }
    case 'sent':
      return `Sent to ${done.to.join(', ')}.`;
    case 'stopped':
      return `Stopped: ${done.names.join(', ')}. They have left the team; nothing more comes from them.`;
    case 'helper_started':
      return done.background
        ? `${done.name} is at work in the background; "${done.name}" is its job id. Its final reply comes to you by itself when it ends.`
        : `${done.name} is at work.`;
    case 'helper_told':
      return done.restarted
        ? `${done.name} was started again with all it knew; its final reply comes to you by itself.`
        : `Sent to ${done.name}; it reads it at its next step.`;
    case 'helper_stopped':
      return `${done.name} was stopped where it was. What it had done until then stays done.`;
    case 'listed':
      return 'Your list is kept.';
    case 'reported':
      return `Sent to ${done.to}, your manager.`;
    case 'delegated':
      return `Given to the member (${done.taskId}).`;
  }
}
