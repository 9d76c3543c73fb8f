import { type ControlApiError, isConflict } from '../control-api/control-api-error';
import { rereadUntil } from '../control-api/read-lag';
import type { ResourceList } from '../control-api/resource-list';
import type { Operation } from '../control-api/wire-types';
import { describeBlockers } from '../engine/progress';
import type { Work } from './provider-core';
import type { Change } from './resource';
import type { Situation, TakenOver } from './situation';

/** A list older than this does not prove that the resource does not exist. Milliseconds. */
const freshListMs = 5_000;

/** What a create takes over instead of creating: its own, made by an earlier try, or one to adopt. */
export interface Existing<Shown> {
  readonly origin: TakenOver;
  readonly item: Shown;
}

type Writes = Situation['writes'];

/** What a create has created now, or found. */
export type Creation<Shown> =
  | (Change<Shown> & { readonly origin: 'new' })
  /** `writes`: what this run has sent until then. */
  | (Existing<Shown> & Pick<Situation, 'writes'>);

export interface CreateRequest<Shown extends { readonly id: string }> {
  readonly work: Work<unknown>;
  readonly list: ResourceList<Shown>;
  /**
   * @param writes `unknown`: this run has sent a create that may have done its work
   * @throws Error when something is in the way that must not be taken over
   */
  readonly findExisting: (items: readonly Shown[], writes: Writes) => Existing<Shown> | undefined;
  /** Whether the service answers 409 to a second create. */
  readonly refusesSecond: boolean;
  /** @throws Error that says what is in the way, if these items show it */
  readonly explainConflict?: (items: readonly Shown[], conflict: ControlApiError) => void;
  readonly send: () => Promise<Change<Shown>>;
  /** Turns a failure after a lost response into one that keeps the resource in state. Absent: its derived name is enough */
  readonly keep?: (error: unknown) => Error;
}

/**
 * Creates a resource exactly once, however often it is called. It is created under a derived name, which no other client uses, so
 * it is looked up by that name before the first request, after every request whose outcome is unknown, and after a long wait for
 * the project's lock.
 */
export async function createOnce<Shown extends { readonly id: string }>(
  request: CreateRequest<Shown>,
): Promise<Creation<Shown>> {
  const { work, list, findExisting, keep } = request;
  const { project, deadline, progress } = work;
  const read = (maxAgeMs: number) => deadline.bound(list.recent(maxAgeMs), 'list for the create');
  const existing = findExisting(await read(freshListMs), 'none');
  if (existing) return { ...existing, writes: 'none' };
  const listedAt = performance.now();
  let writes: Writes = 'none';
  /** Lists until something is found, or until lists can no longer lag behind. */
  const search = async (lagMs: number, explain?: (items: readonly Shown[]) => void) => {
    const find = async () => {
      const items = await read(0);
      const found = findExisting(items, writes);
      if (!found) explain?.(items);
      return found;
    };
    const found = await rereadUntil(deadline.within(lagMs), find, (each) => each !== undefined);
    return found && { ...found, writes };
  };
  const write = project.write<Creation<Shown>>({
    deadline,
    onLost: () => {
      writes = 'unknown';
    },
    isLookupDue: () => performance.now() - listedAt > freshListMs,
    findDone: () => search(writes === 'unknown' && !request.refusesSecond ? project.readLagMs : 0),
    send: async () => {
      try {
        return { origin: 'new', ...(await request.send()) };
      } catch (error) {
        if (!isConflict(error)) throw error;
        const found = await search(project.readLagMs, (items) => request.explainConflict?.(items, error));
        if (!found) throw error;
        return found;
      }
    },
    onLocked: (blocking: readonly Operation[]) =>
      progress.show(describeBlockers(blocking), deadline.elapsedMs),
    startedBy: (creation) => (creation.origin === 'new' ? creation.operations : []),
  });
  return write.catch((error: unknown) => {
    throw writes === 'unknown' && keep ? keep(error) : error;
  });
}
