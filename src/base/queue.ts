/** Runs asynchronous jobs one after another in the order they were given; a failed job doesn't stop the next. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T> | T): Promise<T> {
    const result = this.#tail.then(job, job);
    this.#tail = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  /** Resolves when everything given so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
