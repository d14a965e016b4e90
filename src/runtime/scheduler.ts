import type { SessionId } from '../shared/ids';
import { openRuns } from '../shared/lookup';
import { awaitsJobs } from '../team/jobs';
import { type Startable, startable } from '../team/slots';
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

  /**
   * Whether nothing of the session gets on by itself: all has ended, commands in the background included, or what is
   * left waits for the person, be it for their word on what was interrupted or for slots that are kept by runs which wait for them.
   */
  isAtRest(session: SessionId): boolean {
    const host = this.#hosts.get(session);
    if (host === undefined || !this.#mayRun()) return true;
    const { state } = host.runtime;
    if (host.isReady && awaitsJobs(state)) return false;
    if (openRuns(state).length === 0) return true;
    const hosts = this.#working();
    if (hosts.some((host) => openRuns(host.runtime.state).some((run) => run.phase.status === 'running'))) {
      return false;
    }
    return this.#startable(hosts).length === 0;
  }

  #working(): readonly SessionHost[] {
    return [...this.#hosts.values()].filter((host) => host.holdsSlots);
  }

  #startable(hosts: readonly SessionHost[]): readonly Startable[] {
    const [any] = hosts;
    if (any === undefined) return [];
    const states = hosts.map((host) => host.runtime.state);
    const isHeldBack = ({ session, runId }: Startable) => this.#hosts.get(session)?.mayStart(runId) !== true;
    return startable(states, any.runtime.facts(), isHeldBack);
  }

  #look(): void {
    const hosts = this.#working();
    for (const { session, runId } of this.#startable(hosts)) {
      const host = this.#hosts.get(session);
      // A loop that has just parked its run is still on its way out; its end makes the scheduler look again.
      if (host === undefined || host.isActive(runId)) continue;
      host.runtime.dispatch({ type: 'start_run', runId });
    }
    for (const host of hosts) {
      if (!host.isReady) continue;
      for (const run of openRuns(host.runtime.state)) {
        if (run.phase.status === 'running') host.launch(run.id);
      }
    }
  }
}
