import { ConnectionRefusal } from './connection-refusal';

/** Limits how many clients do something at the same time, for each of several keys. */
export class ClientLimit {
  readonly #most: number;
  readonly #what: string;
  readonly #taken = new Map<string, number>();

  /** @param what they do, in messages */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /** @throws ConnectionRefusal if every place of the key is taken */
  async hold<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#most)
      throw new ConnectionRefusal('53300', `more than ${this.#most} clients ${this.#what}: try again`);
    this.#taken.set(key, taken + 1);
    try {
      return await work();
    } finally {
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    }
  }
}
