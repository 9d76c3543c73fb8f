/** Does the costly work of each endpoint one after the other, so that one endpoint's clients do not hold up the others. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(endpointId: string, work: () => Promise<Result>): Promise<Result> {
    const done = (this.#last.get(endpointId) ?? Promise.resolve()).then(work);
    const end = done.catch(() => undefined);
    this.#last.set(endpointId, end);
    try {
      return await done;
    } finally {
      if (this.#last.get(endpointId) === end) this.#last.delete(endpointId);
    }
  }
}
