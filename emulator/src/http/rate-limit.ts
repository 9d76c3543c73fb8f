const WINDOW_MS = 60_000;

/** At most so many requests in any 60 seconds; refused requests do not count. */
export class RateLimit {
  readonly #requestsPerMinute: number;
  readonly #acceptedMs: number[] = [];

  /** 0 means no limit. */
  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  /** Accepts a request (0), or says after how many seconds there is room again. */
  take(): number {
    if (this.#requestsPerMinute === 0) return 0;
    const nowMs = Date.now();
    while (this.#acceptedMs[0] !== undefined && this.#acceptedMs[0] <= nowMs - WINDOW_MS)
      this.#acceptedMs.shift();
    const [oldestMs] = this.#acceptedMs;
    if (oldestMs === undefined || this.#acceptedMs.length < this.#requestsPerMinute) {
      this.#acceptedMs.push(nowMs);
      return 0;
    }
    return Math.max(1, Math.ceil((oldestMs + WINDOW_MS - nowMs) / 1000));
  }
}
