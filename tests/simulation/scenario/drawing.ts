import fc from 'fast-check';
import { Randomness } from '../time/seeded-randomness';

/** What an arbitrary draws. */
export type Drawn<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Draws data from seeds, and makes what was drawn smaller. */
export class Drawing<Data> {
  readonly #arbitrary: fc.Arbitrary<Data>;

  constructor(arbitrary: fc.Arbitrary<Data>) {
    this.#arbitrary = arbitrary;
  }

  /** The data of a seed: the same each time. They can be made smaller. */
  draw(seed: number): fc.Value<Data> {
    return this.#arbitrary.generate(new fc.Random(new SeededGenerator(seed)), undefined);
  }

  /** Smaller data, the most promising first. */
  smaller({ value, context }: fc.Value<Data>): Iterable<fc.Value<Data>> {
    return this.#arbitrary.shrink(value, context);
  }
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
