export interface Disposable {
  dispose(): void;
}

/** Owns disposables; a late arrival is disposed at once, so nothing outlives its owner. */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Disposes in reverse order of adding. Every item is disposed even if one throws; the first error is rethrown. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const errors: unknown[] = [];
    for (const item of [...this.#items].reverse()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#items.clear();
    if (errors.length > 0) throw errors[0];
  }
}

export const toDisposable = (dispose: () => void): Disposable => ({ dispose });
