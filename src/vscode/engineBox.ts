import type { Disposable } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Engine, EngineAccess, EngineNotice, LiveUpdate, SessionChange } from '../runtime/engine';
import type { SessionId } from '../shared/ids';

/**
 * Holds the engine of this window. Trust or other folders need another one; who listens here goes on listening.
 */
export class EngineBox implements Disposable {
  readonly #make: () => Promise<Engine>;
  readonly #changes: Emitter<SessionChange>;
  readonly #live: Emitter<LiveUpdate>;
  readonly #notices: Emitter<EngineNotice>;
  readonly #access: Emitter<EngineAccess>;
  readonly #deletions: Emitter<SessionId>;
  #engine: Engine;
  #subscriptions: readonly Disposable[];

  private constructor(engine: Engine, make: () => Promise<Engine>, onError: (error: unknown) => void) {
    this.#make = make;
    this.#engine = engine;
    this.#changes = new Emitter(onError);
    this.#live = new Emitter(onError);
    this.#notices = new Emitter(onError);
    this.#access = new Emitter(onError);
    this.#deletions = new Emitter(onError);
    this.#subscriptions = this.#listen(engine);
  }

  static async open(make: () => Promise<Engine>, onError: (error: unknown) => void): Promise<EngineBox> {
    return new EngineBox(await make(), make, onError);
  }

  get engine(): Engine {
    return this.#engine;
  }

  readonly onDidChange = (listener: (change: SessionChange) => void) => this.#changes.event(listener);
  readonly onLive = (listener: (update: LiveUpdate) => void) => this.#live.event(listener);
  readonly onNotice = (listener: (notice: EngineNotice) => void) => this.#notices.event(listener);
  readonly onDidDelete = (listener: (session: SessionId) => void) => this.#deletions.event(listener);
  /** Also fired when another engine has taken the place of this one. */
  readonly onDidChangeAccess = (listener: (access: EngineAccess) => void) => this.#access.event(listener);

  /** Ends the engine and makes another; the old one has given everything back before the new one begins. */
  async replace(): Promise<void> {
    await this.#close();
    this.#engine = await this.#make();
    this.#subscriptions = this.#listen(this.#engine);
    this.#access.fire(this.#engine.access);
  }

  dispose(): void {
    const emitters = [this.#changes, this.#live, this.#notices, this.#access, this.#deletions];
    for (const emitter of emitters) emitter.dispose();
  }

  /** Ends the engine: checkpoint, lease. */
  async close(): Promise<void> {
    await this.#close();
    this.dispose();
  }

  async #close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#subscriptions = [];
    await this.#engine.dispose();
  }

  #listen(engine: Engine): readonly Disposable[] {
    return [
      engine.onDidChange((change) => this.#changes.fire(change)),
      engine.onLive((update) => this.#live.fire(update)),
      engine.onNotice((notice) => this.#notices.fire(notice)),
      engine.onDidDelete((session) => this.#deletions.fire(session)),
      engine.onDidChangeAccess((access) => this.#access.fire(access)),
    ];
  }
}
