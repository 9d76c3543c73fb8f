import { compact, memoize, partition, zip } from 'lodash';
import { type Deadline, toTimerMs } from './deadline';
import { ResponseTimes } from './response-times';
import { SlidingWindow } from './sliding-window';

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
  /** When it began to wait. */
  readonly since: number;
  /** The time of its deadline. */
  readonly expiresAt: number;
  readonly longestPauseMs: number;
  readonly admit: () => void;
  readonly expire: () => void;
}

export interface LimitedRequest {
  /** The method and the path without its ids. */
  readonly route: string;
  readonly isWrite: boolean;
  /** How long the request may wait. @default without limit */
  readonly deadline?: Deadline | undefined;
  /**
   * Rejects the request if the pause after a 429 has more than this left. Does not limit the wait in the queue. Milliseconds.
   * @default without limit
   */
  readonly longestPauseMs?: number | undefined;
}

/** A request whose deadline passed while it waited for the rate limiter, or that was interrupted. It was not sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

const minuteMs = 60_000;
const secondMs = 1_000;
/** How long all requests pause after a 429 without Retry-After. Milliseconds. */
const defaultPauseMs = 1_000;
/** How long a queued read lets every write go first. Milliseconds. */
const longestYieldMs = 10_000;
/** The longest random addition to a pause, so that processes don't resume at the same moment. Milliseconds. */
const jitterMs = 1_000;
/** How long after a pause the share is not cut again: requests sent before the pause may still be refused. Milliseconds. */
const graceMs = 2_000;
/** The minimum share after the first 429, as a part of the limit. A longer pause lowers it, to 0 for a pause of a minute. */
const firstShare = 0.15;
/** What slow responses leave a process, as a part of the limit. They may have other causes than too many requests. */
const leastShareOfSlow = 0.5;

/**
 * Keeps the requests of this process within the account's limits, in any time window. Queued writes go before reads queued for
 * less than 10 s, and take turns with the others: a write may wait for what a read shows. After a 429, all requests pause.
 * The process starts with the whole limit, sends less after each 429 and when responses become slow, and more as time passes
 * without either: other processes may use the same account. Its clock is monotonic, so a change of the system's time does not
 * stop it.
 */
export class RateLimiter {
  readonly #account: SlidingWindow;
  readonly #windowOf: (route: string) => SlidingWindow;
  readonly #timesOf = memoize((_route: string) => new ResponseTimes());
  #waiters: Waiter[] = [];
  #pausedUntil = 0;
  #nextCutAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasReadLast = false;
  #isClosed = false;

  constructor(limits: RequestLimits = defaultRequestLimits) {
    this.#account = new SlidingWindow(limits.perMinute, minuteMs);
    this.#windowOf = memoize((_route) => new SlidingWindow(limits.perSecondOnRoute, secondMs));
  }

  /** Sends the request as soon as the limits allow. @throws NotSentError when its deadline passes first */
  async send<Response>(limited: LimitedRequest, request: () => Promise<Response>): Promise<Response> {
    const onRoute = this.#windowOf(limited.route);
    await this.#enter(onRoute, limited);
    const sentAt = performance.now();
    try {
      const response = await request();
      // Failures are no measure: a refusal is fast, and a time-out may concern one request.
      const areSlow = this.#timesOf(limited.route).note(performance.now() - sentAt);
      if (areSlow) this.#share(0, leastShareOfSlow, leastShareOfSlow);
      return response;
    } finally {
      this.#account.end();
      onRoute.end();
      this.#admitAll();
    }
  }

  /** Sends nothing for this long, because the service returned 429, and then less than before. */
  backOff(retryAfterMs: number): void {
    const pauseMs = retryAfterMs || defaultPauseMs;
    const until = performance.now() + pauseMs;
    if (until > this.#pausedUntil) this.#pausedUntil = until + Math.random() * jitterMs;
    // The longer the wait, the faster the limit was used up, and the better is the share known.
    this.#share(pauseMs, firstShare * Math.max(0, 1 - pauseMs / minuteMs));
  }

  /** Sends nothing any more: rejects every request that waits, and every later one. */
  close(): void {
    this.#isClosed = true;
    this.#admitAll();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** At most once for all requests that were under way at one time. */
  #share(waitMs: number, first: number, least?: number): void {
    const now = performance.now();
    if (now < this.#nextCutAt) return;
    this.#account.cut(waitMs, first, least);
    this.#nextCutAt = now + waitMs + graceMs;
  }

  #enter(onRoute: SlidingWindow, limited: LimitedRequest): Promise<void> {
    const { isWrite, deadline, longestPauseMs = Number.POSITIVE_INFINITY } = limited;
    return new Promise((resolve, reject) => {
      const expire = () => reject(new NotSentError(this.#describeExpiry()));
      const expiresAt = performance.now() + (deadline?.remainingMs ?? Number.POSITIVE_INFINITY);
      const since = performance.now();
      this.#waiters.push({ onRoute, isWrite, since, expiresAt, longestPauseMs, admit: resolve, expire });
      this.#admitAll();
    });
  }

  /** The waiters in the order of their turns. */
  #inTurn(now: number): Waiter[] {
    if (this.#waiters.length < 2) return this.#waiters;
    const [writes, reads] = partition(this.#waiters, ({ isWrite }) => isWrite);
    const [due, recent] = partition(reads, ({ since }) => now - since >= longestYieldMs);
    const both = this.#hasReadLast ? zip(writes, due) : zip(due, writes);
    return [...compact(both.flat()), ...recent];
  }

  #admitAll(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const stillWaiting: Waiter[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    for (const waiter of this.#inTurn(now)) {
      const { onRoute, isWrite } = waiter;
      const freeAt = Math.max(this.#pausedUntil, this.#account.freeAt(now), onRoute.freeAt(now));
      const isTooLong = this.#pausedUntil - now > waiter.longestPauseMs;
      if (this.#isClosed || waiter.expiresAt <= now || isTooLong) {
        waiter.expire();
      } else if (freeAt <= now) {
        this.#account.begin();
        onRoute.begin();
        this.#hasReadLast = !isWrite;
        waiter.admit();
      } else {
        nextAt = Math.min(nextAt, freeAt, waiter.expiresAt);
        stillWaiting.push(waiter);
      }
    }
    this.#waiters = stillWaiting;
    // If only a finished request can make room, `send` calls this again when one finishes.
    if (!Number.isFinite(nextAt)) return;
    this.#timer = setTimeout(() => this.#admitAll(), toTimerMs(Math.ceil(nextAt - now)));
  }

  #describeExpiry(): string {
    if (this.#isClosed) return 'not sent: interrupted';
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs <= 0) return 'not sent before the deadline';
    return `not sent: the service returned 429 and asked to wait; ${Math.ceil(pauseMs / 1000)} s remain`;
  }
}
