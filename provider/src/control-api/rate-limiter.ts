import { sortedLastIndex } from 'lodash';
import { type Deadline, toTimerMs } from './deadline';

/** How many requests the service lets an account send. */
export interface RequestLimits {
  /** In any 60 seconds, all routes together. */
  readonly perMinute: number;
  /** In any second, on one route. */
  readonly perSecondOnRoute: number;
}

/** What the service states (official API description). */
export const defaultRequestLimits: RequestLimits = { perMinute: 700, perSecondOnRoute: 40 };

/** A request that waits for the rate limiter. */
interface Waiter {
  readonly onRoute: SlidingWindow;
  readonly isWrite: boolean;
  /** When its deadline passes. Local time. */
  readonly expiresAt: number;
  readonly admit: () => void;
  readonly expire: () => void;
}

export interface LimitedRequest {
  /** The method and the path without its ids. */
  readonly route: string;
  readonly isWrite: boolean;
  /** Until when the request may wait; absent: without an end. */
  readonly deadline?: Deadline | undefined;
}

/** A request that was not sent: its deadline passed while it waited for the rate limiter. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

const minuteMs = 60_000;
const secondMs = 1_000;
/** How long every request pauses after a 429 without Retry-After. Milliseconds. */
const defaultPauseMs = 1_000;

/**
 * Keeps the requests of this process below the limits of the account, in any window of time: writes go before reads
 * when there are too many, and all requests pause when the service asks for it.
 */
export class RateLimiter {
  readonly #limits: RequestLimits;
  readonly #account: SlidingWindow;
  readonly #routes = new Map<string, SlidingWindow>();
  #waiters: Waiter[] = [];
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: RequestLimits = defaultRequestLimits) {
    this.#limits = limits;
    this.#account = new SlidingWindow(limits.perMinute, minuteMs);
  }

  /** Sends the request as soon as it may go out. @throws NotSentError when its deadline passes before */
  async send<Response>(limited: LimitedRequest, request: () => Promise<Response>): Promise<Response> {
    const onRoute = this.#window(limited.route);
    await this.#enter(onRoute, limited);
    try {
      return await request();
    } finally {
      this.#account.end();
      onRoute.end();
      this.#admitAll();
    }
  }

  /** Sends nothing for so long: the service has answered 429. */
  pause(retryAfterMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + (retryAfterMs || defaultPauseMs));
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
      if (waiter.expiresAt <= now) {
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
    // Where only the end of a request makes room, that end calls again.
    if (Number.isFinite(nextAt)) this.#timer = setTimeout(() => this.#admitAll(), toTimerMs(nextAt - now));
  }

  #describeExpiry(): string {
    const pauseMs = this.#pausedUntil - Date.now();
    if (pauseMs <= 0) return 'not sent before the deadline';
    return `not sent: the service asked to wait (429), for another ${Math.ceil(pauseMs / 1000)} s`;
  }

  #window(route: string): SlidingWindow {
    const known = this.#routes.get(route);
    if (known) return known;
    const window = new SlidingWindow(this.#limits.perSecondOnRoute, secondMs);
    this.#routes.set(route, window);
    return window;
  }
}

/**
 * Keeps requests below a limit in any window of time, as the service counts them: when they arrive there. That is at
 * some time between a request's start and its end, so it keeps its place until the window has passed since its end.
 */
class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  #underWay = 0;
  /** When the requests of the latest window ended, oldest first. */
  readonly #ended: number[] = [];

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** When there is room for one more, as things stand now; infinity when that takes the end of a request. */
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
