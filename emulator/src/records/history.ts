import type { Change, Receiver } from './journal';
import type { ProjectRecord } from './records';
import type { Branch, Endpoint, Operation } from './wire-types';

/** How far reads can lag behind writes, in milliseconds. */
export const LONGEST_LAG_MS = 60_000;

/** Limits the memory of a busy emulator. Beyond this number, reads lag less than configured. */
const MOST_CHANGES = 100_000;

/** What reads show of a project, by id: copies that never change. */
export interface ProjectSnapshot {
  readonly branches: Map<string, Branch>;
  readonly endpoints: Map<string, Endpoint>;
  readonly operations: Map<string, Operation>;
}

/**
 * Keeps what changed during the last minute, so that a read can return an earlier state. Records are copied when they
 * change, not when they are read.
 */
export class History implements Receiver {
  readonly #shown = new WeakMap<ProjectRecord, ProjectSnapshot>();
  /** Oldest first. */
  readonly #changes: { atMs: number; project: ProjectRecord; undo: (shown: ProjectSnapshot) => void }[] = [];
  readonly #clockMs: () => number;
  #turnMs: number | undefined;

  constructor(clockMs: () => number = () => performance.now()) {
    this.#clockMs = clockMs;
  }

  /** A shallow copy is enough, because settings are only replaced as a whole. */
  note(change: Change): void {
    if (change.kind === 'projects') return;
    const { project, kind, record } = change;
    const { wire } = record;
    const itemsOf = (shown: ProjectSnapshot): Map<string, object> => shown[kind];
    const items = itemsOf(this.#shownOf(project));
    const before = items.get(wire.id);
    if (kind !== 'operations' && !project[kind].has(wire.id)) items.delete(wire.id);
    else items.set(wire.id, { ...wire });
    const atMs = this.#now();
    const undo = (shown: ProjectSnapshot): void => {
      if (before === undefined) itemsOf(shown).delete(wire.id);
      else itemsOf(shown).set(wire.id, before);
    };
    const changes = this.#changes;
    changes.push({ atMs, project, undo });
    while (changes.length > MOST_CHANGES || Number(changes[0]?.atMs) <= atMs - LONGEST_LAG_MS)
      changes.shift();
  }

  /** Adds the records of an earlier process, as if they had always existed. */
  startWith(project: ProjectRecord): void {
    const shown = this.#shownOf(project);
    for (const [id, { wire }] of project.branches) shown.branches.set(id, { ...wire });
    for (const [id, { wire }] of project.endpoints) shown.endpoints.set(id, { ...wire });
    for (const { wire } of project.operations) shown.operations.set(wire.id, { ...wire });
  }

  /** The project as it was `lateMs` milliseconds ago; 0 returns the current state. */
  view(project: ProjectRecord, lateMs: number): ProjectSnapshot {
    const shown = this.#shownOf(project);
    if (lateMs === 0) return shown;
    const sinceMs = this.#clockMs() - lateMs;
    const [branches, operations] = [new Map(shown.branches), new Map(shown.operations)];
    const late = { branches, endpoints: new Map(shown.endpoints), operations };
    for (const { atMs, project: changed, undo } of this.#changes.toReversed()) {
      if (atMs <= sinceMs) break;
      if (changed === project) undo(late);
    }
    // One that was deleted since has come last.
    const inOrder = [...late.endpoints].toSorted(([, one], [, other]) =>
      one.created_at < other.created_at ? -1 : 1,
    );
    return { ...late, endpoints: new Map(inOrder) };
  }

  #shownOf(project: ProjectRecord): ProjectSnapshot {
    const shown = this.#shown.get(project) ?? {
      branches: new Map(),
      endpoints: new Map(),
      operations: new Map(),
    };
    this.#shown.set(project, shown);
    return shown;
  }

  /** One time for everything in a turn of the event loop, so that no read shows half of a request's changes. */
  #now(): number {
    if (this.#turnMs === undefined) {
      this.#turnMs = this.#clockMs();
      queueMicrotask(() => {
        this.#turnMs = undefined;
      });
    }
    return this.#turnMs;
  }
}
