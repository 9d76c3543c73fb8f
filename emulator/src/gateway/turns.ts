/** Does the costly work of each endpoint one after the other, so that one endpoint's clients do not hold up the others. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<Result>(endpointId: string, work: () => Promise<Result>): Promise<Result> {
    const done = (this.#last.get(endpointId) ?? Promise.resolve()).then(work);
    const nothing = (): void => undefined;
    this.#last.set(endpointId, done.then(nothing, nothing));
    return done;
  }
}
