/**
 * A point in time until which something may take. The clock runs from the start, or from `begin` when the deadline
 * is made with `begins: 'later'`: waiting in line is not part of the time that an action may take.
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
}
