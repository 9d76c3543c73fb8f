import { clamp, sortedLastIndex } from 'lodash';

/** A process that shares a limit keeps this part of its use when the service reports that the limit is used up. */
const keptShare = 0.85;
/** How long a share takes to grow from nothing to the whole limit, slowly at first. Milliseconds. */
const recoveryMs = { afterShortWait: 700_000, afterLongWait: 1_000_000 };
/** After a long wait, a share also grows in proportion to its size: how long it takes to double. Milliseconds. */
const doublingMs = 250_000;
/** After a long wait, requests beyond the share are sent one at a time, at this multiple of the share's even rate. */
const haste = 1.5;
/** The smallest share, as a part of the limit. */
const leastShare = 0.01;
/** Up to this part of the window, a wait is short. */
const shortWait = 1 / 12;

/**
 * Keeps requests within a limit in any time window. The service counts a request when it arrives, at some time between
 * its start and its end. So each request counts until a full window after its end.
 *
 * If other processes use the same limit, this process keeps to a share of it. `cut` sets the share to 85 % of what this process
 * has used, but not below a minimum. After a short wait, the share then grows by the same amount in every process. So a large
 * share loses more than a small one and gains the same, until the shares are equal (additive increase, multiplicative decrease).
 * After a long wait, a share also grows in proportion to its size.
 *
 * The limit applies to any window, the share to periods of one window each. After a long wait, the whole share may be sent when
 * a period begins, so that one poll sees those operations finish together. When the share is used up, requests continue one at a
 * time, because other processes may have finished. After a short wait, requests are evenly spaced. When the share is used up,
 * they wait until it has grown or the next period begins.
 */
export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  #underWay = 0;
  #begunAt = 0;
  /** How many requests began in the current period: the share, and those beyond it. */
  #begunInPeriod = 0;
  #periodEndsAt = Number.NEGATIVE_INFINITY;
  /** When the requests of the last window ended, oldest first. */
  readonly #ended: number[] = [];
  #shareAtCut = 0;
  #cutAt = Number.NEGATIVE_INFINITY;
  /** Whether requests are sent one by one, with the same time between them. */
  #isSpaced = false;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** When there is room for one more request; infinity if a request has to finish first. */
  freeAt(now: number): number {
    this.#ended.splice(0, sortedLastIndex(this.#ended, now - this.#windowMs));
    const share = this.#shareAt(now);
    const used = this.#underWay + this.#ended.length;
    const leavesAt = this.#ended[used - this.#limit] ?? Number.POSITIVE_INFINITY;
    const roomAt = used < this.#limit ? now : leavesAt + this.#windowMs;
    if (share >= this.#limit) return roomAt;
    const count = now < this.#periodEndsAt ? this.#begunInPeriod + 1 : 1;
    const sharedAt = count <= share ? now : Math.min(this.#periodEndsAt, this.#whenShareIs(count));
    const eachMs = this.#windowMs / share;
    if (this.#isSpaced) return Math.max(roomAt, sharedAt, this.#begunAt + eachMs);
    return Math.max(roomAt, Math.min(sharedAt, this.#begunAt + eachMs / haste));
  }

  begin(): void {
    const now = performance.now();
    this.#underWay += 1;
    this.#begunAt = now;
    if (now >= this.#periodEndsAt) {
      this.#begunInPeriod = 0;
      this.#periodEndsAt = now + this.#windowMs;
    }
    this.#begunInPeriod += 1;
  }

  end(): void {
    this.#underWay -= 1;
    this.#ended.push(performance.now());
  }

  /**
   * Cuts the share, because all processes together use up the limit.
   * @param waitMs how long until the service accepts requests again. After a short wait, requests are spaced, because only a few
   * are accepted at a time. A long wait means that the service accepts bursts: the whole share may follow it
   * @param first the smallest share after the first cut, as a part of the limit: the process may just have started
   * @param least the smallest share after further cuts
   */
  cut(waitMs: number, first: number, least = leastShare): void {
    const now = performance.now();
    const share = this.#shareAt(now);
    // A cut that takes nothing must not start the recovery anew.
    if (share <= this.#limit * least) return;
    const sinceFirstMs = now - (this.#ended[0] ?? now);
    const usedInMs = clamp(sinceFirstMs + waitMs, 1, this.#windowMs);
    const used = (this.#ended.length * this.#windowMs) / usedInMs;
    const smallest = this.#limit * (share < this.#limit ? least : first);
    this.#shareAtCut = Math.max(1, Math.min(share, Math.max(smallest, Math.min(share, used) * keptShare)));
    this.#cutAt = now;
    this.#isSpaced = waitMs <= this.#windowMs * shortWait;
    if (!this.#isSpaced) this.#periodEndsAt = now + waitMs;
  }

  #shareAt(now: number): number {
    return Math.min(this.#limit, this.#shareAtCut + this.#growth * (now - this.#cutAt) ** 2);
  }

  #whenShareIs(count: number): number {
    if (count > this.#limit) return Number.POSITIVE_INFINITY;
    return this.#cutAt + Math.sqrt((count - this.#shareAtCut) / this.#growth);
  }

  /** What a share gains, over the square of the time in milliseconds. */
  get #growth(): number {
    if (this.#isSpaced) return this.#limit / recoveryMs.afterShortWait ** 2;
    return this.#limit / recoveryMs.afterLongWait ** 2 + this.#shareAtCut / doublingMs ** 2;
  }
}
