import { existsSync } from 'node:fs';
import type { BranchRecord } from '../records/branch-record';
import type { Step } from '../records/operation-record';
import type { ProjectRecord } from '../records/project-record';
import type { Cluster } from './cluster';
import { inheritAccess, inheritedIds } from './roles-and-databases';
import type { Schemas } from './schemas';
import { makeServerFolder } from './server-user';

/** The clusters of the branches. */
interface Clusters {
  of(branchId: string): Cluster;
  /** Creates the data of a branch that has none, in a turn of its cluster. @throws Error if its copy failed */
  prepare(cluster: Cluster): Promise<void>;
}

/** Copies data from branch to branch. */
export class BranchCopies {
  readonly #data: Clusters;
  readonly #schemas: Schemas;
  /** The copies that are under way or have failed, by branch. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(data: Clusters, schemas: Schemas) {
    this.#data = data;
    this.#schemas = schemas;
  }

  /** Copies the data of the source as it is now, or its schema. A source without data has what the template has. */
  fork(source: BranchRecord, child: BranchRecord): void {
    const from = this.#data.of(source.wire.id);
    const to = this.#data.of(child.wire.id);
    // The records may change before the copy begins.
    const childIds = inheritedIds(source, child);
    const copied = from.inTurn(async () => {
      if (existsSync(from.copying)) await this.#data.prepare(from);
      if (child.wire.init_source === 'schema-only') await this.#copySchema(from, to, child);
      else if (!to.exists && from.exists) await from.copyTo(to, inheritAccess(from.state.access, childIds));
    });
    this.#follow(child.wire.id, copied);
  }

  /** Replaces the data of a branch by that of the source. A branch may preserve the previous data. */
  restore(
    { branches }: ProjectRecord,
    branchId: string,
    { sourceId, preservedId }: NonNullable<Step['restore']>,
  ): Promise<void> | undefined {
    const [source, target] = [branches.get(sourceId), branches.get(branchId)];
    if (source === undefined || target === undefined) return undefined;
    const from = this.#data.of(sourceId);
    const to = this.#data.of(branchId);
    const ids = inheritedIds(source, target);
    const emptied = to.inTurn(async () => {
      const kept = preservedId === undefined ? undefined : this.#data.of(preservedId);
      await to.stop();
      // A killed emulator may have got further.
      if (to.exists && kept?.exists === false) await to.copyTo(kept);
      await to.remove();
    });
    emptied.catch(() => undefined);
    const copied = from.inTurn(async () => {
      await emptied;
      if (from.exists) await from.copyTo(to, inheritAccess(from.state.access, ids));
    });
    this.#follow(branchId, copied);
    return copied;
  }

  /** One that a killed emulator has begun begins again. */
  async #copySchema(from: Cluster, to: Cluster, child: BranchRecord): Promise<void> {
    await to.remove();
    if (!from.exists) return;
    await this.#data.prepare(to);
    try {
      await this.#schemas.copy(from, to, child);
    } catch (error) {
      await to.remove();
      throw error;
    }
  }

  #follow(branchId: string, copied: Promise<void>): void {
    const to = this.#data.of(branchId);
    this.#underWay.set(branchId, copied);
    // Clients of the branch wait for the copy. If it fails, the folder tells them so, even after a restart.
    to.inTurn(() => copied).then(
      () => this.#underWay.delete(branchId),
      () => makeServerFolder(to.copying),
    );
  }

  /** Begins again what an earlier emulator could not finish: the copies for new branches. */
  resumeForks({ branches, unfinished }: ProjectRecord): void {
    for (const { step } of unfinished) {
      const child = branches.get(step.branchId);
      const source = branches.get(child?.sourceId ?? '');
      if (step.purpose === 'branch-creation' && child && source) this.fork(source, child);
    }
  }

  /** Resolves when the branch has its copy of the parent's data, or rejects; undefined if it already has. */
  of(branchId: string): Promise<void> | undefined {
    return this.#underWay.get(branchId);
  }

  forget(branchId: string): void {
    this.#underWay.delete(branchId);
  }
}
