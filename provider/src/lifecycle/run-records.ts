import { isUnknown } from './input-values';
import type { Properties } from './resource-identity';

/**
 * What a run knows of a resource, by its URN. Which calls the engine makes in which order, and what each shows:
 * docs/internals/engine-calls.md.
 */
export interface ResourceRecord {
  /** The inputs in state, as far as the engine has passed them. */
  readonly inState?: Properties;
  /** What the program declares, as the engine has passed it in this run and since a refresh. */
  readonly declared?: Properties | undefined;
  /** Whether the engine has read it: a refresh. */
  readonly isRead?: boolean;
  /** Whether the engine leaves it at the service when it deletes it, as the state says. */
  readonly isRetained?: boolean;
  /** Of the create that this run makes: `pending` must come before any delete of the resource. Absent: none is known. */
  readonly create?: 'expected' | 'pending' | 'failed without an id' | 'done';
  /**
   * What diff has said of a replacement. `early`: yes, when the engine asked before it passed the declaration. `none`: nothing changes, so
   * a create after it ends a replacement that an earlier run began.
   */
  readonly replacement?: 'early' | 'judged' | 'none' | undefined;
  /** The id in state, of which diff was asked about a replacement. */
  readonly idInState?: string;
}

/** What a run knows of an endpoint or a branch, by its id. */
export interface ItemRecord {
  /** The URN that has the id in state, or whose create has returned it. */
  readonly holder?: string | undefined;
  /** The URN whose create has returned it in this run. */
  readonly creator?: string;
  /** The URN that takes it off its branch in this run, by a move or by a replacement that deletes it first. */
  readonly mover?: string | undefined;
  /** The new resource that is to take it over. */
  readonly adopter?: string;
  /** Of a branch that a change replaces: the endpoints on it of which the preview knows. */
  readonly foreseen?: readonly string[];
  /** Whether this run is deleting it. */
  readonly isLeaving?: boolean;
}

/** What a run knows of the resources of one type: each fact as the engine's calls show it. */
export class RunRecords {
  protected readonly resources = new Map<string, ResourceRecord>();
  protected readonly items = new Map<string, ItemRecord>();

  resource(urn: string | undefined): ResourceRecord {
    return this.resources.get(urn ?? '') ?? {};
  }

  note(urn: string, change: ResourceRecord): void {
    this.resources.set(urn, { ...this.resource(urn), ...change });
  }

  item(id: string): ItemRecord {
    return this.items.get(id) ?? {};
  }

  noteItem(id: string, change: ItemRecord): void {
    this.items.set(id, { ...this.item(id), ...change });
  }

  /** What this run is to create in place of the resource; undefined when it creates nothing, or has done so already. */
  findReplacement(urn: string | undefined): Properties | undefined {
    const { create, declared } = this.resource(urn ?? '');
    return create === 'expected' ? declared : undefined;
  }

  /** This run deletes it, until the delete fails. */
  async noteLeaving(id: string, deletion: Promise<void>): Promise<void> {
    this.noteItem(id, { isLeaving: true });
    try {
      await deletion;
    } catch (error) {
      this.noteItem(id, { isLeaving: false });
      throw error;
    }
  }

  /** The resource of this program that has the id, and keeps it. */
  declaredHolderOf(id: string): string | undefined {
    const { holder } = this.item(id);
    return holder !== undefined && this.isDeclared(holder) ? holder : undefined;
  }

  /** Whether the program declares anything, as far as the engine has passed it: a destroy declares nothing. */
  get hasDeclared(): boolean {
    return [...this.resources.values()].some(({ declared }) => declared !== undefined);
  }

  get hasAdopters(): boolean {
    const all = [...this.resources.values()];
    return all.some(({ create, declared }) => create !== undefined && declared?.adopt === true);
  }

  /** Whether this run takes the name from what has it in state: by a rename, or a replacement in another project. */
  givesUpName(urn: string | undefined): boolean {
    const { inState, declared } = this.resource(urn);
    const isSame = declared?.name === inState?.name && declared?.projectId === inState?.projectId;
    return inState?.name !== undefined && declared !== undefined && !isSame;
  }

  /** Another resource that this run puts on the branch, by a create or by a move. */
  findArrival(branchId: string, urn: string | undefined): string | undefined {
    for (const [other, { create = 'done', declared, idInState = '' }] of this.resources) {
      const arrives = create !== 'done' || this.item(idInState).mover === other;
      if (other !== urn && arrives && declared?.branchId === branchId) return other;
    }
    return undefined;
  }

  /** Another resource that leaves the same branch in this run, also for one that is not known yet. */
  findCompanion(urn: string | undefined): string | undefined {
    const isMoving = ({ idInState = '' }: ResourceRecord, of: string) => this.item(idInState).mover === of;
    const own = this.resource(urn);
    if (urn === undefined || !isMoving(own, urn)) return undefined;
    const isCompanion = ([other, record]: [string, ResourceRecord]) =>
      other !== urn &&
      isMoving(record, other) &&
      record.replacement === undefined &&
      isUnknown(record.declared?.branchId) &&
      record.inState?.branchId === own.inState?.branchId;
    return [...this.resources].find(isCompanion)?.[0];
  }

  /** The resource of this program that has the id in state. */
  ownerOf(id: string): string | undefined {
    const isOwner = ([, { idInState }]: [string, ResourceRecord]) => idInState === id;
    return [...this.resources].find(isOwner)?.[0] ?? this.declaredHolderOf(id);
  }

  /** The engine has read a resource in state. */
  noteRead(id: string, urn = id): void {
    this.note(urn, { isRead: true, declared: undefined });
  }

  isDeclared(urn: string): boolean {
    return this.resource(urn).declared !== undefined;
  }
}
