import { clockTime, elapsed, timeLeft } from '../src/shared/project/words';

const shown = new Set<TimeSince>();
let ticking: number | null = null;

function tick(): void {
  for (const each of shown) each.update();
}

/**
 * `<time-since since="…" ahead="…" more="…">`: how long ago, in the host's time, counted up each second without
 * drawing anything else again. `more` is added (active time of before).
 */
export class TimeSince extends HTMLElement {
  static readonly observedAttributes = ['since', 'ahead', 'more'];

  connectedCallback(): void {
    shown.add(this);
    this.update();
    ticking ??= window.setInterval(tick, 1000);
  }

  disconnectedCallback(): void {
    shown.delete(this);
    if (shown.size > 0 || ticking === null) return;
    window.clearInterval(ticking);
    ticking = null;
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.update();
  }

  update(): void {
    const read = (name: string) => Number(this.getAttribute(name) ?? 0);
    const text = elapsed(Date.now() + read('ahead') - read('since') + read('more'));
    if (this.textContent !== text) this.textContent = text;
  }
}

export const clock = (at: number): string => clockTime(at, Date.now());

/** `<time-left until="…" ahead="…">`: counts down to a moment of the host's clock. */
export class TimeLeft extends TimeSince {
  static override readonly observedAttributes = ['until', 'ahead'];

  override update(): void {
    const read = (name: string) => Number(this.getAttribute(name) ?? 0);
    const text = timeLeft(read('until'), Date.now() + read('ahead'));
    if (this.textContent !== text) this.textContent = text;
  }
}
