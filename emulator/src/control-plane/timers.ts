/** Timers that stop together. None of them keeps the process running. */
export class Timers {
  readonly #cancels = new Set<() => void>();

  /** Runs the action after the delay, or in the next turn of the event loop when the delay is 0. */
  schedule(delayMs: number, action: () => void): void {
    const run = (): void => {
      this.#cancels.delete(cancel);
      action();
    };
    const timer = delayMs === 0 ? undefined : setTimeout(run, delayMs).unref();
    const immediate = delayMs === 0 ? setImmediate(run) : undefined;
    const cancel = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
    this.#cancels.add(cancel);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }
}
