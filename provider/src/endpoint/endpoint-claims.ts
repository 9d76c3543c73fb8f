/**
 * What this run knows of its resources and their endpoints. The engine hands over resources one by one and in
 * parallel; without this, two resources with one name would share one endpoint, and the destruction of one would
 * delete the other's.
 */
export class EndpointClaims {
  readonly #holders = new Map<string, string>();
  readonly #created = new Map<string, string>();
  readonly #createdAnew = new Set<string>();
  readonly #moving = new Map<string, string>();
  readonly #namesInState = new Map<string, string>();

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

  /** A create of this run returns the endpoint: from here on no delete of the same run may remove it. */
  noteCreated(endpointId: string, urn: string): void {
    this.#created.set(endpointId, urn);
  }

  /** The resource whose create has returned the endpoint in this run. */
  creatorOf(endpointId: string): string | undefined {
    return this.#created.get(endpointId);
  }

  /** The engine has checked the resource without old inputs: it is created, for the first time or as a replacement. */
  noteCreatedAnew(urn: string): void {
    this.#createdAnew.add(urn);
  }

  isCreatedAnew(urn: string | undefined): boolean {
    return urn !== undefined && this.#createdAnew.has(urn);
  }

  /** This run moves the endpoint to another branch. */
  noteMoving(endpointId: string, urn: string): void {
    this.#moving.set(endpointId, urn);
  }

  /** The resource that moves the endpoint to another branch in this run. */
  moverOf(endpointId: string): string | undefined {
    return this.#moving.get(endpointId);
  }

  /** The resource has an endpoint of this name in state. */
  noteInState(urn: string, name: string): void {
    this.#namesInState.set(urn, name);
  }

  /** The name of the endpoint that the resource has in state, as far as this run has seen it. */
  nameInState(urn: string): string | undefined {
    return this.#namesInState.get(urn);
  }

  #claim(key: string, urn: string): string | undefined {
    const holder = this.#holders.get(key);
    if (holder !== undefined && holder !== urn) return holder;
    this.#holders.set(key, urn);
    return undefined;
  }
}
