import { rm } from 'node:fs/promises';
import type { BranchRecord, ProjectRecord, Step } from '../records/records';
import { inheritAccess, inheritedIds } from './apply-access';
import type { Cluster } from './cluster';
import { readState } from './cluster-state';
import type { Schemas } from './schemas';

interface Clusters {
  of(branchId: string): Cluster;
  prepare(cluster: Cluster): Promise<void>;
  checkComplete(cluster: Cluster): void;
}

export class BranchCopies {
  readonly #data: Clusters;
  readonly #schemas: Schemas;
  readonly #saved: () => Promise<void>;
  /** The copies that are under way or have failed, by branch. */
  readonly #underWay = new Map<string, Promise<void>>();
  /** The branches whose data is still to come, or did not: no server runs for them. The records tell a later emulator. */
  readonly #lacking = new Set<string>();

  constructor(data: Clusters, schemas: Schemas, saved: () => Promise<void>) {
    this.#data = data;
    this.#schemas = schemas;
    this.#saved = saved;
  }

  /** Copies the data of the source as it is now, or its schema. A source without data has what the template has. */
  fork(source: BranchRecord, child: BranchRecord): void {
    const from = this.#data.of(source.wire.id);
    const to = this.#data.of(child.wire.id);
    // The records may change before the copy begins.
    const childIds = inheritedIds(source, child);
    const copied =
      child.wire.init_source === 'schema-only'
        ? this.#copySchema(from, to, child)
        : from.inTurn(async () => {
            if (this.#hasData(from) && !to.exists)
              await from.copyTo(to, inheritAccess(from.state.access, childIds));
          });
    this.#follow(child.wire.id, copied);
  }

  /** A new branch waits for the data that a restore leaves to it. */
  expect(branchId: string): void {
    this.#lacking.add(branchId);
  }

  lacksData(branchId: string): boolean {
    return this.#lacking.has(branchId);
  }

  /**
   * Replaces the data of a branch by that of the source, when the copy is complete. A branch may preserve the previous
   * data. An earlier copy for the branch comes first. Rejects with the reason if nothing was replaced.
   */
  async restore(
    { branches }: ProjectRecord,
    branchId: string,
    { sourceId, preservedId, access }: NonNullable<Step['restore']>,
  ): Promise<void> {
    const find = (id: string): BranchRecord => {
      const branch = branches.get(id);
      if (branch === undefined) throw new Error(`branch ${id} no longer exists`);
      return branch;
    };
    const askedAt = find(branchId).wire.last_reset_at;
    const from = this.#data.of(sourceId);
    const to = this.#data.of(branchId);
    const kept = preservedId === undefined ? undefined : this.#data.of(preservedId);
    // By an emulator that ended before the operation did. Clients may have written since.
    if (to.state.copiedAt === askedAt) return this.#noteRestored(branchId, preservedId);
    // By one that was killed when it put the copy in place: nothing else may have the data.
    const isCopied = readState(to.copying).copiedAt === askedAt;
    const ids = isCopied ? new Map() : inheritedIds(find(sourceId), access);
    const copy = async (): Promise<void> => {
      if (isCopied) return;
      find(sourceId);
      await this.#data.prepare(from);
      try {
        await from.copyBeside(to, inheritAccess(from.state.access, ids), askedAt);
        to.leaving.signal.throwIfAborted();
        await this.#saved();
      } catch (error) {
        await rm(to.copying, { recursive: true, force: true });
        throw error;
      }
    };
    const isFree = to.inTurn(async () => undefined);
    const restored = isFree.then(() => from.inTurn(copy)).then(() => to.inTurn(() => to.replace(kept)));
    this.#underWay.set(branchId, restored);
    await restored.finally(() => this.#underWay.delete(branchId));
    this.#noteRestored(branchId, preservedId);
  }

  #noteRestored(branchId: string, preservedId = ''): void {
    if (!this.lacksData(branchId)) this.#lacking.delete(preservedId);
    this.#lacking.delete(branchId);
  }

  /** Starts again if an emulator was killed during it. Only its reads take a turn of the source. */
  async #copySchema(from: Cluster, to: Cluster, child: BranchRecord): Promise<void> {
    if (to.state.copiedAt === child.wire.created_at) return;
    const dumps = await from.inTurn(async () => {
      return this.#hasData(from) ? this.#schemas.read(from, child) : undefined;
    });
    await to.remove();
    await this.#data.prepare(to);
    try {
      if (dumps !== undefined) await this.#schemas.write(to, child, dumps);
      to.note({ copiedAt: child.wire.created_at });
    } catch (error) {
      await to.remove();
      throw error;
    }
  }

  /** Whether a source has data; one without has what the template has. @throws Error if its copy failed */
  #hasData(source: Cluster): boolean {
    if (!source.exists) this.#data.checkComplete(source);
    return source.exists;
  }

  #follow(branchId: string, copied: Promise<void>): void {
    const to = this.#data.of(branchId);
    this.#underWay.set(branchId, copied);
    // Clients of the branch wait for the copy.
    to.inTurn(() => copied).then(
      () => void this.#underWay.delete(branchId),
      () => void this.#lacking.add(branchId),
    );
  }

  /** Begins again what an earlier emulator could not finish: the copies for new branches. Only a project's first branch begins without data. */
  resume({ branches, unfinished }: ProjectRecord): void {
    for (const { step } of unfinished) {
      const child = branches.get(step.branchId);
      const source = branches.get(child?.sourceId ?? '');
      if (step.purpose === 'branch-creation' && child && source) this.fork(source, child);
    }
    for (const { wire } of [...branches.values()].slice(1)) {
      const isNew = wire.current_state === 'init' && !this.#data.of(wire.id).exists;
      if (isNew && !this.#underWay.has(wire.id)) this.#lacking.add(wire.id);
    }
  }

  /** What its creation waits for. Rejects with the reason if it has no data that it should have. */
  async created(branchId: string): Promise<void> {
    await this.of(branchId);
    this.#hasData(this.#data.of(branchId));
  }

  /** Resolves when the branch has its copy of the parent's data, or rejects; undefined if it already has. */
  of(branchId: string): Promise<void> | undefined {
    return this.#underWay.get(branchId);
  }

  forget(branchId: string): void {
    this.#underWay.delete(branchId);
    this.#lacking.delete(branchId);
  }
}
