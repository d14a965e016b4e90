import type { AgentId } from '../src/shared/ids';
import type { Act, HostToView, ListName, ViewToHost } from '../src/shared/protocol';

/** What the view remembers while it is hidden; the host is asked for everything else. */
export interface Remembered {
  readonly tab: ListName;
  readonly filter: AgentId | null;
  /** Unsent text by session. */
  readonly drafts: Readonly<Record<string, string>>;
  /** Where each list stood: the first row in sight and how far it was scrolled; null: at its newest end. */
  readonly places: Readonly<Partial<Record<ListName, Place | null>>>;
}

export interface Place {
  readonly key: string;
  readonly offset: number;
}

interface VsCodeApi {
  postMessage(message: ViewToHost): void;
  getState(): unknown;
  setState(state: Remembered): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const nothing: Remembered = { tab: 'room', filter: null, drafts: {}, places: {} };

/** The way to the host. Acts are numbered, so that their answers find back. */
export class Host {
  readonly #api = acquireVsCodeApi();
  readonly #waiting = new Map<number, (ok: boolean, words: string) => void>();
  #acts = 0;
  #remembered: Remembered;
  #saving: number | null = null;

  constructor() {
    const saved = this.#api.getState();
    this.#remembered = isRemembered(saved) ? saved : nothing;
  }

  post(message: ViewToHost): void {
    this.#api.postMessage(message);
  }

  /** Resolves when the host has answered; `words` says why not, or what else is to be known. */
  act(what: Act): Promise<{ readonly ok: boolean; readonly words: string }> {
    this.#acts += 1;
    const act = this.#acts;
    return new Promise((resolve) => {
      this.#waiting.set(act, (ok, words) => resolve({ ok, words }));
      this.post({ type: 'act', act, what });
    });
  }

  acted(message: Extract<HostToView, { type: 'acted' }>): void {
    this.#waiting.get(message.act)?.(message.ok, message.words);
    this.#waiting.delete(message.act);
  }

  get remembered(): Remembered {
    return this.#remembered;
  }

  /** Kept soon, not at each key: the editor stores it every time. */
  remember(change: Partial<Remembered>): void {
    this.#remembered = { ...this.#remembered, ...change };
    if (this.#saving !== null) return;
    this.#saving = window.setTimeout(() => {
      this.#saving = null;
      this.#api.setState(this.#remembered);
    }, 150);
  }
}

/** Written by an earlier version, perhaps: taken only as a whole. */
function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== 'object' || value === null) return false;
  const { tab, filter, drafts, places } = value as Record<keyof Remembered, unknown>;
  const isRecord = (each: unknown) => typeof each === 'object' && each !== null;
  return (
    (tab === 'room' || tab === 'tree' || tab === 'changes') &&
    (filter === null || typeof filter === 'string') &&
    isRecord(drafts) &&
    isRecord(places)
  );
}
