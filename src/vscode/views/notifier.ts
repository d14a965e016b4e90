import { never } from '../../base/never';
import type { SessionChange } from '../../runtime/engine';
import type { TeamEvent } from '../../shared/events';
import { agentOf, askOf, leadOf, openRuns, runOf } from '../../shared/lookup';
import type { Ask, AskAbout, State } from '../../shared/state';
import { headOf } from '../../shared/text';
import type { Asker } from '../asker';
import { titleOf } from '../sessions';
import { say } from '../texts';

const MOST_CHARS = 160;

export interface NotifierOptions {
  readonly asker: Pick<Asker, 'tell'>;
  /** The person sees the session anyway. */
  readonly isSeen: (session: string) => boolean;
  readonly show: (session: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Tells what the person would otherwise miss: an answer is needed, or the work has ended, while the Room is hidden.
 * One notification at a time for what waits; it says how many others do.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  #telling = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  take(change: SessionChange): void {
    if (this.#options.isSeen(change.session)) return;
    if (change.events.some((event) => event.type === 'ask.opened')) this.#tellAsks(change);
    const words = endWords(change.state, change.events);
    if (words !== null) this.#tell(words.kind, words.text, change.session);
  }

  #tellAsks({ session, state }: SessionChange): void {
    const newest = state.open.asks.map((id) => askOf(state, id)).at(-1);
    if (newest === undefined || this.#telling) return;
    const others = state.open.asks.length - 1;
    const more = others > 0 ? ` ${say.alsoWaiting(others)}` : '';
    this.#telling = true;
    this.#tell('warning', `${askWords(state, newest)}${more}`, session, () => {
      this.#telling = false;
    });
  }

  #tell(kind: 'info' | 'warning', text: string, session: string, done: () => void = () => undefined): void {
    const { asker, show, onError } = this.#options;
    asker
      .tell(kind, text, say.show())
      .then((choice) => (choice === say.show() ? show(session) : undefined))
      .catch(onError)
      .finally(done);
  }
}

/** Who asks what. The answer is given in the Room, where all of it can be read. */
export function askWords(state: State, ask: Ask): string {
  const name = agentOf(state, ask.agentId)?.name ?? ask.agentId;
  const { about } = ask;
  switch (about.type) {
    case 'permission':
      return permissionWords(name, about);
    case 'question':
      return say.asksQuestion(name, short(headOf(about.text)));
    case 'limit':
      return say.asksLimit(name, about.limit);
    default:
      return never(about);
  }
}

function permissionWords(name: string, about: Extract<AskAbout, { type: 'permission' }>): string {
  const { preview } = about;
  if (preview.type === 'command') return say.asksCommand(name, short(preview.command));
  if (preview.type === 'diff') return say.asksChange(name, preview.path);
  return say.asksTool(name, about.tool);
}

/** The work has ended when the lead's turn has and nobody else's goes on. */
function endWords(
  state: State,
  events: readonly TeamEvent[],
): { readonly kind: 'info' | 'warning'; readonly text: string } | null {
  const ended = events.filter((event) => event.type === 'run.ended').at(-1);
  const lead = leadOf(state);
  if (ended === undefined || lead === undefined || openRuns(state).length > 0) return null;
  if (runOf(state, ended.runId)?.agentId !== lead.id) return null;
  switch (ended.reason) {
    case 'final':
    case 'delivered':
    case 'question':
      return { kind: 'info', text: say.finished(titleOf(state)) };
    case 'stopped':
    case 'waiting':
      return null;
    case 'steps':
    case 'budget':
    case 'error':
      return { kind: 'warning', text: say.failed(titleOf(state), ended.detail ?? ended.reason) };
    default:
      return never(ended.reason);
  }
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
}
