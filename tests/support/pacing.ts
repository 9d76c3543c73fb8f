/** Poll and retry intervals for tests: milliseconds instead of the seconds for the real service. */
export const pollPacing = { shortestMs: 10, longestMs: 50 };
export const retryPacing = { baseMs: 5, capMs: 20, unreachableMs: 300 };
export const lockPacing = { unseenMs: 10, firstMs: 200, longestMs: 400 };

/** Longer than the reads of the test's emulator lag behind, unless the test sets another lag. */
export const defaultReadLagMs = 300;
