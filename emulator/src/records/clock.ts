/**
 * Timestamps in microseconds, each later than the previous one. Two operations never share a `created_at`, so it can
 * serve as a page cursor that neither skips nor repeats an operation.
 */
export class Clock {
  /** The system's time, which can be set back. An expiry goes by it. */
  readonly nowMs: () => number;
  #lastMicros = 0;

  constructor(nowMs: () => number = () => Date.now()) {
    this.nowMs = nowMs;
  }

  /** The current time in microseconds since 1970, later than every earlier result. */
  nextMicros(): number {
    this.#lastMicros = Math.max(this.nowMs() * 1000, this.#lastMicros + 1);
    return this.#lastMicros;
  }

  /** Continues after the millisecond of a timestamp of an earlier clock, even if the system clock has been set back since. */
  startAfter(timestamp: string): void {
    this.#lastMicros = Math.max(this.#lastMicros, (Date.parse(timestamp) + 1) * 1000);
  }

  now(): string {
    return toTimestamp(this.nextMicros());
  }
}

/** `2026-01-31T08:00:00.123456Z` */
export function toTimestamp(micros: number): string {
  const milliseconds = new Date(Math.floor(micros / 1000)).toISOString().slice(0, -1);
  return `${milliseconds}${String(micros % 1000).padStart(3, '0')}Z`;
}

/** Two of these are in the order of their times. */
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
