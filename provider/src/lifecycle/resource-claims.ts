import { map, uniq } from 'lodash';
import type { Kind } from '../operations/service-project';
import { isUnknown } from './input-values';
import { UnsettledError } from './resource-errors';
import type { Declared, Properties } from './resource-identity';
import { RunRecords } from './run-records';

/** What identifies a resource in state, to find the one that is to adopt it. */
export interface Adoptable {
  readonly projectId: unknown;
  /** Of a role or a database. */
  readonly branchId?: unknown;
  /** Its names in the state and at the service. */
  readonly names: readonly unknown[];
  /** Of a read_write endpoint. */
  readonly branchIds?: readonly unknown[] | undefined;
}

/**
 * Which resource of this run has which name and which id. Otherwise, two resources with one name would share an endpoint, and the delete
 * of one would delete it for both.
 */
export class ResourceClaims extends RunRecords {
  /** The URN that has each name, by project and name. */
  readonly #names = new Map<string, string>();
  readonly #kind: Kind;
  /** Why the replacement of an item can't be created; undefined when it can. A type of resource may set it. */
  findObstacle: (replacement: Declared<object>, replaced: string) => Promise<string | undefined> = async () =>
    undefined;

  constructor(kind: Kind) {
    super();
    this.#kind = kind;
  }

  /** Whether diff has reported that the resource with this id in state is replaced. */
  isReplaced(id: string): boolean {
    return ['early', 'judged'].includes(this.recordOf(id).replacement ?? 'none');
  }

  noteSource(urn: string | undefined, source: string | undefined): void {
    if (urn !== undefined) this.note(urn, { source });
  }

  /** The source of a branch whose id is unknown; undefined unless all branches that this run creates in the project share it. */
  sourceIn(projectId: string): string | undefined {
    const created = [...this.resources.values()].filter(
      ({ create, declared }) => create !== undefined && declared?.inputs.projectId === projectId,
    );
    const [source, ...others] = uniq(map(created, 'source'));
    return others.length > 0 ? undefined : source;
  }

  /** Claims a name within a project. Returns the URN of another resource that has claimed it before. */
  claimName(projectId: string, name: string, urn: string): string | undefined {
    const key = `${projectId}/${name}`;
    const holder = this.#names.get(key) ?? urn;
    this.#names.set(key, holder);
    return holder === urn ? undefined : holder;
  }

  /** The resource that has the id in state, if this run takes the name from it: by a rename, or a replacement in another project. */
  findRenamed(id: string): string | undefined {
    const owner = this.ownerOf(id);
    const { inState, declared } = this.resource(owner);
    const [before, after] = [inState?.inputs, declared?.inputs];
    if (before?.name === undefined || after === undefined) return undefined;
    return before.name === after.name && before.projectId === after.projectId ? undefined : owner;
  }

  /**
   * Claims the id that a create returns: no later delete of the same run may remove it.
   * @throws Error when it belongs to another resource
   */
  claimCreated(id: string, { resource: { urn } }: Declared<object>): void {
    if (urn === undefined) return;
    const { leftTo = urn, holder = leftTo } = this.item(id);
    const kind = this.#kind;
    if (holder !== urn)
      throw new Error(`${kind} ${id} already belongs to ${holder}, so this resource can't take it over.`);
    this.noteItem(id, { holder: urn, isCreated: true });
    this.note(urn, { create: 'done' });
  }

  /**
   * Records what diff reports about the resource that has the id in state. If the resource is not replaced, claims the id; one that is
   * about to be replaced claims nothing: its delete must go through.
   * @throws Error when the id belongs to another resource
   */
  noteDiff(
    id: string,
    prior: Declared<object>,
    { resource: { urn } }: Declared<object>,
    diff: {
      readonly replaces: readonly string[];
      readonly hasChanges: boolean;
      readonly base?: string | undefined;
    },
  ): void {
    if (urn === undefined) return;
    const isReplacing = diff.replaces.length > 0;
    const isEarly = !this.isDeclared(urn);
    const asked = isEarly ? 'early' : 'judged';
    const unasked = diff.hasChanges ? undefined : 'none';
    // The options in state are in its inputs, which check has passed; the outputs may be older.
    const { inState: { resource } = prior } = this.resource(urn);
    const inState = { resource, inputs: { ...prior.inputs } };
    this.note(urn, { replacement: isReplacing ? asked : unasked, idInState: id, inState, base: diff.base });
    // The program may no longer declare it, and then its delete must go through.
    if (isEarly) return;
    this.#checkUnique(id, urn);
    if (!isReplacing) this.#claimInState(id, urn);
  }

  /** Whether diff has judged it early under the URN that `aliases` rename in this run. Then that counts for the new URN too. */
  takeEarly(id: string, { resource: { urn } }: Declared<object>): boolean {
    const owner = this.ownerOf(id);
    const { replacement, base } = this.resource(owner);
    if (urn === undefined || owner === urn || replacement !== 'early') return false;
    this.note(urn, { replacement, idInState: id, base });
    return true;
  }

