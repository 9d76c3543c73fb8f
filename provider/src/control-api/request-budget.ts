/** How many requests the service lets an account send. */
export interface RequestLimits {
  /** In any 60 seconds, all routes together. */
  readonly perMinute: number;
  /** In any second, on one route. */
  readonly perSecondOnRoute: number;
}

/** What the service states (official API description). */
export const defaultRequestLimits: RequestLimits = { perMinute: 700, perSecondOnRoute: 40 };

interface Waiter {
  readonly route: string;
  readonly isWrite: boolean;
  readonly admit: () => void;
}

const minuteMs = 60_000;
const secondMs = 1_000;
/** How long everyone pauses after a 429 that does not say how long. Milliseconds. */
const unsaidPauseMs = 1_000;

/**
 * The requests that an account may send, shared by all who send any in this process: never more than the limits in any
 * window of time, writes before reads when there are too many, and a pause for all when the service asks for one.
 */
export class RequestBudget {
  readonly #limits: RequestLimits;
  /** When the requests of the latest minute were sent, oldest first. */
  #sent: number[] = [];
  /** The same for each route and the latest second. */
  readonly #sentOnRoute = new Map<string, number[]>();
  #waiters: Waiter[] = [];
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: RequestLimits = defaultRequestLimits) {
    this.#limits = limits;
  }

  /** Resolves when the request may be sent. `route` is the method and the path without its ids. */
  take(route: string, isWrite: boolean): Promise<void> {
    return new Promise((resolve) => {
      const waiter = { route, isWrite, admit: resolve };
      // Behind the last write, before the first read.
      const index = isWrite
        ? this.#waiters.findLastIndex((other) => other.isWrite) + 1
        : this.#waiters.length;
      this.#waiters.splice(index, 0, waiter);
      this.#admitAll();
    });
  }

  /** Nothing is sent for so long: the service has answered 429. */
  pause(retryAfterMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + (retryAfterMs || unsaidPauseMs));
  }

  #admitAll(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    this.#sent = since(now - minuteMs, this.#sent);
    const stillWaiting: Waiter[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) {
      const freeAt = this.#freeAt(waiter.route, now);
      if (freeAt > now) {
        nextAt = Math.min(nextAt, freeAt);
        stillWaiting.push(waiter);
        continue;
      }
      this.#sent.push(now);
      this.#sentOnRoute.set(waiter.route, [...(this.#sentOnRoute.get(waiter.route) ?? []), now]);
      waiter.admit();
    }
    this.#waiters = stillWaiting;
    if (stillWaiting.length > 0) this.#timer = setTimeout(() => this.#admitAll(), nextAt - now);
  }

  /** When a request on the route may be sent, as things stand now. */
  #freeAt(route: string, now: number): number {
    const onRoute = since(now - secondMs, this.#sentOnRoute.get(route) ?? []);
    this.#sentOnRoute.set(route, onRoute);
    return Math.max(
      this.#pausedUntil,
      freeSlotAt(this.#sent, this.#limits.perMinute, minuteMs),
      freeSlotAt(onRoute, this.#limits.perSecondOnRoute, secondMs),
    );
  }
}

function since(start: number, times: readonly number[]): number[] {
  return times.filter((time) => time > start);
}

/** When the window has room for one more: when the oldest of as many as it holds has left it. */
function freeSlotAt(sent: readonly number[], limit: number, windowMs: number): number {
  const oldest = sent.at(-limit);
  return oldest === undefined ? 0 : oldest + windowMs;
}
