/** A timer of virtual time, with the methods of a timer of Node.js. */
export class VirtualTimer {
  at: number;
  #order: number;
  readonly #run: () => void;
  #isPending = true;
  #hasRef = true;

  constructor(at: number, order: number, run: () => void) {
    this.at = at;
    this.#order = order;
    this.#run = run;
  }

  get isPending(): boolean {
    return this.#isPending;
  }

  /** Timers of one time fire in the order in which they were set, as in Node.js. */
  isBefore(other: VirtualTimer): boolean {
    return this.at < other.at || (this.at === other.at && this.#order < other.#order);
  }

  fire(): void {
    this.#isPending = false;
    this.#run();
  }

  restart(at: number, order: number): this {
    this.at = at;
    this.#order = order;
    this.#isPending = true;
    return this;
  }

  close(): void {
    this.#isPending = false;
  }

  hasRef(): boolean {
    return this.#hasRef;
  }

  ref(): this {
    this.#hasRef = true;
    return this;
  }

  unref(): this {
    this.#hasRef = false;
    return this;
  }
}
