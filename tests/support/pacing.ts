/** Poll and retry intervals for tests: milliseconds instead of the seconds for the real service. */
export const pollPacing = { shortestMs: 10, longestMs: 50 };
export const retryPacing = { baseMs: 5, capMs: 20, unreachableMs: 300 };
export const lockPacing = { unseenMs: 10, firstMs: 200, longestMs: 400 };

/** Longer than the reads of the test's emulator lag behind, unless the test sets another lag. */
export const defaultReadLagMs = 300;

/** For `expect.poll`: a quick step may take long on a busy machine. */
export const patience = { timeout: 15_000, interval: 5 };
