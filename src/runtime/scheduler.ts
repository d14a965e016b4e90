import type { SessionId } from '../shared/ids';
import { openRuns } from '../shared/lookup';
import { startable } from '../team/slots';
import { canGoOn } from './permitting';
import type { SessionHost } from './sessionHost';

/**
 * Starts what may start, over all open sessions of the window, since they share the models' slots. It decides
 * nothing itself: who may start is a pure function of the states, and each start is a command.
 */
export class Scheduler {
  readonly #hosts: ReadonlyMap<SessionId, SessionHost>;
  readonly #mayRun: () => boolean;
  #kicked = false;

  constructor(hosts: ReadonlyMap<SessionId, SessionHost>, mayRun: () => boolean) {
    this.#hosts = hosts;
    this.#mayRun = mayRun;
  }

  /** Looks again soon; many kicks in one turn of the event loop are one look. */
  kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    queueMicrotask(() => {
      this.#kicked = false;
      if (this.#mayRun()) this.#look();
    });
  }

  #look(): void {
    for (const host of this.#hosts.values()) this.#continueAnswered(host);
    const states = [...this.#hosts.values()].map((host) => host.runtime.state);
    const any = this.#hosts.values().next().value;
    if (any === undefined) return;
    for (const { session, runId } of startable(states, any.runtime.facts())) {
      const host = this.#hosts.get(session);
      host?.runtime.dispatch({ type: 'start_run', runId });
    }
    for (const host of this.#hosts.values()) {
      for (const run of openRuns(host.runtime.state)) {
        if (run.phase.status === 'running') host.launch(run.id);
      }
    }
  }

  /** Parked runs whose call has been answered and that kept their slot go on at once. */
  #continueAnswered(host: SessionHost): void {
    if (host.runtime.failure !== null) return;
    for (const run of openRuns(host.runtime.state)) {
      if (run.phase.status !== 'parked' || host.isActive(run.id)) continue;
      if (run.phase.slot === 'kept' && canGoOn(host.runtime.state, run.id)) {
        host.runtime.dispatch({ type: 'continue_run', runId: run.id });
      }
    }
  }
}
