/** The duration of one kind of operation: 5 s ± 20 % is `{ meanMs: 5000, spread: 0.2 }`. */
export interface OperationTime {
  readonly meanMs: number;
  /** The largest distance from the mean, as a share of it. @default 0 */
  readonly spread?: number;
}

/** Returns a generator of numbers from 0 to 1 that are the same in each run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws one duration uniformly from the range. Whole milliseconds. */
export function drawTime({ meanMs, spread = 0 }: OperationTime, random: () => number): number {
  return Math.round(meanMs * (1 + spread * (2 * random() - 1)));
}

/** A value for the emulator's `operationMs` that gives every operation its own duration. */
export function spreadTimes(time: OperationTime, seed: number): Readonly<Record<string, number>> {
  const random = seededRandom(seed);
  return {
    // The emulator reads this property for each operation that it runs.
    get default() {
      return drawTime(time, random);
    },
  };
}
