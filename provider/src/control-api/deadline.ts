/** The longest delay of a timer: Node.js fires a longer one at once. Milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

/** The delay, limited to what a timer accepts. Milliseconds. */
export function toTimerMs(delayMs: number): number {
  return Math.min(Math.max(0, delayMs), longestTimerMs);
}

/**
 * Limits how long an action may take. The clock starts at once, or with `begin` for a deadline made with
 * `begins: 'later'`: time in a queue does not count.
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
   * Resolves like the work, or rejects at the deadline. The work then continues for its other callers.
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

/** `600 s`, `0.3 s`: whole seconds from 1 second up. */
export function describeSeconds(durationMs: number): string {
  const seconds = durationMs / 1000;
  return `${seconds < 1 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
}
