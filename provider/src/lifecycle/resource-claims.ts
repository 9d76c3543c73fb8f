import { isUnknown } from './input-values';
import { UnsettledError } from './resource-errors';
import type { Declared } from './resource-identity';

/**
 * What a run knows of a resource. The engine calls, for each URN (measured with the real CLI, also in parallel for several):
 *
 * | the resource | calls, in this order |
 * |---|---|
 * | is new | check without old inputs, create |
 * | is in state | check with old inputs, diff, update if that has changes |
 * | is replaced for a changed property | check with old inputs, diff, check without, then delete and create in either order |
 * | is replaced by force (`--replace`, taint) | check without old inputs, then delete and create in either order |
 * | depends on something that is replaced | diff first, before all of this: the program may no longer declare the resource |
 * | was removed from the program, or its replacement was cut off | delete |
 * | is refreshed | read, diff with the inputs in state |
 */
interface ResourceRecord {
  /** The name in state, as far as the engine has passed it. */
  readonly nameInState?: string;
  /** Whether the engine has passed what the program declares, in this run and since a refresh. */
  readonly isDeclared?: boolean;
  /** Whether the engine has read it: a refresh. */
  readonly isRead?: boolean;
  /** Of the create that this run makes: `pending` must come before any delete of the resource. Absent: none is known. */
  readonly create?: 'expected' | 'pending' | 'failed without an id' | 'done';
  /** Of a replacement by a change: `early` when the engine has asked before it passed the declaration. */
  readonly replacement?: 'early' | 'judged';
}

/** What a run knows of an endpoint or a branch, by its id. */
interface ItemRecord {
  /** The URN that has the id in state, or whose create has returned it. */
  readonly holder?: string;
  /** The URN whose create has returned it in this run. */
  readonly creator?: string;
  /** The URN that moves it to another branch in this run. */
  readonly mover?: string;
}

/**
 * Records which resource of this run has which name and which id. Without this, two resources with one name would share one
 * endpoint, and destroying one would delete the other's.
 */
export class ResourceClaims {
  readonly #resources = new Map<string, ResourceRecord>();
  readonly #items = new Map<string, ItemRecord>();
  /** The URN that has each name, by project and name. */
  readonly #names = new Map<string, string>();
  readonly #kind: string;

  /** @param kind such as `endpoint`, in messages */
  constructor(kind: string) {
    this.#kind = kind;
  }

  /** Claims a name within a project. Returns the URN of another resource that has claimed it before. */
  claimName(projectId: string, name: string, urn: string): string | undefined {
    const key = `${projectId}/${name}`;
    const holder = this.#names.get(key) ?? urn;
    this.#names.set(key, holder);
    return holder === urn ? undefined : holder;
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
    const { holder = urn } = this.#item(id);
    const kind = this.#kind;
    if (holder !== urn)
      throw new Error(`create of ${kind} "${inputs.name}": ${kind} ${id} already belongs to ${holder}.`);
    this.#noteItem(id, { holder: urn, creator: urn });
    this.#note(urn, { create: 'done' });
  }

  /**
   * Claims an id in state. A question that the engine asks before it passes the declaration claims nothing: the program may no
   * longer declare the resource, and its delete must go through.
   * @throws Error when the id belongs to another resource
   */
  claimInState(id: string, urn: string): void {
    if (!this.isDeclared(urn)) return;
    const { holder = urn, creator } = this.#item(id);
    const kind = this.#kind;
    if (holder !== urn && creator === holder)
      throw new Error(`${kind} ${id} already belongs to ${holder}, which took it over in this update.`);
    if (holder !== urn && this.isDeclared(holder))
      throw new Error(
        `${kind} ${id} already belongs to ${holder} in the same state. Remove one of the two with \`pulumi state delete\`, which keeps the ${kind}.`,
      );
    // Any other holder is the old URN of a renamed resource: the engine has read it, but no longer declares it.
    this.#noteItem(id, { holder: urn });
  }

