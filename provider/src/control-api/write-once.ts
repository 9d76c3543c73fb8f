import { ControlApiError } from './control-api-error';
import type { Deadline } from './deadline';
import { notSentCode } from './failure-meaning';
import { type RetryPacing, retryDelayMs } from './retry';

export interface WriteOnce<Result> {
  readonly send: () => Promise<Result>;
  /** A failed request may have done the work, which reads may not show yet. */
  readonly onLost?: () => void;
  /**
   * Looks up whether the write has already happened. Returns as much of its result as it finds, or undefined. Rejects if it must not
   * be sent.
   */
  readonly findDone: () => Promise<Result | undefined>;
  /** Whether to look it up before an attempt even if no response was lost. */
  readonly isLookupDue?: () => boolean;
  readonly deadline: Deadline;
  readonly pacing: RetryPacing;
}

/**
 * Makes a write that happens once, however often it is called. After a request with an unknown outcome, it looks up the
 * work before it sends again, even if it is called again because the project was locked.
 */
export function makeWriteOnce<Result>(write: WriteOnce<Result>): () => Promise<Result> {
  const { send, findDone, deadline, pacing } = write;
  let mayBeDone = false;
  return async () => {
    let lost: unknown;
    const lookUp = () =>
      findDone().catch((error: unknown) => {
        // If the deadline has cut off the lookup, the lost response is the reason to report.
        throw lost !== undefined && deadline.hasPassed ? lost : error;
      });
    for (let attempt = 1; ; attempt += 1) {
      const done = mayBeDone || write.isLookupDue?.() ? await lookUp() : undefined;
      if (done !== undefined) return done;
      // Nothing more can be sent, although an earlier attempt may have done the work.
      if (lost !== undefined && deadline.hasPassed) throw lost;
      try {
        return await send();
      } catch (error) {
        if (lost !== undefined && isNotSent(error)) throw lost;
        if (!isOutcomeUnknown(error)) throw error;
        mayBeDone = true;
        write.onLost?.();
        lost = error;
        if (deadline.hasPassed) throw error;
        await deadline.pause(retryDelayMs(attempt, 0, pacing));
      }
    }
  };
}

/** Whether the rate limiter could not send the request before its deadline. */
function isNotSent(error: unknown): boolean {
  return error instanceof ControlApiError && error.code === notSentCode;
}

/** Whether the request that failed may have done its work. */
function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ControlApiError && error.meaning === 'unknown';
}
