import { clamp } from 'lodash';
import type { ControlApi } from './control-api';
import { isNotFound } from './control-api-error';
import { Deadline, pause } from './deadline';
import { rereadUntil } from './read-lag';
import type { Endpoint } from './wire-types';

/** How long a list waits for further callers: as long as the last list took, within these bounds. Milliseconds. */
const gatherMs = { least: 5, most: 1_000 };

/** The first pause as a share of the read lag: a missing endpoint is read after 0, 1/7, 3/7 and all of the lag. */
const firstPauseShare = 1 / 7;

interface FindOptions {
  /** The maximum age of a list that shows the endpoint. Milliseconds. @default 0 */
  readonly maxAgeMs?: number;
  /** The list must be sent after this time. Local time. */
  readonly after?: number;
  readonly deadline?: Deadline | undefined;
}

/**
 * The endpoints of one project. Callers share the next list request, never one that was already sent. The longer a list
 * takes, the longer the next one waits for further callers, so that lists take at most half of the time.
 */
export class EndpointList {
  readonly #api: ControlApi;
  readonly #projectId: string;
  /** Endpoints that no longer exist. A lagging list may still show them. */
  readonly #gone = new Set<string>();
  #latest: readonly Endpoint[] = [];
  #latestSentAt = Number.NEGATIVE_INFINITY;
  #latestTookMs = 0;
  #upcoming: Promise<readonly Endpoint[]> | undefined;
  #underway: Promise<unknown> = Promise.resolve();

  constructor(api: ControlApi, projectId: string) {
    this.#api = api;
    this.#projectId = projectId;
  }

  /** The latest list; empty before the first. */
  get latest(): readonly Endpoint[] {
    return this.#latest;
  }

  /** Every endpoint, by a list that is younger than `maxAgeMs` and was sent after a point in local time. */
  async recent(maxAgeMs: number, after = 0): Promise<readonly Endpoint[]> {
    const oldest = Math.max(Date.now() - maxAgeMs, after);
    return this.#latestSentAt > oldest ? this.#latest : this.fresh();
  }

  /** Every endpoint, by a list that is sent after this call. */
  fresh(): Promise<readonly Endpoint[]> {
    this.#upcoming ??= this.#fetchNext();
    return this.#upcoming;
  }

  /** Removes a deleted endpoint from every list. The next read requests a new list. The service never reuses an id. */
  hide(endpointId: string): void {
    this.#gone.add(endpointId);
    this.#latest = this.#latest.filter(({ id }) => id !== endpointId);
    this.#latestSentAt = Number.NEGATIVE_INFINITY;
  }

  /** The endpoint; undefined if neither the list nor a read by id shows it. */
  async find(endpointId: string, options: FindOptions = {}): Promise<Endpoint | undefined> {
    const { maxAgeMs = 0, after = 0, deadline } = options;
    const list = maxAgeMs > 0 ? this.recent(maxAgeMs, after) : this.fresh();
    const what = `list of the endpoints of project ${this.#projectId}`;
    const endpoints = await (deadline ? deadline.bound(list, what) : list);
    const listed = endpoints.find(({ id }) => id === endpointId);
    return listed ?? this.#findById(endpointId, deadline);
  }

  /** The endpoint by the first read that shows it; undefined if none does within the read lag. */
  async findPatiently(
    endpointId: string,
    readLagMs: number,
    options: FindOptions = {},
  ): Promise<Endpoint | undefined> {
    let shared = options;
    return this.#readPatiently(readLagMs, () => {
      const found = this.find(endpointId, shared);
      // Only the first read may use an earlier list.
      shared = { deadline: options.deadline };
      return found;
    });
  }

  /** Whether a read by id shows the endpoint. A lagging list may still show a deleted one. */
  async exists(endpointId: string, readLagMs: number, deadline: Deadline): Promise<boolean> {
    return (await this.#readPatiently(readLagMs, () => this.#findById(endpointId, deadline))) !== undefined;
  }

  async #findById(endpointId: string, deadline: Deadline | undefined): Promise<Endpoint | undefined> {
    try {
      return await this.#api.getEndpoint(this.#projectId, endpointId, deadline);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #readPatiently<Found>(
    readLagMs: number,
    read: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const lag = new Deadline(readLagMs, 'now', this.#api.signal);
    const pauses = { firstMs: Math.ceil(firstPauseShare * readLagMs), longestMs: readLagMs };
    return rereadUntil(lag, read, (found) => found !== undefined, pauses);
  }

  async #fetchNext(): Promise<readonly Endpoint[]> {
    const waitMs = clamp(this.#latestTookMs, gatherMs.least, gatherMs.most);
    await Promise.all([this.#underway, pause(waitMs, this.#api.signal)]);
    let sentAt = 0;
    // Until it is sent, it may wait for the rate limiter, and further callers share it.
    const onSend = () => {
      if (sentAt === 0) this.#upcoming = undefined;
      sentAt ||= Date.now();
    };
    const list = this.#api.listEndpoints(this.#projectId, { onSend });
    this.#underway = list.catch(() => undefined);
    try {
      const endpoints = await list;
      this.#latest = endpoints.filter(({ id }) => !this.#gone.has(id));
      this.#latestSentAt = sentAt;
      this.#latestTookMs = Date.now() - sentAt;
      return this.#latest;
    } catch (error) {
      if (isNotFound(error)) throw new Error(describeUnknownProject(error), { cause: error });
      throw error;
    } finally {
      // Callers must not share a list that failed before it was sent.
      if (sentAt === 0) this.#upcoming = undefined;
    }
  }
}

function describeUnknownProject({ message }: Error): string {
  return `${message}. Either the key or the base URL belongs to another account, or the project was deleted. Nothing was removed from the state. If you deleted the project on purpose, remove its endpoints from the state with \`pulumi state delete\`.`;
}