  /**
   * The resource that keeps the id although this one deletes it: its create has returned it in this run, or
   * it has it in state. A forced replacement that was interrupted has left it in state twice, once to be deleted.
   */
  keeperOf(id: string, urn: string | undefined): string | undefined {
    const { holder, creator } = this.#item(id);
    const isOwnLeftover =
      holder !== undefined && holder === urn && this.#resource(holder).create !== undefined;
    return creator ?? (isOwnLeftover ? undefined : holder);
  }

  /** Records a create that fails without an id. */
  async noteFailure<Result>(urn: string | undefined, create: Promise<Result>): Promise<Result> {
    try {
      return await create;
    } catch (error) {
      if (urn !== undefined && !(error instanceof UnsettledError))
        this.#note(urn, { create: 'failed without an id' });
      throw error;
    }
  }

  /**
   * Whether a create of the resource failed without an id, or has not run although it comes before any delete: the engine skips it if
   * a dependency failed. With `--continue-on-error`, the engine may then still delete the copy that an interrupted forced replacement
   * has left in state. The resource still uses that id, and no diff has claimed it.
   */
  lacksCreate(urn: string | undefined): boolean {
    const { create } = this.#resource(urn ?? '');
    return create === 'failed without an id' || create === 'pending';
  }

  /**
   * The engine has checked the resource without old inputs: it creates it, for the first time or as a replacement.
   * @param createsBeforeDelete whether it deletes nothing of the resource before
   */
  noteCreatedAnew(urn: string, createsBeforeDelete = false): void {
    this.#note(urn, { create: createsBeforeDelete ? 'pending' : 'expected' });
  }

  /** This run moves the endpoint to another branch, if the program declares it. */
  noteMoving(endpointId: string, urn: string): void {
    if (this.isDeclared(urn)) this.#noteItem(endpointId, { mover: urn });
  }

  /** The resource that moves the endpoint to another branch in this run. */
  moverOf(endpointId: string): string | undefined {
    return this.#item(endpointId).mover;
  }

  noteReplacement(urn: string, replacement: 'early' | 'judged'): void {
    this.#note(urn, { replacement });
  }

  replacementOf(urn: string): 'early' | 'judged' | undefined {
    return this.#resource(urn).replacement;
  }

  noteInState(urn: string, name: string): void {
    this.#note(urn, { nameInState: name });
  }

  nameInState(urn: string): string | undefined {
    return this.#resource(urn).nameInState;
  }

  /** The engine has read a resource in state. */
  noteRead(id: string, urn = id): void {
    this.#note(urn, { isRead: true, isDeclared: false });
  }

  noteDeclared(urn: string): void {
    this.#note(urn, { isDeclared: true });
  }

  isDeclared(urn: string): boolean {
    return this.#resource(urn).isDeclared === true;
  }

  /**
   * Whether the engine refreshes the resource: it then compares what it has read with the inputs in state, which asks
   * for no change. Before a change, it checks what the program declares; a change that another resource's replacement asks
   * for has unknown inputs. The state may hold two URNs of a resource that was renamed, an old one in the outputs.
   */
  isRefreshed(id: string, before: Declared<object>, { resource: { urn }, inputs }: Declared<object>) {
    const isDeclared = urn !== undefined && this.isDeclared(urn);
    return this.#resource(before.resource.urn ?? id).isRead === true && !isDeclared && !isUnknown(inputs);
  }

  #resource(urn: string): ResourceRecord {
    return this.#resources.get(urn) ?? {};
  }

  #note(urn: string, change: ResourceRecord): void {
    this.#resources.set(urn, { ...this.#resource(urn), ...change });
  }

  #item(id: string): ItemRecord {
    return this.#items.get(id) ?? {};
  }

  #noteItem(id: string, change: ItemRecord): void {
    this.#items.set(id, { ...this.#item(id), ...change });
  }
}
