import { Randomness } from '../tests/simulation/time/seeded-randomness';

/** The duration of one kind of operation: 5 s ± 20 % is `{ meanMs: 5000, spread: 0.2 }`. */
export interface OperationTime {
  readonly meanMs: number;
  /** The largest distance from the mean, as a share of it. */
  readonly spread: number;
}

/** Draws one duration uniformly from the range. Whole milliseconds. */
export function drawTime({ meanMs, spread }: OperationTime, random: Randomness): number {
  return Math.round(meanMs * (1 + spread * (2 * random.next() - 1)));
}

/** A value for the emulator's `operationMs` that gives every operation its own duration, the same ones for each client. */
export function spreadTimes(time: OperationTime, seed: number): Readonly<Record<string, number>> {
  const random = new Randomness(seed);
  return {
    // The emulator reads this property for each operation that it runs.
    get default() {
      return drawTime(time, random);
    },
  };
}
