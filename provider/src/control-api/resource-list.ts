import { clamp, omit } from 'lodash';
import { addSentence, type ControlApiError, isNotFound } from './control-api-error';
import { Deadline, pause } from './deadline';
import { rereadUntil } from './read-lag';
import type { CallOptions } from './retry';

/** How long a list waits for further callers: as long as the last list took, within these bounds. Milliseconds. */
const gatherMs = { least: 5, most: 1_000 };

/** The first pause as a share of the read lag: a missing item is read after 0, 1/7, 3/7 and all of the lag. */
const firstPauseShare = 1 / 7;

interface FindOptions<Item> {
  /** The maximum age of a list that shows the item. Milliseconds. @default 0 */
  readonly maxAgeMs?: number;
  /** The list must be sent after this time. By `performance.now()`. */
  readonly after?: number;
  readonly deadline?: Deadline | undefined;
  /** Recognises the item under another id; tried before the id. @default nothing */
  readonly isSame?: ((item: Item) => boolean) | undefined;
}

/** How to read the items of one project, such as its endpoints. */
export interface ListSource<Item> {
  readonly projectId: string;
  /** Such as `endpoints`, in messages. */
  readonly plural: string;
  readonly list: (options: CallOptions) => Promise<readonly Item[]>;
  readonly get: (id: string, deadline?: Deadline) => Promise<Item>;
  /** When this process last wrote to the project, by `performance.now()`. */
  readonly latestWriteAt: () => number;
  /** Ends every wait. */
  readonly signal: AbortSignal | undefined;
}

/**
 * The resources of one kind in a project. Callers share the next list request, never one that was already sent. The longer a list
 * takes, the longer the next one waits for further callers, so that lists take at most half of the time.
 */
export class ResourceList<Item extends { readonly id: string }> {
  readonly #source: ListSource<Item>;
  /** The ids that no longer exist. A lagging list may still show them. */
  readonly #gone = new Set<string>();
  #latest: readonly Item[] = [];
  #latestSentAt = Number.NEGATIVE_INFINITY;
  #latestTookMs = 0;
  #upcoming: Promise<readonly Item[]> | undefined;
  #underway: Promise<readonly Item[]> | undefined;

  constructor(source: ListSource<Item>) {
    this.#source = source;
  }

  /** The latest list; empty before the first. */
  get latest(): readonly Item[] {
    return this.#latest;
  }

  /** Every item, by a list that is younger than `maxAgeMs` and was sent after a point in time. */
  async recent(maxAgeMs: number, after = Number.NEGATIVE_INFINITY): Promise<readonly Item[]> {
    const oldest = Math.max(performance.now() - maxAgeMs, after);
    return this.#latestSentAt > oldest ? this.#latest : this.fresh();
  }

  /** Every item, by a list that is sent after this call. */
  fresh(): Promise<readonly Item[]> {
    this.#upcoming ??= this.#fetchNext();
    return this.#upcoming;
  }

  /** An item may exist under this id again: a path, such as of a role. The service never reuses its own ids. */
  show(id: string): void {
    this.#gone.delete(id);
  }

  /** Removes a deleted item from every list. The next read requests a new list. */
  hide(id: string): void {
    this.#gone.add(id);
    this.#latest = this.#latest.filter((item) => item.id !== id);
    this.#latestSentAt = Number.NEGATIVE_INFINITY;
  }

  /** The item; undefined if neither the list nor a read by id shows it. */
  async find(id: string, options: FindOptions<Item> = {}): Promise<Item | undefined> {
    const { maxAgeMs = 0, after, deadline, isSame = () => false } = options;
    const list = maxAgeMs > 0 ? this.recent(maxAgeMs, after) : this.fresh();
    const what = `list of the ${this.#source.plural} of project ${this.#source.projectId}`;
    const items = await (deadline ? deadline.bound(list, what) : list).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      throw new Error(describeUnknownProject(error), { cause: error });
    });
    const listed = items.find(isSame) ?? items.find((item) => item.id === id);
    return listed ?? this.findById(id, deadline);
  }

  /**
   * The item by the first read that shows it. One that was just written may be missing from reads until `readLagMs` after the write.
   * @param writtenAt by `performance.now()`. @default the latest write of this process: for what is in state, the first read counts
   */
  findPatiently(
    id: string,
    readLagMs: number,
    options: FindOptions<Item> = {},
    writtenAt = this.#source.latestWriteAt(),
  ): Promise<Item | undefined> {
    const { signal } = this.#source;
    const lagMs = Math.max(0, writtenAt + readLagMs - performance.now());
    const pauses = { firstMs: Math.ceil(firstPauseShare * readLagMs), longestMs: readLagMs };
    let shared = options;
    const read = () => {
      const found = this.find(id, shared);
      // Only the first read may use an earlier list.
      shared = omit(options, 'maxAgeMs', 'after');
      return found;
    };
    return rereadUntil(new Deadline(lagMs, 'now', signal), read, (found) => found !== undefined, pauses);
  }

  /** The item as a read of its own shows it, which may be newer than a list. */
  async findById(id: string, deadline?: Deadline): Promise<Item | undefined> {
    try {
      return await this.#source.get(id, deadline);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #fetchNext(): Promise<readonly Item[]> {
    const waitMs = clamp(this.#latestTookMs, gatherMs.least, gatherMs.most);
    let sentAt: number | undefined;
    // Until it is sent, it may wait for the rate limiter, and further callers share it.
    const onSend = () => {
      if (sentAt === undefined) this.#upcoming = undefined;
      sentAt ??= performance.now();
    };
    try {
      // If the list under way fails, so does this one: it would only wait as long again.
      await Promise.all([this.#underway, pause(waitMs, this.#source.signal)]);
      this.#underway = this.#source.list({ onSend });
      const items = await this.#underway;
      this.#latest = items.filter(({ id }) => !this.#gone.has(id));
      this.#latestSentAt = sentAt ?? Number.NEGATIVE_INFINITY;
      this.#latestTookMs = performance.now() - this.#latestSentAt;
      return this.#latest;
    } finally {
      this.#underway = undefined;
      // Callers must not share a list that failed before it was sent.
      if (sentAt === undefined) this.#upcoming = undefined;
    }
  }
}

function describeUnknownProject({ message, lacksVersion }: ControlApiError): string {
  if (lacksVersion) return addSentence(message, 'Nothing was removed from the state.');
  return addSentence(
    message,
    `Either the key or the base URL belongs to another account, or this is not the id of a project (a name, for example), or the project was deleted. Nothing was removed from the state. If you deleted the project on purpose, remove its resources from the state with \`pulumi state delete\`.`,
  );
}
