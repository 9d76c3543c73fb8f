import { setTimeout as sleep } from 'node:timers/promises';
import { ControlApiError } from './control-api-error';
import type { Deadline } from './deadline';
import { type RetryPacing, retryDelayMs } from './retry';

export interface WriteOnce<Answer> {
  readonly send: () => Promise<Answer>;
  /** Whether the write has happened already: its answer, as far as it can be found out; else undefined. */
  readonly look: () => Promise<Answer | undefined>;
  /** Whether to look before a try even though no answer got lost. */
  readonly isLookDue?: () => boolean;
  readonly deadline: Deadline;
  readonly pacing: RetryPacing;
}

/**
 * Makes a write that happens once, however often it is called: after an answer that got lost it looks before it sends
 * again, also when it is called again because the project was locked meanwhile.
 */
export function makeWriteOnce<Answer>(write: WriteOnce<Answer>): () => Promise<Answer> {
  const { send, look, deadline, pacing } = write;
  let mayBeDone = false;
  return async () => {
    for (let attempt = 1; ; attempt += 1) {
      const done = mayBeDone || write.isLookDue?.() ? await look() : undefined;
      if (done !== undefined) return done;
      try {
        return await send();
      } catch (error) {
        if (!isLostAnswer(error)) throw error;
        mayBeDone = true;
        if (deadline.hasPassed) throw error;
        await sleep(Math.min(deadline.remainingMs, retryDelayMs(attempt, 0, pacing)));
      }
    }
  };
}

function isLostAnswer(error: unknown): boolean {
  return error instanceof ControlApiError && error.meaning === 'unknown';
}
