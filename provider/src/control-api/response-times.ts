/** A response is slow if it takes longer than `times` times the fastest one on its route, plus `moreMs`. */
const slow = { times: 4, moreMs: 2_000 };
/** This many slow responses in a row count as a rise. A single one may have been delayed in transit. */
const slowInRow = 3;

/** How long the responses of one route take. */
export class ResponseTimes {
  #fastestMs = Number.POSITIVE_INFINITY;
  #slowInRow = 0;

  /** Returns true when the times have risen, once per rise: the new time is the usual one until a faster response. */
  note(tookMs: number): boolean {
    const isSlow = tookMs > this.#fastestMs * slow.times + slow.moreMs;
    this.#slowInRow = isSlow ? this.#slowInRow + 1 : 0;
    const hasRisen = this.#slowInRow === slowInRow;
    if (hasRisen) this.#slowInRow = 0;
    this.#fastestMs = hasRisen ? tookMs : Math.min(this.#fastestMs, tookMs);
    return hasRisen;
  }
}
