/** Tells the view's parts that something has changed: once per frame at most, however much comes in. */
export class Announcer {
  readonly #listeners = new Set<() => void>();
  #scheduled = false;

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }
}
