import { setTimeout as sleep } from 'node:timers/promises';
import { clamp } from 'lodash';
import type { ControlApi } from './control-api';
import { isNotFound } from './control-api-error';
import type { Deadline } from './deadline';
import { rereadUntil } from './read-lag';
import type { Endpoint } from './wire-types';

/** How long a list waits for further callers: as long as the last list took, between these bounds. Milliseconds. */
const gatherMs = { least: 5, most: 1_000 };

/** The first pause as a share of the read lag: an endpoint that no read shows is read after 0, 1/7, 3/7 and all of it. */
const firstPauseShare = 1 / 7;

interface FindOptions {
  /** How old a list may be that shows the endpoint. @default 0 */
  readonly maxAgeMs?: number;
  /** The list must have been sent after this point in local time. */
  readonly after?: number;
  readonly deadline?: Deadline | undefined;
}

/**
 * The endpoints of one project. Callers share the next list, never one that was already sent. The more a list costs, the
 * longer it waits for further callers, so that lists take at most half of the time.
 */
export class EndpointList {
  readonly #api: ControlApi;
  readonly #projectId: string;
  /** What is known to be gone: a list that lags behind may still show it. */
  readonly #gone = new Set<string>();
  #latest: readonly Endpoint[] = [];
  #latestAskedAt = Number.NEGATIVE_INFINITY;
  #latestTookMs = 0;
  #upcoming: Promise<readonly Endpoint[]> | undefined;
  #underway: Promise<unknown> = Promise.resolve();

  constructor(api: ControlApi, projectId: string) {
    this.#api = api;
    this.#projectId = projectId;
  }

  /** The newest list; empty before the first. */
  get latest(): readonly Endpoint[] {
    return this.#latest;
  }

  /** Every endpoint of the project, as listed at most so long ago, and after a point in local time. */
  async recent(maxAgeMs: number, after = 0): Promise<readonly Endpoint[]> {
    const oldest = Math.max(Date.now() - maxAgeMs, after);
    return this.#latestAskedAt > oldest ? this.#latest : this.fresh();
  }

  /** Every endpoint of the project, by a list that is sent after this call. */
  fresh(): Promise<readonly Endpoint[]> {
    this.#upcoming ??= this.#fetchNext();
    return this.#upcoming;
  }

  /** Leaves an endpoint that is gone out of every list, and asks for a new one. Ids are never used again. */
  hide(endpointId: string): void {
    this.#gone.add(endpointId);
    this.#latest = this.#latest.filter(({ id }) => id !== endpointId);
    this.#latestAskedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * The endpoint of that id; undefined when it is gone: the project answers without it, and the service itself does not
   * know it by its id.
   */
  async find(
    endpointId: string,
    { maxAgeMs = 0, after = 0, deadline }: FindOptions = {},
  ): Promise<Endpoint | undefined> {
    const list = maxAgeMs > 0 ? this.recent(maxAgeMs, after) : this.fresh();
    const endpoints = await (deadline
      ? deadline.bound(list, `list of the endpoints of project ${this.#projectId}`)
      : list);
    const listed = endpoints.find(({ id }) => id === endpointId);
    return listed ?? this.#findById(endpointId, deadline);
  }

  /**
   * The endpoint of that id, by the first read that shows it; undefined once reads can no longer lag behind writes, and
   * none has shown it.
   */
  async findPatiently(
    endpointId: string,
    readLagMs: number,
    options: FindOptions = {},
  ): Promise<Endpoint | undefined> {
    let shared = options;
    return readPatiently(readLagMs, () => {
      const found = this.find(endpointId, shared);
      // Only the first read may share a list that was sent before.
      shared = { deadline: options.deadline };
      return found;
    });
  }

  /** Whether the service itself knows the endpoint by its id: a list that lags behind may show what is deleted. */
  async exists(endpointId: string, readLagMs: number, deadline: Deadline): Promise<boolean> {
    return (await readPatiently(readLagMs, () => this.#findById(endpointId, deadline))) !== undefined;
  }

  async #findById(endpointId: string, deadline: Deadline | undefined): Promise<Endpoint | undefined> {
    try {
      return await this.#api.getEndpoint(this.#projectId, endpointId, deadline);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #fetchNext(): Promise<readonly Endpoint[]> {
    await Promise.all([this.#underway, sleep(clamp(this.#latestTookMs, gatherMs.least, gatherMs.most))]);
    let askedAt = 0;
    // Until it is sent it may wait for the rate limiter, and further callers share it.
    const onSend = () => {
      if (askedAt === 0) this.#upcoming = undefined;
      askedAt ||= Date.now();
    };
    const list = this.#api.listEndpoints(this.#projectId, { onSend });
    this.#underway = list.catch(() => undefined);
    try {
      const endpoints = await list;
      this.#latest = endpoints.filter(({ id }) => !this.#gone.has(id));
      this.#latestAskedAt = askedAt;
      this.#latestTookMs = Date.now() - askedAt;
      return this.#latest;
    } catch (error) {
      if (isNotFound(error)) throw new Error(describeUnknownProject(error), { cause: error });
      throw error;
    } finally {
      // Callers must not share a list that failed before it was sent.
      if (askedAt === 0) this.#upcoming = undefined;
    }
  }
}

function readPatiently<Found>(
  readLagMs: number,
  read: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const pauses = { firstMs: Math.ceil(firstPauseShare * readLagMs), longestMs: readLagMs };
  return rereadUntil(readLagMs, read, (found) => found !== undefined, pauses);
}

/** It may be gone, or belong to another account than the key: only the user can tell. */
function describeUnknownProject({ message }: Error): string {
  return `${message}. Either the key or the base URL is another account's, or the project was deleted; nothing was removed from the state. If it was deleted on purpose, remove its endpoints from the state with \`pulumi state delete\`.`;
}
