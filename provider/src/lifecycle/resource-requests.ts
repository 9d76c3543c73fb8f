import { isFromProxy, isNotFound } from '../control-api/control-api-error';
import { rereadUntil } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { describeBlockers, describeRunning } from '../engine/progress';
import { listOperationsSince } from '../operations/operation-pages';
import { awaitOperations, type WaitResult } from '../operations/wait-for-operations';
import type { Change, Resource } from './resource';
import { describeGone, GoneError } from './resource-errors';
import type { Event, Item } from './situation';

/** The response to a write that may have been repeated. */
interface Accepted<Shown> extends Change<Shown> {
  /** The earliest time at which the first request can have been sent, by the clock of the service. */
  readonly sentAfter: (newestAt: number) => number;
}

/** The requests of one run. What they show is learned at once. */
export class ResourceRequests<Shown extends Item> {
  readonly #resource: Resource<Shown, unknown>;
  readonly #learn: (event: Event) => void;

  constructor(resource: Resource<Shown, unknown>, learn: (event: Event) => void) {
    this.#resource = resource;
    this.#learn = learn;
  }

  get #parts() {
    return { ...this.#resource.work, resource: this.#resource };
  }

  /** The resource as it is now. @throws GoneError when it no longer exists */
  async read(): Promise<Shown> {
    const { resource, project, deadline, id } = this.#parts;
    const options = { deadline: deadline.forReads() };
    const item = await resource.list.findPatiently(id, project.readLagMs, options);
    if (!item) throw new GoneError(describeGone(resource.work));
    this.#learn({ kind: 'shown', item });
    return item;
  }

  /** The resource by one read, also beyond the deadline; undefined when that does not show it. */
  async find(): Promise<Shown | undefined> {
    const { resource, deadline, id } = this.#parts;
    const item = await resource.list.find(id, { deadline: deadline.forReads() });
    if (item) this.#learn({ kind: 'shown', item });
    return item;
  }

  /**
   * Every write but a reset is safe to repeat: a second one changes nothing, and its response names no operation.
   * @param check rejects if it must not be sent: now, and again after it has waited in the queue
   * @param findDone what an earlier request has done, so that it is neither repeated nor checked. @default nothing
   */
  async write(
    send: () => Promise<Change<Shown>>,
    check: () => Promise<void>,
    findDone?: () => Promise<Change<Shown> | undefined>,
  ): Promise<Accepted<Shown>> {
    const { resource, project, deadline, progress } = this.#parts;
    const sentAt = performance.now();
    if (!findDone) await check();
    try {
      const change = await project.write({
        send: () => this.#noteOutcome(send()),
        onLost: () => this.#learn({ kind: 'lost' }),
        isLookupDue: () => true,
        findDone: async () => {
          const done = await findDone?.();
          if (!done) await check();
          return done;
        },
        deadline,
        startedBy: ({ operations }) => operations,
        onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
      });
      return { ...change, sentAfter: (newestAt) => newestAt - (performance.now() - sentAt) };
    } catch (error) {
      // The service may not have found something else, such as the branch of a move.
      if (!isNotFound(error) || (await this.find())) throw error;
      resource.list.hide(resource.work.id);
      throw new GoneError(`${error.message}. ${describeGone(resource.work)}`, { cause: error });
    }
  }

  async #noteOutcome(sent: Promise<Change<Shown>>): Promise<Change<Shown>> {
    try {
      const change = await sent;
      this.#learn({ kind: 'answered', item: change.item });
      return change;
    } catch (error) {
      if (isFromProxy(error)) this.#learn({ kind: 'lost' });
      throw error;
    }
  }

  /** Waits for these operations, and for later ones of an endpoint. */
  async wait(operations: readonly Operation[]): Promise<WaitResult> {
    const { kind, id, project, deadline, progress } = this.#parts;
    deadline.begin();
    return awaitOperations(project.poller, {
      ...(kind === 'endpoint' && { endpointId: id }),
      operations,
      deadline,
      readLagMs: project.readLagMs,
      onProgress: (latest) => {
        this.#learn({ kind: 'progress', operations: latest });
        progress.show(describeRunning(latest), deadline.elapsedMs);
      },
    });
  }

  /**
   * The operations of the resource that were created after a point in time, newest first.
   * @param isEnough lists again until this, or until lists can no longer lag behind. @default one list
   */
  async list(
    after: (newestAt: number) => number,
    isEnough: (found: readonly Operation[]) => boolean = () => true,
  ): Promise<readonly Operation[]> {
    const { resource, project, deadline } = this.#parts;
    const within = deadline.forReads();
    const read = async () => {
      const all = await listOperationsSince(project.api, project.id, after, within);
      const oldestAt = after(Date.parse(all[0]?.created_at ?? ''));
      return all.filter((each) => resource.isOfResource(each) && Date.parse(each.created_at) > oldestAt);
    };
    // The steps after it need time as well.
    const lag = deadline.next(Math.min(project.readLagMs, deadline.remainingMs / 2));
    return rereadUntil(lag, read, isEnough);
  }
}
