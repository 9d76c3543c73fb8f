import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../control-plane/control-plane';
import { ApiError } from '../records/api-error';
import { apiPathOf } from './api-path';

const WINDOW_MS = 60_000;

/** Accepts a number of requests in any 60 seconds (a sliding window). Rejected requests do not count. */
export class RateLimiter {
  readonly #requestsPerMinute: number;
  readonly #acceptedMs: number[] = [];

  /** 0 means no limit. */
  constructor(requestsPerMinute: number) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  /** Returns 0 if it accepts a request, otherwise the seconds until it accepts one again. */
  take(): number {
    if (this.#requestsPerMinute === 0) return 0;
    const nowMs = performance.now();
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

/** Limits the rate of API requests. `/admin` and the console have no limit. */
export function addRateLimit(app: FastifyInstance, { settings }: ControlPlane): void {
  const rateLimiter = new RateLimiter(settings.requestsPerMinute);
  app.addHook('onRequest', async (request, reply) => {
    const waitSeconds = apiPathOf(request) === undefined ? 0 : rateLimiter.take();
    if (waitSeconds === 0) return;
    reply.header('retry-after', String(waitSeconds));
    throw new ApiError(
      429,
      'RATE_LIMITED',
      `more than ${settings.requestsPerMinute} requests in a minute: retry in ${waitSeconds} s`,
    );
  });
}
