/** A timer of virtual time, with the methods of a timer of Node.js. */
export class VirtualTimer {
  at: number;
  readonly #run: () => void;
  #isPending = true;
  #hasRef = true;

  constructor(at: number, run: () => void) {
    this.at = at;
    this.#run = run;
  }

  get isPending(): boolean {
    return this.#isPending;
  }

  fire(): void {
    this.#isPending = false;
    this.#run();
  }

  restart(at: number): this {
    this.at = at;
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
