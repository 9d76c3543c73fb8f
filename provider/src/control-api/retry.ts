import type { AxiosError, AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import axiosRetry, { retryAfter } from 'axios-retry';
import type { Deadline } from './deadline';
import { maySendAgain, meaningOfFailure } from './failure-meaning';

/** What this package's requests carry through the HTTP client. */
export interface RequestContext {
  /** Until when the request may wait, take, and be sent again. */
  readonly deadline: Deadline;
  /** Whether a failed request is left to the caller instead of being sent again. */
  readonly isSentOnce: boolean;
  /** Called when the request goes out. */
  readonly onSend?: (() => void) | undefined;
  /** Since when the address has been unreachable without a break. Local time. */
  unreachableSince?: number | undefined;
  /** How long to pause before the request is sent again. Milliseconds. */
  pauseMs?: number;
}

declare module 'axios' {
  interface AxiosRequestConfig {
    context?: RequestContext;
  }
}

/** How long and how fast failed requests are sent again. */
export interface RetryPacing {
  /** The mean of the first pause is half of this; it doubles with each further try. Milliseconds. */
  readonly baseMs: number;
  /** The longest pause that is not asked for by the service. Milliseconds. */
  readonly capMs: number;
  /** For how long on end an address where nothing answers at all is tried: it may be wrong. Milliseconds. */
  readonly unreachableMs: number;
}

export const defaultRetryPacing: RetryPacing = { baseMs: 400, capMs: 15_000, unreachableMs: 20_000 };

/** Full jitter (any point up to the exponential bound), and never sooner than Retry-After asks for. */
export function retryDelayMs(attempt: number, retryAfterMs: number, pacing: RetryPacing): number {
  const bound = Math.min(pacing.capMs, pacing.baseMs * 2 ** (attempt - 1));
  return retryAfterMs + Math.random() * bound;
}

/**
 * Sends failed requests again by the table of failure-meaning.ts, until the request's deadline, or until the address has
 * been unreachable for too long. A write whose outcome is unknown is left to write-once.ts, which looks it up. 423 is left out:
 * what ends a lock is known, so the write queue waits for that and not for a timer.
 */
export function installRetry(client: AxiosInstance, pacing: RetryPacing): void {
  axiosRetry(client, {
    retries: Number.POSITIVE_INFINITY,
    shouldResetTimeout: true,
    retryCondition: (error) => shouldSendAgain(error, pacing),
    retryDelay: (_attempt, error) => error.config?.context?.pauseMs ?? 0,
  });
}

function shouldSendAgain(error: AxiosError, pacing: RetryPacing): boolean {
  const config: InternalAxiosRequestConfig | undefined = error.config;
  const status = error.response?.status;
  if (!config?.context || config.context.isSentOnce || status === 423) return false;
  if (!maySendAgain(config.method ?? 'GET', meaningOfFailure(status, error.code))) return false;
  const { context } = config;
  // A response of any kind ends an outage; the next one counts anew.
  context.unreachableSince = error.response ? undefined : (context.unreachableSince ?? Date.now());
  const unreachableMs = Date.now() - (context.unreachableSince ?? Date.now());
  if (unreachableMs > pacing.unreachableMs) return false;
  const attempt = (config['axios-retry']?.retryCount ?? 0) + 1;
  context.pauseMs = retryDelayMs(attempt, retryAfter(error), pacing);
  // A pause beyond the deadline would end in a request that is not sent, and hide why this one failed.
  return context.deadline.remainingMs > context.pauseMs;
}
