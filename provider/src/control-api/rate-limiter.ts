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

/** A request that waits for the rate limiter. */
interface Waiter {
  readonly onRoute: SlidingWindow;
  readonly isWrite: boolean;
  /** The time of its deadline. Local time. */
  readonly expiresAt: number;
  readonly admit: () => void;
  readonly expire: () => void;
}

export interface LimitedRequest {
  /** The method and the path without its ids. */
  readonly route: string;
  readonly isWrite: boolean;
  /** How long the request may wait. @default without limit */
  readonly deadline?: Deadline | undefined;
}

/** A request whose deadline passed while it waited for the rate limiter, or that was interrupted. It was not sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

const minuteMs = 60_000;
const secondMs = 1_000;
/** How long all requests pause after a 429 without Retry-After. Milliseconds. */
const defaultPauseMs = 1_000;

/**
 * Keeps the requests of this process within the account's limits, in any time window. Queued writes go before queued
 * reads. After a 429, all requests pause.
 */
export class RateLimiter {
  readonly #account: SlidingWindow;
  readonly #windowOf: (route: string) => SlidingWindow;
  #waiters: Waiter[] = [];
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(limits: RequestLimits = defaultRequestLimits) {
    this.#account = new SlidingWindow(limits.perMinute, minuteMs);
    this.#windowOf = memoize((_route) => new SlidingWindow(limits.perSecondOnRoute, secondMs));
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
  pause(retryAfterMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + (retryAfterMs || defaultPauseMs));
  }

  /** Sends nothing any more: rejects every request that waits, and every later one. */
  close(): void {
    this.#isClosed = true;
    this.#admitAll();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #enter(onRoute: SlidingWindow, { isWrite, deadline }: LimitedRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      const expire = () => reject(new NotSentError(this.#describeExpiry()));
      const expiresAt = Date.now() + (deadline?.remainingMs ?? Number.POSITIVE_INFINITY);
      const waiter = { onRoute, isWrite, expiresAt, admit: resolve, expire };
      // Behind the last write, before the first read.
      const index = isWrite
        ? this.#waiters.findLastIndex((other) => other.isWrite) + 1
        : this.#waiters.length;
      this.#waiters.splice(index, 0, waiter);
      this.#admitAll();
    });
  }

  #admitAll(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    const stillWaiting: Waiter[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) {
      const { onRoute } = waiter;
      const freeAt = Math.max(this.#pausedUntil, this.#account.freeAt(now), onRoute.freeAt(now));
      if (this.#isClosed || waiter.expiresAt <= now) {
        waiter.expire();
      } else if (freeAt <= now) {
        this.#account.begin();
        onRoute.begin();
        waiter.admit();
      } else {
        nextAt = Math.min(nextAt, freeAt, waiter.expiresAt);
        stillWaiting.push(waiter);
      }
    }
    this.#waiters = stillWaiting;
    // If only a finished request can make room, `send` calls this again when one finishes.
    if (Number.isFinite(nextAt)) this.#timer = setTimeout(() => this.#admitAll(), toTimerMs(nextAt - now));
  }

  #describeExpiry(): string {
    if (this.#isClosed) return 'not sent: interrupted';
    const pauseMs = this.#pausedUntil - Date.now();
    if (pauseMs <= 0) return 'not sent before the deadline';
    return `not sent: the service returned 429 and asked to wait; ${Math.ceil(pauseMs / 1000)} s remain`;
  }
}

/**
 * Keeps requests within a limit in any time window. The service counts a request when it arrives, at some time between
 * its start and its end. So each request counts until a full window after its end.
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
    const overLimit = this.#underWay + this.#ended.length - this.#limit;
    if (overLimit < 0) return 0;
    const oldest = this.#ended[overLimit];
    return oldest === undefined ? Number.POSITIVE_INFINITY : oldest + this.#windowMs;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    this.#ended.push(Date.now());
  }
}
