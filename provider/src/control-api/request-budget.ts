import { sortedLastIndex } from 'lodash';

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
  readonly onRoute: RequestWindow;
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
  readonly #account: RequestWindow;
  readonly #routes = new Map<string, RequestWindow>();
  #waiters: Waiter[] = [];
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: RequestLimits = defaultRequestLimits) {
    this.#limits = limits;
    this.#account = new RequestWindow(limits.perMinute, minuteMs);
  }

  /** Sends the request as soon as it may go out. `route` is the method and the path without its ids. */
  async send<Answer>(route: string, isWrite: boolean, request: () => Promise<Answer>): Promise<Answer> {
    const onRoute = this.#window(route);
    await this.#enter(onRoute, isWrite);
    try {
      return await request();
    } finally {
      this.#account.end();
      onRoute.end();
      this.#admitAll();
    }
  }

  /** Nothing is sent for so long: the service has answered 429. */
  pause(retryAfterMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + (retryAfterMs || unsaidPauseMs));
  }

  #enter(onRoute: RequestWindow, isWrite: boolean): Promise<void> {
    return new Promise((resolve) => {
      const waiter = { onRoute, isWrite, admit: resolve };
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
      if (freeAt > now) {
        nextAt = Math.min(nextAt, freeAt);
        stillWaiting.push(waiter);
        continue;
      }
      this.#account.begin();
      onRoute.begin();
      waiter.admit();
    }
    this.#waiters = stillWaiting;
    // Where only the end of a request makes room, that end calls again.
    if (Number.isFinite(nextAt)) this.#timer = setTimeout(() => this.#admitAll(), nextAt - now);
  }

  #window(route: string): RequestWindow {
    const known = this.#routes.get(route);
    if (known) return known;
    const window = new RequestWindow(this.#limits.perSecondOnRoute, secondMs);
    this.#routes.set(route, window);
    return window;
  }
}

/**
 * Keeps requests below a limit in any window of time, as the service counts them: when they arrive there. That is at
 * some time between a request's start and its end, so it keeps its place until the window has passed since its end.
 */
class RequestWindow {
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
    const leaver = this.#ended[overLimit];
    return leaver === undefined ? Number.POSITIVE_INFINITY : leaver + this.#windowMs;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    this.#ended.push(Date.now());
  }
}
