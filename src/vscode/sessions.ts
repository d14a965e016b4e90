import type { Disposable } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Result } from '../base/result';
import type { EngineProblem } from '../runtime/engine';
import type { TeamEvent } from '../shared/events';
import type { SessionId } from '../shared/ids';
import type { State } from '../shared/state';
import type { SessionListing } from '../store/port';
import type { EngineBox } from './engineBox';

/** Remembers which session the person looked at last, in this workspace. */
export interface Memory {
  get(key: string): string | undefined;
  update(key: string, value: string | undefined): Thenable<void>;
}

const CURRENT = 'session';

export interface OpenSession {
  readonly id: SessionId;
  readonly state: State;
}

/** The workspace's sessions as the views need them: which there are, which are in memory, which one is looked at. */
export class Sessions implements Disposable {
  readonly #box: EngineBox;
  readonly #memory: Memory;
  readonly #changed: Emitter<void>;
  readonly #subscriptions: readonly Disposable[];
  #listings: readonly SessionListing[] = [];
  #current: SessionId | null = null;

  constructor(box: EngineBox, memory: Memory, onError: (error: unknown) => void) {
    this.#box = box;
    this.#memory = memory;
    this.#changed = new Emitter(onError);
    this.#subscriptions = [
      box.onDidChange((change) => {
        const isNew = !this.#listings.some((listing) => listing.id === change.session);
        const isOther = ({ type }: TeamEvent) => type === 'session.renamed' || type === 'session.archived';
        if (isNew || change.events.some(isOther)) this.#refresh(onError);
      }),
      box.onDidDelete((session) => this.#forget(session, onError)),
    ];
  }

  /** Another session came, went, got another title, or is looked at. */
  readonly onDidChange = (listener: () => void) => this.#changed.event(listener);

  /** Reads the list and loads what has unfinished work and what was looked at last. Starts nothing. */
  async load(): Promise<readonly EngineProblem[]> {
    this.#listings = await this.#read();
    const remembered = this.#memory.get(CURRENT);
    const shown = this.listings;
    const last = shown.find((listing) => listing.id === remembered) ?? shown.at(0);
    const wanted = this.#listings.filter((listing) => listing.open || listing === last);
    const problems: EngineProblem[] = [];
    for (const listing of wanted) {
      const opened = await this.#box.engine.open(listing.id as SessionId);
      if (!opened.ok) problems.push(opened.error);
    }
    const current = wanted.find(
      (listing) => listing === last && this.state(listing.id as SessionId) !== null,
    );
    this.#current = (current?.id ?? this.open().at(0)?.id ?? null) as SessionId | null;
    this.#changed.fire();
    return problems;
  }

  /** Those of the workspace that are not put away, newest first. */
  get listings(): readonly SessionListing[] {
    return this.#listings.filter((listing) => listing.archived !== true);
  }

  /** Those that were put away, newest first. */
  get archived(): readonly SessionListing[] {
    return this.#listings.filter((listing) => listing.archived === true);
  }

  /** Sessions in memory that are not put away, newest first. */
  open(): readonly OpenSession[] {
    const { engine } = this.#box;
    const open = engine.sessions().flatMap((id) => {
      const state = engine.state(id);
      return state === null || state.session?.archived === true ? [] : [{ id, state }];
    });
    return open.sort((a, b) => createdAt(b) - createdAt(a));
  }

  state(session: SessionId): State | null {
    return this.#box.engine.state(session);
  }

  /** What the person looks at; null: there is none yet. */
  get current(): SessionId | null {
    return this.#current;
  }

  /** Loads a session if it isn't yet, and makes it the one that is looked at. */
  async look(session: SessionId): Promise<Result<State, EngineProblem>> {
    const opened = await this.#box.engine.open(session);
    if (!opened.ok) return opened;
    if (!this.#listings.some((listing) => listing.id === session)) this.#listings = await this.#read();
    this.#current = session;
    await this.#memory.update(CURRENT, session);
    this.#changed.fire();
    return opened;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #forget(session: SessionId, onError: (error: unknown) => void): void {
    this.#listings = this.#listings.filter((listing) => listing.id !== session);
    if (this.#current === session) this.#leave(onError);
    this.#changed.fire();
  }

  /** What was looked at gives its place to the newest that is in memory. */
  #leave(onError: (error: unknown) => void): void {
    this.#current = this.open().at(0)?.id ?? null;
    this.#memory.update(CURRENT, this.#current ?? undefined).then(undefined, onError);
  }

  #refresh(onError: (error: unknown) => void): void {
    this.#read().then((listings) => {
      this.#listings = listings;
      if (this.archived.some((listing) => listing.id === this.#current)) this.#leave(onError);
      this.#changed.fire();
    }, onError);
  }

  async #read(): Promise<readonly SessionListing[]> {
    const listings = await this.#box.engine.listings();
    return listings.toSorted((a, b) => b.createdAt - a.createdAt);
  }
}

const createdAt = (session: OpenSession): number => session.state.session?.createdAt ?? 0;

/** The title, or the beginning of what it was about; never empty. */
export const titleOf = (state: State): string => state.session?.title.trim() || (state.session?.id ?? '');
