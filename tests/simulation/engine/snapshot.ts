import type { PendingOperation, StackState, StoredResource } from './stack';

/**
 * What the engine writes after each step: the resources of this run, then those of the state before that no step of this
 * run has finished with (Pulumi's `SnapshotManager.Snap`).
 */
export class Snapshot {
  /** The resources of the state before. The engine marks them in place. */
  base: StoredResource[];
  readonly #pendingCreates: readonly PendingOperation[];
  readonly #news: StoredResource[] = [];
  readonly #done = new Set<StoredResource>();
  readonly #pending = new Set<PendingOperation>();

  constructor({ resources, pending }: StackState) {
    this.base = resources.map((resource) => ({ ...resource }));
    // The engine keeps them until the user clears them; the next create does not.
    this.#pendingCreates = pending.filter(({ kind }) => kind === 'creating');
  }

  begin(operation: PendingOperation): void {
    this.#pending.add(operation);
  }

  end(operation: PendingOperation): void {
    this.#pending.delete(operation);
  }

  markNew(resource: StoredResource): void {
    this.#news.push(resource);
  }

  markDone(resource: StoredResource): void {
    this.#done.add(resource);
  }

  /** The resource as this run knows it; undefined when it does not exist. */
  find(urn: string): StoredResource | undefined {
    const all = [...this.#news.toReversed(), ...this.base].filter((resource) => !this.#done.has(resource));
    return all.find((each) => each.urn === urn && !each.isToDelete && !each.isPendingReplacement);
  }

  get state(): StackState {
    const resources = [...this.#news, ...this.base].filter((resource) => !this.#done.has(resource));
    return {
      resources: resources.map((resource) => ({ ...resource })),
      pending: [...this.#pending, ...this.#pendingCreates],
    };
  }
}
