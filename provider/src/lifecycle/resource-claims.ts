import { isUnknown } from './input-values';
import { UnsettledError } from './resource-errors';
import type { Declared } from './resource-identity';
import { RunRecords } from './run-records';

/** What a resource in state is known by, to find who is to adopt it. */
export interface Known {
  readonly projectId: unknown;
  /** Those that the state and the service give it. */
  readonly names: readonly unknown[];
  /** Of a read_write endpoint. */
  readonly branchIds?: readonly unknown[] | undefined;
}

/**
 * Records which resource of this run has which name and which id. Without this, two resources with one name would share one
 * endpoint, and destroying one would delete the other's.
 */
export class ResourceClaims extends RunRecords {
  /** The URN that has each name, by project and name. */
  readonly #names = new Map<string, string>();
  readonly #kind: string;

  /** @param kind such as `endpoint`, in messages */
  constructor(kind: string) {
    super();
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
    const { holder = urn } = this.item(id);
    const kind = this.#kind;
    if (holder !== urn)
      throw new Error(`create of ${kind} "${inputs.name}": ${kind} ${id} already belongs to ${holder}.`);
    this.noteItem(id, { holder: urn, creator: urn });
    this.note(urn, { create: 'done' });
  }

  /** Records what diff says of the resource that has the id in state. */
  noteDiff(
    id: string,
    urn: string | undefined,
    { resource, inputs }: Declared<object>,
    diff: { readonly isReplacing: boolean; readonly hasChanges: boolean },
  ): void {
    if (urn === undefined) return;
    const asked = this.isDeclared(urn) ? 'judged' : 'early';
    const unasked = diff.hasChanges ? undefined : 'none';
    const { isRetained = resource.retainsOnDelete === true } = this.resource(urn);
    const replacement = diff.isReplacing ? asked : unasked;
    this.note(urn, { replacement, idInState: id, inState: { ...inputs }, isRetained });
  }

  /**
   * Claims an id in state. A question that the engine asks before it passes the declaration claims nothing: the program may no
   * longer declare the resource, and its delete must go through.
   * @throws Error when the id belongs to another resource
   */
  claimInState(id: string, urn: string): void {
    if (!this.isDeclared(urn)) return;
    const { holder = urn, creator, adopter = urn } = this.item(id);
    const kind = this.#kind;
    if (adopter !== urn && creator === undefined)
      throw new Error(
        `${kind} ${id} is in state here, and ${adopter} is to adopt it. Remove adopt: true there, or this resource from the program. To rename a resource, use \`aliases\` instead.`,
      );
    if (holder !== urn && creator === holder)
      throw new Error(`${kind} ${id} already belongs to ${holder}, which took it over in this update.`);
    if (holder !== urn && this.isDeclared(holder))
      throw new Error(
        `${kind} ${id} already belongs to ${holder} in the same state. Remove one of the two with \`pulumi state delete\`, which keeps the ${kind}.`,
      );
    // Any other holder is the old URN of a renamed resource: the engine has read it, but no longer declares it.
    this.noteItem(id, { holder: urn });
  }

  /**
   * The resource that keeps the id although this one deletes it: its create has returned it in this run, or
   * it has it in state. A forced replacement that was interrupted has left it in state twice, once to be deleted.
   */
  keeperOf(id: string, urn: string | undefined): string | undefined {
    const { holder, creator } = this.item(id);
    const isOwnLeftover =
      holder !== undefined && holder === urn && this.resource(holder).create !== undefined;
    return creator ?? (isOwnLeftover ? undefined : holder);
  }

  /** Records a create that fails without an id. */
  async noteFailure<Result>(urn: string | undefined, create: Promise<Result>): Promise<Result> {
    try {
      return await create;
    } catch (error) {
      if (urn !== undefined && !(error instanceof UnsettledError)) {
        this.note(urn, { create: 'failed without an id' });
        // What it was to adopt does not enter the state with it: the resource that has it in state keeps it there.
        for (const [id, { creator, ...item }] of this.items)
          if (creator === urn) this.items.set(id, { ...item, holder: undefined });
      }
      throw error;
    }
  }

  /** The other resource that is to take over what this id stands for. */
  claimAdoption(id: string, urn: string): string | undefined {
    const { adopter = urn } = this.item(id);
    this.noteItem(id, { adopter });
    return adopter === urn ? undefined : adopter;
  }

  /** The resource with `adopt: true` that this run is to create, and that fits what another one has in state. */
  findAdopter({ projectId, names, branchIds = [] }: Known, urn: string | undefined): string | undefined {
    const isOneOf = (values: readonly unknown[], value: unknown) =>
      isUnknown(value) || values.includes(value);
    for (const [adopter, { create, declared }] of this.resources) {
      if (adopter === urn || create === undefined || declared?.adopt !== true) continue;
      if (!isOneOf([projectId], declared.projectId)) continue;
      const isSameBranch =
        branchIds.length > 0 && declared.type === 'read_write' && isOneOf(branchIds, declared.branchId);
      if (isSameBranch || (declared.name !== undefined && isOneOf(names, declared.name))) return adopter;
    }
    return undefined;
  }

  /** The resource in state that has the name until this run takes it from it. */
  findFormerHolder(projectId: string, name: string, urn: string | undefined): string | undefined {
    for (const [holder, { inState }] of this.resources) {
      const isHolder = holder !== urn && inState?.name === name && inState.projectId === projectId;
      if (isHolder && this.givesUpName(holder)) return holder;
    }
    return undefined;
  }

  /** What this create takes over, because an interrupted replacement has left it: it is retained, and still in state. */
  findLeftover<Item extends { readonly id: string }>(urn: string | undefined, items: readonly Item[]) {
    const { replacement, idInState } = this.resource(urn);
    return replacement === 'none' ? items.find(({ id }) => id === idInState) : undefined;
  }

  /**
   * Whether a create of the resource failed without an id, or has not run although it comes before any delete: the engine skips it if
   * a dependency failed. With `--continue-on-error`, the engine may then still delete the copy that an interrupted forced replacement
   * has left in state. The resource still uses that id, and no diff has claimed it.
   */
  lacksCreate(urn: string | undefined): boolean {
    const { create } = this.resource(urn ?? '');
    return create === 'failed without an id' || create === 'pending';
  }

  /**
   * Whether the engine refreshes the resource: it then compares what it has read with the inputs in state, which asks
   * for no change. Before a change, it checks what the program declares; a change that another resource's replacement asks
   * for has unknown inputs. The state may hold two URNs of a resource that was renamed, an old one in the outputs.
   */
  isRefreshed(id: string, before: Declared<object>, { resource: { urn }, inputs }: Declared<object>) {
    const isDeclared = urn !== undefined && this.isDeclared(urn);
    return this.resource(before.resource.urn ?? id).isRead === true && !isDeclared && !isUnknown(inputs);
  }
}
