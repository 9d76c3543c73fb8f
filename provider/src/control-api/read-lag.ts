import type { Deadline } from './deadline';

/** How long reads may lag behind a write of this process (docs/service.md, "Eventual consistency"). Milliseconds. */
export const defaultReadLagMs = 10_000;

const usualPauses = { firstMs: 100, longestMs: 1_000 };

/**
 * Reads until the result is sufficient, or until `lag`, the read lag, has passed. Returns the last result: only then does "not
 * found" mean that the endpoint does not exist. The pause between reads doubles from `firstMs` to `longestMs`.
 */
export async function rereadUntil<Result>(
  lag: Deadline,
  read: () => Promise<Result>,
  isSufficient: (result: Result) => boolean,
  { firstMs, longestMs } = usualPauses,
): Promise<Result> {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(longestMs, pauseMs * 2)) {
    // A response may take long: what counts is when the read was sent.
    const isLast = lag.hasPassed;
    const result = await read();
    if (isSufficient(result) || isLast) return result;
    await lag.pause(pauseMs);
  }
}
