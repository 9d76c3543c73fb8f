import { isUnknown } from './input-values';
import { UnsettledError } from './resource-errors';
import type { Declared } from './resource-identity';

/**
 * Records which resource of this run holds each name and each id, such as those of endpoints. The engine passes resources one
 * by one and in parallel. Without these claims, two resources with one name would share one endpoint, and destroying one
 * would delete the other's.
 */
export class ResourceClaims {
  readonly #holders = new Map<string, string>();
  readonly #created = new Map<string, string>();
  readonly #createdAnew = new Set<string>();
  readonly #pendingCreates = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #moving = new Map<string, string>();
  readonly #namesInState = new Map<string, string>();
  readonly #takenOver = new Set<string>();
  readonly #refreshed = new Set<string>();
  readonly #declared = new Set<string>();
  readonly #kind: string;

  /** @param kind such as `endpoint`, in messages */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Claims a name within a project. Returns the URN of another resource that has claimed it before. */
  claimName(projectId: string, name: string, urn: string): string | undefined {
    return this.#claim(`${projectId}/name/${name}`, urn);
  }

  /**
   * Claims the id that a create returns: no later delete of the same run may remove it.
   * @throws Error when it belongs to another resource
   */
  claimCreated(
    id: string,
    { resource: { urn }, inputs }: Declared<{ readonly name?: string | undefined }>,
  ): void {
    if (urn === undefined) return;
    const holder = this.#claim(`id/${id}`, urn);
    const kind = this.#kind;
    if (holder !== undefined)
      throw new Error(`create of ${kind} "${inputs.name}": ${kind} ${id} already belongs to ${holder}.`);
    this.#created.set(id, urn);
    this.#pendingCreates.delete(urn);
  }

  /**
   * Claims an id in state. A question that the engine asks before it passes the declaration claims nothing: the program may no
   * longer declare the resource, and its delete must go through.
   * @throws Error when the id belongs to another resource
   */
  claimInState(id: string, urn: string): void {
    if (!this.#declared.has(urn)) return;
    const kind = this.#kind;
    const holder = this.#claim(`id/${id}`, urn);
    if (holder === undefined) return;
    if (this.#created.get(id) === holder)
      throw new Error(`${kind} ${id} already belongs to ${holder}, which took it over in this update.`);
    if (this.#declared.has(holder))
      throw new Error(
        `${kind} ${id} already belongs to ${holder} in the same state. Remove one of the two with \`pulumi state delete\`, which keeps the ${kind}.`,
      );
    // The engine has read the holder since, and not passed its declaration again: the old URN of a renamed resource.
    this.#holders.set(`id/${id}`, urn);
  }

  /**
   * The resource that keeps the id although this one deletes it: its create has returned it in this run, or
   * it has it in state. A forced replacement that was interrupted has left it in state twice, once to be deleted.
   */
  keeperOf(id: string, urn: string | undefined): string | undefined {
    const holder = this.#holders.get(`id/${id}`);
    const isOwnLeftover = holder !== undefined && holder === urn && this.#createdAnew.has(holder);
    return this.#created.get(id) ?? (isOwnLeftover ? undefined : holder);
  }

  /** Records a create that fails without an id. */
  async noteFailure<Result>(urn: string | undefined, create: Promise<Result>): Promise<Result> {
    try {
      return await create;
    } catch (error) {
      if (urn !== undefined && !(error instanceof UnsettledError)) this.#failed.add(urn);
      throw error;
    }
  }

  /**
   * Whether a create of the resource failed without an id, or has not run although it comes before any delete: the engine skips it if
   * a dependency failed. With `--continue-on-error`, the engine may then still delete the copy that an interrupted forced replacement
   * has left in state. The resource still uses that id, and no diff has claimed it.
   */
  lacksCreate(urn: string | undefined): boolean {
    return urn !== undefined && (this.#failed.has(urn) || this.#pendingCreates.has(urn));
  }

  /**
   * The engine has checked the resource without old inputs: it creates it, for the first time or as a replacement.
   * @param createsBeforeDelete whether it deletes nothing of the resource before
   */
  noteCreatedAnew(urn: string, createsBeforeDelete = false): void {
    this.#createdAnew.add(urn);
    if (createsBeforeDelete) this.#pendingCreates.add(urn);
  }

  /** This run moves the endpoint to another branch, if the program declares it. */
  noteMoving(endpointId: string, urn: string): void {
    if (this.#declared.has(urn)) this.#moving.set(endpointId, urn);
  }

  /** The resource that moves the endpoint to another branch in this run. */
  moverOf(endpointId: string): string | undefined {
    return this.#moving.get(endpointId);
  }

  /** The resource has this name in state. */
  noteInState(urn: string, name: string): void {
    this.#namesInState.set(urn, name);
  }

  /** The name that the resource has in state, as far as this run has seen it. */
  nameInState(urn: string): string | undefined {
    return this.#namesInState.get(urn);
  }

  /** The create takes over what an earlier run of this resource has created. */
  noteTakenOver(urn: string | undefined): void {
    if (urn !== undefined) this.#takenOver.add(urn);
  }

  /** Whether a create of the resource has taken over what an earlier run created. Not so if it has only adopted something. */
  hasTakenOver(urn: string | undefined): boolean {
    return urn !== undefined && this.#takenOver.has(urn);
  }

  /** The engine has read a resource in state. */
  noteRead(endpointId: string, urn = endpointId): void {
    this.#refreshed.add(urn);
    this.#declared.delete(urn);
  }

  /** The engine has passed what the program declares of the resource. */
  noteDeclared(urn: string): void {
    this.#declared.add(urn);
  }

  /** Whether the engine has passed what the program declares of the resource, in this run and since a refresh. */
  isDeclared(urn: string): boolean {
    return this.#declared.has(urn);
  }

  /**
   * Whether the engine refreshes the resource: it then compares what it has read with the inputs in state, which asks
   * for no change. Before a change, it checks what the program declares; a change that another resource's replacement asks
   * for has unknown inputs. The state may hold two URNs of a resource that was renamed, an old one in the outputs.
   */
  isRefreshed(endpointId: string, before: Declared<object>, { resource: { urn }, inputs }: Declared<object>) {
    const isDeclared = urn !== undefined && this.#declared.has(urn);
    return this.#refreshed.has(before.resource.urn ?? endpointId) && !isDeclared && !isUnknown(inputs);
  }

  #claim(key: string, urn: string): string | undefined {
    const holder = this.#holders.get(key);
    if (holder !== undefined && holder !== urn) return holder;
    this.#holders.set(key, urn);
    return undefined;
  }
}
