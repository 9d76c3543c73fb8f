import { memoize, sortedLastIndex } from 'lodash';
import { type Deadline, toTimerMs } from './deadline';

export interface RequestLimits {
  /** In any 60 seconds, all routes together. */
  readonly perMinute: number;
  /** In any second, on one route. */
  readonly perSecondOnRoute: number;
}

/** The assumed limits of the service (docs/service.md, "Rate limits"). */
export const defaultRequestLimits: RequestLimits = { perMinute: 700, perSecondOnRoute: 40 };

export interface LimitedRequest {
  /** The method and the path without its ids. */
  readonly route: string;
  /** How long the request may wait. @default without limit */
  readonly deadline?: Deadline | undefined;
  /**
   * Rejects the request if the pause after a 429 has more than this left. Does not limit the wait in the queue. Milliseconds.
   * @default without limit
   */
  readonly longestPauseMs?: number | undefined;
}

/** A request that waits for the rate limiter. */
interface Waiter {
  readonly onRoute: SlidingWindow;
  /** The time of its deadline. */
  readonly expiresAt: number;
  readonly longestPauseMs: number;
  readonly admit: () => void;
  readonly expire: () => void;
}

/** A request whose deadline passed while it waited for the rate limiter, or that was interrupted. It was not sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

/** How long all requests pause after a 429 without Retry-After. Milliseconds. */
const defaultPauseMs = 1_000;
/** The longest random addition to a pause, so that processes don't resume at the same moment. Milliseconds. */
const jitterMs = 1_000;
/** Pauses, and additions to one, that are shorter are not reported. Milliseconds. */
const shortestReportedMs = 5_000;

/**
 * Keeps the requests of this process within the account's limits, in any time window, first come, first served. After a 429, all
 * of them pause: other processes may use the same account.
 */
export class RateLimiter {
  readonly #account: SlidingWindow;
  readonly #windowOf: (route: string) => SlidingWindow;
  readonly #onPause: ((pauseMs: number) => void) | undefined;
  #waiters: Waiter[] = [];
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param onPause called when a 429 makes all requests wait longer */
  constructor(limits: RequestLimits = defaultRequestLimits, onPause?: (pauseMs: number) => void) {
    this.#onPause = onPause;
    this.#account = new SlidingWindow(limits.perMinute, 60_000);
    this.#windowOf = memoize((_route) => new SlidingWindow(limits.perSecondOnRoute, 1_000));
  }

  /** Sends the request as soon as the limits allow. @throws NotSentError when its deadline passes first */
  async send<Response>(limited: LimitedRequest, request: () => Promise<Response>): Promise<Response> {
    const onRoute = this.#windowOf(limited.route);
    await this.#enter(onRoute, limited);
    try {
      return await request();
    } finally {
      this.#account.end();
      onRoute.end();
      this.#admitAll();
    }
  }

  /** Sends nothing for this long, because the service returned 429. */
  backOff(retryAfterMs: number): void {
    const now = performance.now();
    const until = now + (retryAfterMs || defaultPauseMs);
    if (until - Math.max(this.#pausedUntil, now) >= shortestReportedMs) this.#onPause?.(retryAfterMs);
    if (until > this.#pausedUntil) this.#pausedUntil = until + Math.random() * jitterMs;
  }

  /** Sends nothing any more: rejects every request that waits, and every later one. */
  close(): void {
    this.#isClosed = true;
    this.#admitAll();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #enter(
    onRoute: SlidingWindow,
    { deadline, longestPauseMs = Number.POSITIVE_INFINITY }: LimitedRequest,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const expire = () => reject(new NotSentError(this.#describeExpiry()));
      const expiresAt = performance.now() + (deadline?.remainingMs ?? Number.POSITIVE_INFINITY);
      this.#waiters.push({ onRoute, expiresAt, longestPauseMs, admit: resolve, expire });
      this.#admitAll();
    });
  }

  #admitAll(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    let nextAt = Number.POSITIVE_INFINITY;
    this.#waiters = this.#waiters.filter(({ onRoute, expiresAt, longestPauseMs, admit, expire }) => {
      const isTooLong = this.#pausedUntil - now > longestPauseMs;
      if (this.#isClosed || expiresAt <= now || isTooLong) {
        expire();
        return false;
      }
      const freeAt = Math.max(this.#pausedUntil, this.#account.freeAt(now), onRoute.freeAt(now));
      if (freeAt > now) {
        nextAt = Math.min(nextAt, freeAt, expiresAt);
        return true;
      }
      this.#account.begin();
      onRoute.begin();
      admit();
      return false;
    });
    // If only a finished request can make room, `send` calls this again when one finishes.
    if (Number.isFinite(nextAt))
      this.#timer = setTimeout(() => this.#admitAll(), toTimerMs(Math.ceil(nextAt - now)));
  }

  #describeExpiry(): string {
    if (this.#isClosed) return 'not sent: interrupted';
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs <= 0) return 'not sent before the deadline';
    return `not sent: the service returned 429 and asked to wait; ${Math.ceil(pauseMs / 1000)} s remain`;
  }
}

/**
 * Keeps requests within a limit in any time window. The service counts a request when it arrives, at some time between its start
 * and its end. So each request counts until a full window after its end.
 */
class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  #underWay = 0;
  /** When the requests of the last window ended, oldest first. */
  readonly #ended: number[] = [];

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** When there is room for one more request; infinity if a request has to finish first. */
  freeAt(now: number): number {
    this.#ended.splice(0, sortedLastIndex(this.#ended, now - this.#windowMs));
    const used = this.#underWay + this.#ended.length;
    if (used < this.#limit) return now;
    return (this.#ended[used - this.#limit] ?? Number.POSITIVE_INFINITY) + this.#windowMs;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    this.#ended.push(performance.now());
  }
}
