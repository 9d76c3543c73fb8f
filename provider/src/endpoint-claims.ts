/**
 * Which resource of this run stands for which endpoint. The engine hands over resources one by one and in
 * parallel; without this, two resources with one name would share one endpoint, and the destruction of one would
 * take the other's away.
 */
export class EndpointClaims {
  readonly #holders = new Map<string, string>();

  /** Claims a name within a project. Returns the URN of another resource that has claimed it before. */
  claimName(projectId: string, name: string, urn: string): string | undefined {
    return this.#claim(`${projectId}/name/${name}`, urn);
  }

  /** Claims an endpoint by its id. Returns the URN of another resource that has claimed it before. */
  claimEndpoint(endpointId: string, urn: string): string | undefined {
    return this.#claim(`endpoint/${endpointId}`, urn);
  }

  /** The resource that stands for the endpoint, as far as this run has seen it. */
  holderOf(endpointId: string): string | undefined {
    return this.#holders.get(`endpoint/${endpointId}`);
  }

  #claim(key: string, urn: string): string | undefined {
    const holder = this.#holders.get(key);
    if (holder !== undefined && holder !== urn) return holder;
    this.#holders.set(key, urn);
    return undefined;
  }
}
