import type { AxiosError, AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import axiosRetry, { retryAfter } from 'axios-retry';
import type { Deadline } from './deadline';
import { maySendAgain, meaningOfFailure } from './failure-meaning';

declare module 'axios' {
  interface AxiosRequestConfig {
    /** Until when a failed request may be sent again. */
    deadline?: Deadline;
    /** Called when the request goes out. */
    onSend?: () => void;
  }
}

/** How long and how fast failed requests are sent again. */
export interface RetryPacing {
  /** The mean of the first pause is half of this; it doubles with each further try. Milliseconds. */
  readonly baseMs: number;
  /** The longest pause that is not asked for by the service. Milliseconds. */
  readonly capMs: number;
  /** For how long an address where nothing answers at all is tried: it may be wrong. Milliseconds. */
  readonly unreachableMs: number;
}

export const defaultRetryPacing: RetryPacing = { baseMs: 400, capMs: 15_000, unreachableMs: 20_000 };

/** Full jitter (any point up to the exponential bound), and never sooner than Retry-After asks for. */
export function retryDelayMs(attempt: number, retryAfterMs: number, pacing: RetryPacing): number {
  const bound = Math.min(pacing.capMs, pacing.baseMs * 2 ** (attempt - 1));
  return retryAfterMs + Math.random() * bound;
}

/**
 * Sends failed requests again by the table of failure-meaning.ts, until the request's deadline. 423 is left out:
 * what ends a lock is known, so the write lane waits for that and not for a timer.
 */
export function installRetry(client: AxiosInstance, pacing: RetryPacing): void {
  axiosRetry(client, {
    retries: Number.POSITIVE_INFINITY,
    shouldResetTimeout: true,
    retryCondition: (error) => shouldSendAgain(error, pacing),
    retryDelay: (attempt, error) => retryDelayMs(attempt, retryAfter(error), pacing),
  });
}

function shouldSendAgain(error: AxiosError, pacing: RetryPacing): boolean {
  const config: InternalAxiosRequestConfig | undefined = error.config;
  const status = error.response?.status;
  if (!config || status === 423) return false;
  if (!maySendAgain(config.method ?? 'GET', meaningOfFailure(status, error.code))) return false;
  const { deadline } = config;
  if (!deadline) return false;
  if (!error.response && deadline.elapsedMs > pacing.unreachableMs) return false;
  return deadline.remainingMs > retryAfter(error);
}
