import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Numbers that a seed determines (mulberry32). */
export class Randomness {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both bounds included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Whether something happens that happens this often. */
  happens(share: number): boolean {
    return this.next() < share;
  }
}

/**
 * The one source of everything random in this process: jitter, ids and keys. Each schedule sets its own.
 */
export class SeededRandomness {
  source = new Randomness(0);
  readonly #real: (() => void)[] = [];

  install(): void {
    const hex = (length: number) => {
      let digits = '';
      while (digits.length < length) digits += this.source.between(2 ** 28, 2 ** 32 - 1).toString(16);
      return digits.slice(0, length);
    };
    this.#replace(Math, 'random', () => this.source.next());
    this.#replace(crypto, 'randomUUID', () => {
      const [first, second, third] = [hex(8), hex(8), hex(8)];
      return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-8${third.slice(5)}-${hex(8)}${third.slice(0, 4)}`;
    });
    this.#replace(crypto, 'randomBytes', (size: number) => Buffer.from(hex(size * 2), 'hex'));
    this.#replace(crypto, 'randomInt', (first: number, second?: number) =>
      second === undefined ? this.source.between(0, first - 1) : this.source.between(first, second - 1),
    );
    syncBuiltinESMExports();
  }

  uninstall(): void {
    for (const restore of this.#real.splice(0)) restore();
    syncBuiltinESMExports();
  }

  #replace<Owner extends object>(owner: Owner, name: keyof Owner, value: unknown): void {
    const before = owner[name];
    Object.assign(owner, { [name]: value });
    this.#real.push(() => Object.assign(owner, { [name]: before }));
  }
}
