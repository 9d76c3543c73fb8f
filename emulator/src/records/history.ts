import type { BranchRecord, EndpointRecord, OperationRecord, ProjectRecord } from './records';
import type { Journal } from './store';
import type { Branch, Endpoint, Operation } from './wire-types';

/** How far reads can lag behind writes, in milliseconds. */
export const LONGEST_LAG_MS = 60_000;

/** Limits the memory of a busy emulator. Beyond this number, reads lag less than configured. */
const MOST_VERSIONS = 100_000;

/** What reads show of a record from a given time on. */
interface Version<Shown> {
  fromMs: number;
  /** A copy that never changes; undefined once the record is deleted. */
  shown: Shown | undefined;
  previous: Version<Shown> | undefined;
}

/** The newest version of each record, in creation order. */
type Versions<Shown> = Map<string, Version<Shown>>;

interface ProjectVersions {
  readonly branches: Versions<Branch>;
  readonly endpoints: Versions<Endpoint>;
  readonly operations: Versions<Operation>;
}

/** What reads show of a project at a given time. */
export type ProjectSnapshot = ReturnType<History['view']>;

/**
 * Keeps what reads showed during the last minute, so that a read can return an earlier state. Records are copied when
 * they change, not when they are read.
 */
export class History implements Partial<Journal> {
  readonly #projects = new WeakMap<ProjectRecord, ProjectVersions>();
  /** One entry per version, oldest first. Each runs once, when no read can need an older version. */
  readonly #expiries: { readonly fromMs: number; readonly expire: () => void }[] = [];
  #expired = 0;
  readonly #clockMs: () => number;
  #turnMs: number | undefined;

  constructor(clockMs: () => number = () => performance.now()) {
    this.#clockMs = clockMs;
  }

  noteBranch(project: ProjectRecord, { wire }: BranchRecord): void {
    const isDeleted = project.deletedBranchIds.has(wire.id);
    this.#add(this.#versionsOf(project).branches, wire.id, isDeleted ? undefined : { ...wire });
  }

  /** A shallow copy is enough, because settings are only replaced as a whole. */
  noteEndpoint(project: ProjectRecord, { wire }: EndpointRecord): void {
    const isDeleted = project.deletedEndpoints.has(wire.id);
    this.#add(this.#versionsOf(project).endpoints, wire.id, isDeleted ? undefined : { ...wire });
  }

  noteOperation(project: ProjectRecord, { wire }: OperationRecord): void {
    this.#add(this.#versionsOf(project).operations, wire.id, { ...wire });
  }

  /** Adds the records of an earlier process, as if they had always existed. */
  startWith(project: ProjectRecord): void {
    const always = <Shown>(shown: Shown): Version<Shown> => ({
      fromMs: Number.NEGATIVE_INFINITY,
      shown,
      previous: undefined,
    });
    const { branches, endpoints, operations } = project;
    const versions = this.#versionsOf(project);
    for (const [id, { wire }] of branches) versions.branches.set(id, always({ ...wire }));
    for (const [id, { wire }] of endpoints) versions.endpoints.set(id, always({ ...wire }));
    for (const { wire } of operations) versions.operations.set(wire.id, always({ ...wire }));
  }

  /** The project as it was `lateMs` milliseconds ago; 0 returns the current state. */
  view(project: ProjectRecord, lateMs: number) {
    const atMs = lateMs === 0 ? Number.POSITIVE_INFINITY : this.#clockMs() - lateMs;
    const { branches, endpoints, operations } = this.#versionsOf(project);
    return {
      branch: (id: string) => shownAt(branches.get(id), atMs),
      branches: () => [...branches.values()].flatMap((version) => shownAt(version, atMs) ?? []),
      endpoint: (id: string) => shownAt(endpoints.get(id), atMs),
      endpoints: () => [...endpoints.values()].flatMap((version) => shownAt(version, atMs) ?? []),
      operation: (id: string) => shownAt(operations.get(id), atMs),
    };
  }

  #versionsOf(project: ProjectRecord): ProjectVersions {
    let versions = this.#projects.get(project);
    if (versions === undefined) {
      versions = { branches: new Map(), endpoints: new Map(), operations: new Map() };
      this.#projects.set(project, versions);
    }
    return versions;
  }

  #add<Shown>(versions: Versions<Shown>, id: string, shown: Shown | undefined): void {
    const fromMs = this.#now();
    const previous = versions.get(id);
    if (previous?.fromMs === fromMs) {
      previous.shown = shown;
      return;
    }
    const version: Version<Shown> = { fromMs, shown, previous };
    versions.set(id, version);
    const expire = (): void => {
      version.fromMs = Number.NEGATIVE_INFINITY;
      version.previous = undefined;
      if (version.shown === undefined && versions.get(id) === version) versions.delete(id);
    };
    this.#expiries.push({ fromMs, expire });
    this.#expireOld(fromMs);
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

  #expireOld(nowMs: number): void {
    const expiries = this.#expiries;
    for (;;) {
      const oldest = expiries[this.#expired];
      const isFull = expiries.length - this.#expired > MOST_VERSIONS;
      if (oldest === undefined || (!isFull && oldest.fromMs > nowMs - LONGEST_LAG_MS)) break;
      oldest.expire();
      this.#expired += 1;
    }
    // Removing from the front is linear in the number of entries that remain, so it happens rarely.
    if (this.#expired > 1000 && this.#expired * 2 > expiries.length) {
      expiries.splice(0, this.#expired);
      this.#expired = 0;
    }
  }
}

function shownAt<Shown>(newest: Version<Shown> | undefined, atMs: number): Shown | undefined {
  let version = newest;
  while (version !== undefined && version.fromMs > atMs) version = version.previous;
  return version?.shown;
}
