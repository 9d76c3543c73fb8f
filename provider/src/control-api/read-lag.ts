import { setTimeout as sleep } from 'node:timers/promises';
import { Deadline } from './deadline';

/** For how long the service's reads may lag behind its writes (docs/service.md, "Late reads"). Milliseconds. */
export const defaultReadLagMs = 10_000;

/** How long to pause before reading again: twice as long each time. Milliseconds. */
export interface RereadPauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

const usualPauses: RereadPauses = { firstMs: 100, longestMs: 1_000 };

/**
 * Reads again until the answer is enough, or until reads can no longer lag behind what was written. Returns the last
 * answer: only then does "not found" mean that it does not exist.
 */
export async function rereadUntil<Answer>(
  readLagMs: number,
  read: () => Promise<Answer>,
  isEnough: (answer: Answer) => boolean,
  { firstMs, longestMs }: RereadPauses = usualPauses,
): Promise<Answer> {
  const lag = new Deadline(readLagMs);
  for (let pauseMs = firstMs; ; pauseMs = Math.min(longestMs, pauseMs * 2)) {
    // A response may take long: what counts is when the read was sent.
    const isLast = lag.hasPassed;
    const answer = await read();
    if (isEnough(answer) || isLast) return answer;
    await sleep(Math.min(pauseMs, lag.remainingMs));
  }
}