  /** @throws Error when another resource of the program also has the id in state or is to adopt it: a change of one would affect both */
  #checkUnique(id: string, urn: string): void {
    const kind = this.#kind;
    for (const [other, { idInState, declared }] of this.resources)
      if (other !== urn && idInState === id && declared !== undefined)
        throw new Error(
          `${kind} ${id} already belongs to ${other} in the same state. Remove one of the two with \`pulumi state delete\`, which keeps the ${kind}.`,
        );
    const { isCreated, mover, adopter = urn } = this.item(id);
    if (adopter !== urn && !isCreated && mover !== urn)
      throw new Error(
        `${kind} ${id} is in state here, and ${adopter} is to adopt it. Remove adopt: true there, or this resource from the program. To rename a resource, use \`aliases\` instead.`,
      );
  }

  #claimInState(id: string, urn: string): void {
    const { holder = urn } = this.item(id);
    const kind = this.#kind;
    if (holder !== urn)
      throw new Error(`${kind} ${id} already belongs to ${holder}, which took it over in this update.`);
    this.noteItem(id, { holder: urn });
  }

  /**
   * The resource that keeps the id although this one deletes it: its create returned the id in this run, or its state has
   * it. After an interrupted forced replacement, the state has the id twice, once to be deleted.
   */
  keeperOf(id: string, urn: string | undefined): string | undefined {
    // A lookup keeps what the state has as managed.
    const { holder = this.resource(urn).found === id ? urn : undefined, isCreated } = this.item(id);
    const isOwnLeftover = holder === urn && !isCreated && this.resource(holder).create !== undefined;
    return isOwnLeftover ? undefined : holder;
  }

  /** What keeps a delete from being sent: the resource that keeps the id, and a running create that may take it over, to wait for. */
  takerOf(id: string, urn: string | undefined, adopter?: string) {
    const keeper = this.keeperOf(id, urn);
    const { creation } = this.resource(keeper ?? adopter);
    return keeper !== undefined || creation ? { keeper, creation } : undefined;
  }

  /** An update has renamed what the run knows by its path. */
  noteRenamed(urn: string | undefined, from: string, to: string): void {
    if (urn === undefined || from === to) return;
    this.noteItem(from, { holder: undefined });
    this.noteItem(to, { holder: urn });
    this.note(urn, { idInState: to });
  }

  /**
   * What this run is to create in place of the item. Before a forced replacement, the engine passes no id. The replacement is then the
   * create without a state, if there is only one.
   */
  findReplacementOf(id: string): Declared<Properties> | undefined {
    const owner = this.ownerOf(id);
    if (owner !== undefined) return this.findReplacement(owner);
    const all = [...this.resources].filter(([, { create, inState }]) => create === 'expected' && !inState);
    return all.length === 1 ? all[0]?.[1].declared : undefined;
  }

  /** Whether the engine leaves the item at the service, as far as the run knows. */
  isLeft(id: string): boolean {
    return this.isRetained(this.ownerOf(id)) || this.findReplacementOf(id)?.resource.retainsOnDelete === true;
  }

  /** Records that a create runs, from `begin` on, and afterwards whether it failed. */
  async noteCreate<Result>(urn: string | undefined, create: (begin: () => void) => Promise<Result>) {
    const note = (running?: Promise<Result>) => urn !== undefined && this.note(urn, { creation: running });
    const creation = create(() => note(creation));
    try {
      return await creation;
    } catch (error) {
      if (urn !== undefined) this.note(urn, { create: 'failed' });
      if (urn !== undefined && !(error instanceof UnsettledError)) {
        // It does not enter the state, so what it was to adopt stays with the resource that has it in state.
        for (const [id, { holder, isCreated }] of this.items)
          if (holder === urn && isCreated) this.noteItem(id, { holder: undefined, isCreated: false });
      }
      throw error;
    } finally {
      note();
    }
  }

  /** Why the resource can't take the item over: another one uses it where it is, or is to take it over. */
  claimAdoption(id: string, urn: string): string | undefined {
    const { mover, adopter = mover === undefined ? this.userOf(id) : undefined } = this.item(id);
    if (adopter !== undefined && adopter !== urn)
      return `would take over ${this.#kind} ${id}, which ${adopter} has or takes over: only one of the two can`;
    this.noteItem(id, { adopter: urn });
    return undefined;
  }

  /** The resource with `adopt: true` that this run is to create, and that fits what another one has in state. */
  findAdopter(
    { projectId, branchId: place, names, branchIds = [] }: Adoptable,
    urn: string | undefined,
  ): string | undefined {
    const isOneOf = (values: readonly unknown[], value: unknown) =>
      isUnknown(value) || values.includes(value);
    const fits = ({ name, branchId, type, ...inputs }: Properties) =>
      inputs.adopt === true &&
      isOneOf([projectId], inputs.projectId) &&
      (place === undefined || isOneOf([place], branchId)) &&
      ((name !== undefined && isOneOf(names, name)) ||
        (branchIds.length > 0 && type === 'read_write' && isOneOf(branchIds, branchId)));
    for (const [adopter, { create, declared }] of this.resources)
      if (adopter !== urn && create !== undefined && declared && fits(declared.inputs)) return adopter;
    return undefined;
  }

  /** What this create takes over after an interrupted replacement: the retained item that is still in state. */
  findLeftover<Item extends { readonly id: string }>(urn: string | undefined, items: readonly Item[]) {
    const { replacement, idInState } = this.resource(urn);
    return replacement === 'none' ? items.find(({ id }) => id === idInState) : undefined;
  }
}

/** The claims of each type of resource. */
export function makeClaims(): Readonly<Record<Kind, ResourceClaims>> {
  return {
    endpoint: new ResourceClaims('endpoint'),
    branch: new ResourceClaims('branch'),
    role: new ResourceClaims('role'),
    database: new ResourceClaims('database'),
  };
}
