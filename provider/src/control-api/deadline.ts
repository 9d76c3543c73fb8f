/** The longest delay of a timer: Node.js fires a longer one at once. Milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

/** How long reads may take beyond the deadline of their action. Milliseconds. */
const extraReadMs = 5_000;

/** The delay, limited to what a timer accepts. Milliseconds. */
export function toTimerMs(delayMs: number): number {
  return Math.min(Math.max(0, delayMs), longestTimerMs);
}

/**
 * Limits how long an action may take. The clock starts at once, or with `begin` for a deadline made with
 * `begins: 'later'`: time in a queue does not count. A deadline with a signal also passes when that is aborted: when the
 * user interrupts the run. Its clock is monotonic: a change of the system's time does not move it.
 */
export class Deadline {
  readonly totalMs: number;
  readonly #signal: AbortSignal | undefined;
  #startedAt: number | undefined;

  constructor(totalMs: number, begins: 'now' | 'later' = 'now', signal?: AbortSignal) {
    this.totalMs = totalMs;
    this.#signal = signal;
    if (begins === 'now') this.begin();
  }

  /** Starts the clock, once. */
  begin(): void {
    this.#startedAt ??= performance.now();
  }

  get hasBegun(): boolean {
    return this.#startedAt !== undefined;
  }

  get elapsedMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
  }

  /** Whether the user has interrupted the run. */
  get isInterrupted(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Whole milliseconds, rounded down: Node.js may fire a timer up to 1 ms early. */
  get remainingMs(): number {
    return this.isInterrupted ? 0 : Math.max(0, Math.floor(this.totalMs - this.elapsedMs));
  }

  get hasPassed(): boolean {
    return this.remainingMs === 0;
  }

  /** A deadline of its own length that the same interruption ends. */
  next(totalMs: number): Deadline {
    return new Deadline(totalMs, 'now', this.#signal);
  }

  /** Like `next`, but it ends with this one at the latest. */
  within(totalMs: number): Deadline {
    return this.next(Math.max(0, Math.min(totalMs, this.remainingMs)));
  }

  /** For the reads at the end of an action, which may take a little longer, so that the state records what is unfinished. */
  forReads(): Deadline {
    return this.next(this.remainingMs + extraReadMs);
  }

  /** Resolves after the delay, at the latest at the deadline. */
  async pause(delayMs: number): Promise<void> {
    await pause(Math.min(delayMs, this.remainingMs), this.#signal);
  }

  /** Calls back at the deadline, once. Returns a function that prevents it. */
  onEnd(callBack: () => void): () => void {
    const end = () => {
      cancel();
      callBack();
    };
    const timer = setTimeout(end, toTimerMs(this.remainingMs));
    const cancel = () => {
      clearTimeout(timer);
      this.#signal?.removeEventListener('abort', end);
    };
    this.#signal?.addEventListener('abort', end);
    return cancel;
  }

  /**
   * Resolves like the work, or rejects at the deadline. The work then continues for its other callers.
   * @throws Error `WHAT: no response within N s`, or `WHAT: interrupted`
   */
  async bound<Result>(work: Promise<Result>, what: string): Promise<Result> {
    let cancel = () => {};
    const end = new Promise<never>((_resolve, reject) => {
      cancel = this.onEnd(() => {
        const why = this.isInterrupted
          ? 'interrupted'
          : `no response within ${describeSeconds(this.totalMs)}`;
        reject(new Error(`${what}: ${why}`));
      });
    });
    try {
      return await Promise.race([work, end]);
    } finally {
      cancel();
    }
  }
}

/** Resolves after the delay, or when the signal is aborted. */
export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    new Deadline(delayMs, 'now', signal).onEnd(resolve);
  });
}

/** `600 s`, `0.3 s`: whole seconds from 1 second up. */
export function describeSeconds(durationMs: number): string {
  const seconds = durationMs / 1000;
  return `${seconds < 1 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
}
