import type { AxiosError, AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import axiosRetry, { retryAfter } from 'axios-retry';
import { Deadline, pause } from './deadline';
import { elsewhereCode, isInterruption, maySendAgain, notSentCode } from './failure-meaning';
import { readOwnResponse, type ServiceContact } from './service-contact';

/** How long a call may take, and what happens when it fails. */
export interface CallOptions {
  /**
   * Bounds the wait for the rate limiter, the request and its retries. @default without limit for the limiter's queue, then
   * `defaultPatience`
   */
  readonly deadline?: Deadline | undefined;
  /** Whether a failed request is not retried, because the caller calls again anyway. @default false */
  readonly isSentOnce?: boolean;
  /** Called when the request goes out, after any wait for the rate limiter. */
  readonly onSend?: () => void;
}

/** Accompanies a request through axios and its retries. A class, because axios copies plain objects with each attempt. */
export class RequestContext {
  readonly deadline: Deadline;
  /** Without a deadline of its own: the retry time, and the longest accepted Retry-After. Milliseconds. */
  readonly patienceMs: number | undefined;
  readonly isSentOnce: boolean;
  readonly onSend: (() => void) | undefined;
  /**
   * When the first fault since the last 429 happened; a 429 shows that the service works. Moved forward by any later wait for the
   * rate limiter. By `performance.now()`, as every time here.
   */
  failingSince: number | undefined;
  /** When the address became unreachable, likewise moved forward; undefined after any response. */
  unreachableSince: number | undefined;
  /** When the latest attempt went out. */
  sentAt: number | undefined;
  /** How long to pause before the retry. Milliseconds. */
  pauseMs = 0;

  constructor({ deadline, isSentOnce = false, onSend }: CallOptions) {
    const { totalMs, faultsMs } = defaultPatience;
    this.deadline = deadline ?? new Deadline(totalMs, 'later');
    this.patienceMs = deadline ? undefined : faultsMs;
    this.isSentOnce = isSentOnce;
    this.onSend = onSend;
  }

  /** Time in the queue does not count as a fault: without a request, nothing shows whether the fault is over. */
  noteSent(queuedAt: number): void {
    this.sentAt = performance.now();
    const queuedMs = this.sentAt - queuedAt;
    if (this.failingSince !== undefined) this.failingSince += queuedMs;
    if (this.unreachableSince !== undefined) this.unreachableSince += queuedMs;
  }
}

declare module 'axios' {
  interface AxiosRequestConfig {
    context?: RequestContext;
  }
}

/** How fast and how long to retry failed requests. */
export interface RetryPacing {
  /** The mean of the first pause is half of this, and doubles with each attempt. Milliseconds. */
  readonly baseMs: number;
  /** The longest pause, unless the service asks for a longer one. Milliseconds. */
  readonly capMs: number;
  /** How long to retry an unreachable address without a break: the address may be wrong. Milliseconds. */
  readonly unreachableMs: number;
}

/** For a call without a deadline. Milliseconds. */
export const defaultPatience = {
  /**
   * How long faults may last, counted from the first failure, without a 429 between them; also the longest pause after a 429.
   * More than a minute, so that a call survives a Retry-After of 60 s.
   */
  faultsMs: 90_000,
  /** All attempts and the waits between them, from the moment when the first request goes out. */
  totalMs: 600_000,
};

export const defaultRetryPacing: RetryPacing = { baseMs: 400, capMs: 15_000, unreachableMs: 20_000 };

/** Retry-After plus full jitter: a random time up to the exponential bound. */
export function retryDelayMs(attempt: number, retryAfterMs: number, pacing: RetryPacing): number {
  const bound = Math.min(pacing.capMs, pacing.baseMs * 2 ** (attempt - 1));
  return retryAfterMs + Math.random() * bound;
}

/**
 * Retries failed requests according to the tables in failure-meaning.ts. Once the service has answered, a proxy's page is a lost
 * response. Stops at the request's deadline or patience, when the address has been unreachable for too long, or when the signal is
 * aborted. write-once.ts looks up a write with an unknown outcome; after a 423, the write queue waits for the operations that lock
 * the project.
 */
export function installRetry(
  client: AxiosInstance,
  pacing: RetryPacing,
  contact: ServiceContact,
  signal?: AbortSignal,
): void {
  axiosRetry(client, {
    retries: Number.POSITIVE_INFINITY,
    shouldResetTimeout: true,
    retryCondition: (error) => shouldSendAgain(error, pacing, contact),
    // axios-retry would not cut a pause short.
    retryDelay: () => 0,
    onRetry: (_attempt, _error, { context }) => pause(context?.pauseMs ?? 0, signal),
  });
}

function shouldSendAgain(error: AxiosError, pacing: RetryPacing, contact: ServiceContact): boolean {
  const config: InternalAxiosRequestConfig | undefined = error.config;
  const status = error.response?.status;
  // What the limiter rejects has waited for as long as it may.
  if (isInterruption(error.code) || error.code === notSentCode || error.code === elsewhereCode) return false;
  if (!config?.context || config.context.isSentOnce || status === 423) return false;
  const isFromService = error.response && readOwnResponse(error.response) !== undefined;
  const meaning = contact.meaningOf(status, error.code, isFromService);
  if (!maySendAgain(config.method ?? 'GET', meaning)) return false;
  const { context } = config;
  // Any response ends an outage. The next outage starts from zero.
  context.unreachableSince = error.response ? undefined : (context.unreachableSince ?? performance.now());
  // While a request waits for its response, nothing shows whether the address is unreachable.
  const unreachableMs =
    (context.sentAt ?? performance.now()) - (context.unreachableSince ?? performance.now());
  if (unreachableMs > pacing.unreachableMs) return false;
  const attempt = (config['axios-retry']?.retryCount ?? 0) + 1;
  context.pauseMs = retryDelayMs(attempt, retryAfter(error), pacing);
  context.failingSince = status === 429 ? undefined : (context.failingSince ?? performance.now());
  const failingMs = performance.now() - (context.failingSince ?? performance.now());
  if (failingMs + context.pauseMs > (context.patienceMs ?? Number.POSITIVE_INFINITY)) return false;
  // A pause beyond the deadline would replace the reason of this failure with "not sent".
  return context.deadline.remainingMs > context.pauseMs;
}
