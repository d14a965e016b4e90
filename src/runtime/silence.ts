import type { Disposable } from '../base/disposable';
import type { Clock } from '../base/timeSource';

const MINUTE_MS = 60_000;

/** Tells, minute by minute, how long nothing has been heard of what a run waits for: its model, or a command. */
export class Silence implements Disposable {
  readonly #clock: Clock;
  readonly #tell: (minutes: number) => void;
  readonly #over: () => void;
  #timer: Disposable | null = null;
  #minutes = 0;

  /** @param over what was told is no longer so */
  constructor(clock: Clock, tell: (minutes: number) => void, over: () => void) {
    this.#clock = clock;
    this.#tell = tell;
    this.#over = over;
  }

  /** Something begins that may be silent, or was just heard. */
  heard(): void {
    this.dispose();
    this.#arm();
  }

  /** Nothing is waited for any more. */
  dispose(): void {
    this.#timer?.dispose();
    this.#timer = null;
    if (this.#minutes === 0) return;
    this.#minutes = 0;
    this.#over();
  }

  #arm(): void {
    this.#timer = this.#clock.after(MINUTE_MS, () => {
      this.#minutes += 1;
      this.#tell(this.#minutes);
      this.#arm();
    });
  }
}
