import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlApi } from './control-api';
import type { Endpoint } from './wire-types';

/** How long a list waits for others who want one too. Milliseconds. */
const gatherMs = 5;

/** The endpoints of one project. Whoever asks before a list goes out shares it: no answer is older than its question. */
export class EndpointList {
  readonly #api: ControlApi;
  readonly #projectId: string;
  #latest: readonly Endpoint[] = [];
  #latestAskedAt = Number.NEGATIVE_INFINITY;
  #upcoming: Promise<readonly Endpoint[]> | undefined;
  #underway: Promise<unknown> = Promise.resolve();

  constructor(api: ControlApi, projectId: string) {
    this.#api = api;
    this.#projectId = projectId;
  }

  /** What the newest list held; empty before the first. */
  get latest(): readonly Endpoint[] {
    return this.#latest;
  }

  /** Every endpoint of the project, as it stood at most so long ago, and after a point in local time. */
  async recent(maxAgeMs: number, after = 0): Promise<readonly Endpoint[]> {
    const oldest = Math.max(Date.now() - maxAgeMs, after);
    return this.#latestAskedAt > oldest ? this.#latest : this.fresh();
  }

  /** Every endpoint of the project, as it stands after this call. */
  fresh(): Promise<readonly Endpoint[]> {
    this.#upcoming ??= this.#fetchNext();
    return this.#upcoming;
  }

  /** The endpoint of that id; undefined when the project has none. */
  async find(endpointId: string): Promise<Endpoint | undefined> {
    return (await this.fresh()).find(({ id }) => id === endpointId);
  }

  async #fetchNext(): Promise<readonly Endpoint[]> {
    await Promise.all([this.#underway, sleep(gatherMs)]);
    let askedAt = 0;
    // Until then it may wait for its place among the account's requests, and whoever comes meanwhile shares it.
    const onSend = () => {
      if (askedAt === 0) this.#upcoming = undefined;
      askedAt ||= Date.now();
    };
    const list = this.#api.listEndpoints(this.#projectId, { onSend });
    this.#underway = list.catch(() => undefined);
    this.#latest = await list;
    this.#latestAskedAt = askedAt;
    return this.#latest;
  }
}
