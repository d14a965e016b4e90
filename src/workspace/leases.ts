import type { Actor, PathProblem, PlacedPath } from './port';
import { nameFor } from './seen';

/** A file written by a running agent is leased to it until its run ends: nobody else writes it meanwhile. */
export class Leases {
  readonly #holders = new Map<string, Actor>();

  /** Who else holds the file; null if it is free or the actor's own. */
  heldByOther(real: string, actor: Actor): Actor | null {
    const holder = this.#holders.get(real);
    if (holder === undefined) return null;
    return holder.session === actor.session && holder.agent === actor.agent ? null : holder;
  }

  take(real: string, actor: Actor): void {
    this.#holders.set(real, actor);
  }

  /** Ends what this run holds. */
  release(actor: Actor): void {
    for (const [real, holder] of this.#holders) {
      if (holder.session === actor.session && holder.run === actor.run) this.#holders.delete(real);
    }
  }
}

export function leasedProblem(path: PlacedPath, holder: Actor, actor: Actor): PathProblem {
  const elsewhere = holder.session !== actor.session;
  return { code: 'leased', path: path.shown, to: nameFor(holder, actor), elsewhere };
}
