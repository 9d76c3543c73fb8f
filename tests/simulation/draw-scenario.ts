import fc from 'fast-check';
import { type Scenario, scenario } from './scenario';
import { Randomness } from './seeded-randomness';

/** A scenario that can be made smaller. */
export type DrawnScenario = fc.Value<Scenario>;

/** The scenario of a seed: the same one each time. */
export function drawScenario(seed: number): DrawnScenario {
  return scenario.generate(new fc.Random(new SeededGenerator(seed)), undefined);
}

/** Smaller scenarios, the most promising first. */
export function smallerScenarios({ value, context }: DrawnScenario): Iterable<DrawnScenario> {
  return scenario.shrink(value, context);
}

/** A generator as fast-check takes it. */
class SeededGenerator {
  readonly #seed: number;
  readonly #randomness: Randomness;

  constructor(seed: number) {
    this.#seed = seed;
    this.#randomness = new Randomness(seed);
  }

  clone(): SeededGenerator {
    return new SeededGenerator(this.#seed);
  }

  /** A whole number of 32 bits, with a sign. */
  next(): number {
    return this.#randomness.between(-(2 ** 31), 2 ** 31 - 1);
  }

  getState(): readonly number[] {
    return [this.#seed];
  }
}
