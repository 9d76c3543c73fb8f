import { compact, filter, isMatch, map, some, union } from 'lodash';
import { isUnknown } from './input-values';
import type { ItemRecord, ResourceRecord } from './record-types';
import type { Declared, Properties } from './resource-identity';
import { isInState, type Prior } from './resource-state';
import { listMarkedValues } from './secrets';

/** What a run knows of the resources of one type: each fact as the engine's calls show it, and what follows from them. */
export class RunRecords {
  protected readonly resources = new Map<string, ResourceRecord>();
  protected readonly items = new Map<string, ItemRecord>();
  /** The values that the program marks as secrets. */
  readonly secrets = new Set<string>();

  resource(urn: string | undefined): ResourceRecord {
    return this.resources.get(urn ?? '') ?? {};
  }

  item(id: string): ItemRecord {
    return this.items.get(id) ?? {};
  }

  noteItem(id: string, change: ItemRecord): void {
    this.items.set(id, { ...this.item(id), ...change });
  }

  /** The engine has read what is in state, or what the program imports or looks up. */
  noteRead(id: string, { resource: { urn = id }, outputs }: Prior<object, Properties>): void {
    this.note(urn, isInState(outputs) ? { isRead: true, declared: undefined } : { found: id });
  }

  /** The engine has checked the resource. Without old inputs, it creates it: for the first time, or as a replacement. */
  noteCheck(inState: Declared<Properties> | undefined, declared: Declared<Properties>): void {
    const { urn, createsBeforeDelete } = declared.resource;
    if (urn === undefined) return;
    const create = createsBeforeDelete ? 'pending' : 'expected';
    this.note(urn, { declared, ...(inState ? { inState } : { create }) });
  }

  /** Records the delete of an item. If it fails, the item stays in state under this URN, and no other resource may take it over. */
  async noteLeaving(id: string, urn: string | undefined, deletion: Promise<void>): Promise<void> {
    this.noteItem(id, { leaving: deletion });
    await deletion.catch((error: unknown) => {
      this.noteItem(id, { leaving: undefined, leftTo: urn });
      throw error;
    });
  }

  /** This run resets the branch, or waits for its reset. Roles and databases on it wait for the end. */
  async noteReset<Result>(id: string, reset: Promise<Result>): Promise<Result> {
    try {
      const result = await reset;
      this.noteItem(id, { reset: 'done' });
      return result;
    } catch (error) {
      this.noteItem(id, { reset: undefined });
      throw error;
    }
  }

  isDeclared(urn: string): boolean {
    return this.resource(urn).declared !== undefined;
  }

  /**
   * Whether the engine asks about a resource before it passes what the program declares: something that it depends on is about to be
   * replaced. The program may declare other arguments, or no longer declare it.
   */
  isAskedEarly({ resource: { urn } }: Declared<object>): boolean {
    return urn !== undefined && !this.isDeclared(urn);
  }

  /** Whether the program declares anything, as far as the engine has passed it: a destroy declares nothing. */
  get hasDeclared(): boolean {
    return [...this.resources.values()].some(({ declared }) => declared !== undefined);
  }

  /** The ids that new resources are to take over. */
  get adopted(): string[] {
    return [...this.items].flatMap(([id, { adopter }]) => (adopter === undefined ? [] : [id]));
  }

  /** Whether this run creates one, for the first time or as a replacement. */
  get hasCreates(): boolean {
    return [...this.resources.values()].some(({ create }) => create !== undefined);
  }

  get hasAdopters(): boolean {
    return some([...this.resources.values()], ({ create, declared }) => create && declared?.inputs.adopt);
  }

  /** Whether the engine leaves it at the service when it deletes it. It goes by the state. */
  isRetained(urn: string | undefined): boolean {
    const { inState, declared } = this.resource(urn);
    return (inState ?? declared)?.resource.retainsOnDelete === true;
  }

  /** What this run is still to create in place of the resource; undefined when there is nothing. */
  findReplacement(urn: string | undefined): Declared<Properties> | undefined {
    const { create, declared } = this.resource(urn);
    return create === 'expected' ? declared : undefined;
  }

  /**
   * Why the resource is replaced although no diff has judged its present declaration. `base`: its branch or parent is replaced, and
   * diff saw only the old inputs. `option`: a resource option replaces it, and diff is not called, or has found no reason.
   */
  findUnjudged(urn: string | undefined): 'base' | 'option' | undefined {
    const { inState, replacement } = this.resource(urn);
    if (replacement === 'early') return 'base';
    return inState !== undefined && replacement === undefined ? 'option' : undefined;
  }

