/** The longest delay that a timer can hold; a longer one would end at once. Milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

/** The delay as a timer can hold it. Milliseconds. */
export function toTimerMs(delayMs: number): number {
  return Math.min(Math.max(0, delayMs), longestTimerMs);
}

/**
 * A point in time until which something may take. The clock runs from the start, or from `begin` when the deadline
 * is made with `begins: 'later'`: time in a queue is not part of the time that an action may take.
 */
export class Deadline {
  readonly totalMs: number;
  #startedAt: number | undefined;

  constructor(totalMs: number, begins: 'now' | 'later' = 'now') {
    this.totalMs = totalMs;
    if (begins === 'now') this.begin();
  }

  /** Starts the clock, once. */
  begin(): void {
    this.#startedAt ??= Date.now();
  }

  get elapsedMs(): number {
    return this.#startedAt === undefined ? 0 : Date.now() - this.#startedAt;
  }

  get remainingMs(): number {
    return Math.max(0, this.totalMs - this.elapsedMs);
  }

  get hasPassed(): boolean {
    return this.remainingMs === 0;
  }

  /**
   * Resolves like the work, which goes on for its other callers when this deadline comes first.
   * @throws Error `WHAT: no response within N s`
   */
  async bound<Result>(work: Promise<Result>, what: string): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const end = new Promise<never>((_resolve, reject) => {
      const fail = () => reject(new Error(`${what}: no response within ${describeSeconds(this.totalMs)}`));
      timer = setTimeout(fail, toTimerMs(this.remainingMs));
    });
    try {
      return await Promise.race([work, end]);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** `600 s`, `0.3 s`: whole seconds from 1 on. */
export function describeSeconds(durationMs: number): string {
  const seconds = durationMs / 1000;
  return `${seconds < 1 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
}