  /**
   * Whether the replacement of the resource is incomplete: its create, or the update that completes an earlier run's create, has failed or
   * was skipped because a dependency failed. The resource then still uses the old id. The engine may delete that all the same: with
   * `--continue-on-error` if the create comes first, or as the old entry of an interrupted replacement.
   */
  isIncomplete(urn: string | undefined): boolean {
    const { create, declared, inState, found, replacement } = this.resource(urn);
    const isKnown = declared !== undefined && inState !== undefined && found === undefined;
    const lacksUpdate = isKnown && create === undefined && replacement === undefined;
    return create === 'failed' || create === 'pending' || lacksUpdate;
  }

  /** Whether the replacement of any resource that the state has on the branch is incomplete. */
  hasIncompleteOn(branchId: string): boolean {
    const isOn = ({ inState }: ResourceRecord) => inState?.inputs.branchId === branchId;
    return [...this.resources].some(([urn, record]) => isOn(record) && this.isIncomplete(urn));
  }

  /** An update has succeeded: nothing is left to change. */
  noteUpdate({ resource: { urn } }: Declared<object>): void {
    if (urn !== undefined) this.note(urn, { replacement: 'none' });
  }

  /**
   * Whether the URN now has another id, which this run did not create: the program imports it or looks it up, or an earlier run created
   * it as the replacement.
   */
  hasOther(id: string, urn: string | undefined): boolean {
    const { idInState, found, create, declared } = this.resource(urn);
    const now = found ?? (declared && idInState);
    return now !== undefined && now !== id && create === undefined;
  }

  /**
   * Whether this diff is part of a refresh, which changes nothing. Before the diff of an update, the engine has checked the declaration;
   * before one for the replacement of another resource, some inputs are unknown. The outputs of a renamed resource have its old URN.
   */
  isRefreshed(id: string, before: Declared<object>, { resource: { urn }, inputs }: Declared<object>) {
    const isDeclared = urn !== undefined && this.isDeclared(urn);
    return this.resource(before.resource.urn ?? id).isRead === true && !isDeclared && !isUnknown(inputs);
  }

  /** The record of the resource that has the id in state. */
  recordOf(id: string): ResourceRecord {
    return this.resource(this.ownerOf(id));
  }

  /** The resource that has the id in state. */
  ownerOf(id: string): string | undefined {
    return [...this.resources].find(([, { idInState }]) => idInState === id)?.[0];
  }

  /**
   * The declared resource that uses the item. One that is to be replaced counts until its replacement exists: the engine may skip that
   * create. One that leaves its branch counts until its delete has begun.
   */
  userOf(id: string): string | undefined {
    const { holder, leaving, mover } = this.item(id);
    const owner = this.ownerOf(id);
    const { declared, create } = this.resource(owner);
    const mayUse = declared !== undefined && create !== 'done' && !(leaving && mover === owner);
    return holder ?? (mayUse ? owner : undefined);
  }

  /** Whether this run deletes it, as far as the engine has asked: its delete has begun, or it is replaced with its branch. */
  isGoing(id: string): boolean {
    return this.item(id).leaving !== undefined || this.recordOf(id).replacement === 'early';
  }

  /** The resources that the program declares with these arguments, as far as the engine has passed them. */
  urnsWith(given: Properties): string[] {
    return [...this.resources].flatMap(([urn, { declared }]) =>
      declared && isMatch(declared.inputs, given) ? [urn] : [],
    );
  }

  /** The ids of the declared resources that the state or the program has on the branch, and of those that this run has created there. */
  idsOn(branchId: string): string[] {
    const isOn = (given: Declared<Properties> | undefined) => given?.inputs.branchId === branchId;
    const all = filter([...this.resources.values()], 'declared');
    const known = all.filter(({ declared, inState }) => isOn(declared) || isOn(inState));
    const own = [...this.items].filter(([, it]) => it.isCreated && isOn(this.resource(it.holder).declared));
    return union(compact(map(known, 'idInState')), map(own, 0));
  }

  /** The other resources that this run puts on the branch, by a create or by a move. */
  findArrivals(branchId: string, urn: string | undefined): string[] {
    return [...this.resources].flatMap(([other, { create = 'done', declared, idInState = '' }]) => {
      const arrives = create !== 'done' || this.item(idInState).mover === other;
      return other !== urn && arrives && declared?.inputs.branchId === branchId ? [other] : [];
    });
  }

  protected note(urn: string, change: ResourceRecord): void {
    for (const secret of compact([change.declared, change.inState]).flatMap(listMarkedValues))
      this.secrets.add(secret);
    this.resources.set(urn, { ...this.resource(urn), ...change });
  }
}
