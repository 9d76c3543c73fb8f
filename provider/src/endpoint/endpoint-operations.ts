import { compact, differenceBy, sortBy, unionBy, uniqBy } from 'lodash';
import type { SettingNames } from '../config/setting-names';
import { isNotFound } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { rereadUntil } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { describeProgress, type Progress } from '../engine/progress';
import { describeWaitResult } from '../lifecycle/resource-errors';
import { isSuspension, type UnsettledOperation } from '../lifecycle/resource-state';
import { isFailed, isUnfinished, outcomeOf } from '../operations/operation-outcome';
import { listOperationsSince } from '../operations/operation-pages';
import type { ServiceProject } from '../operations/service-project';
import { awaitOperations, type WaitResult } from '../operations/wait-for-operations';
import type { EndpointInputs } from './endpoint-inputs';

/** What a create or an update works on. */
export interface EndpointWork {
  readonly action: 'create' | 'update';
  readonly project: ServiceProject;
  readonly endpointId: string;
  readonly inputs: EndpointInputs;
  readonly deadline: Deadline;
  readonly progress: Progress;
  /** Whether connections of an active compute may be dropped. */
  readonly allowsRestart: boolean;
  readonly settingNames: SettingNames;
  /** The arguments that are secret, or were. @default none */
  readonly secretNames?: readonly string[] | undefined;
}

/** Operations that need no repetition if a later one of the same action has succeeded or is unfinished. */
const powerActions: readonly string[] = ['start_compute', 'suspend_compute'];

/**
 * A search for what a request has started ignores a failure of these if a later one of the same action has succeeded or is
 * unfinished.
 */
const supersededActions: readonly string[] = [...powerActions, 'apply_config'];

/** After so many failures the error is final. */
const finalFailures = 3;
/** Between two of them. Milliseconds. */
const failurePauseMs = 100;
/** How long a list may take beyond the deadline, so that the state records what is unfinished. Milliseconds. */
const extraReadMs = 5_000;

/** The operations of one create or update of one endpoint: waits for them, and records their latest statuses. */
export class EndpointOperations {
  readonly #work: EndpointWork;
  readonly #latest = new Map<string, Operation>();
  #earlierFailed: readonly UnsettledOperation[] = [];
  /** The starts of earlier restarts whose suspension has failed. */
  #earlierStarts: readonly UnsettledOperation[] = [];
  #hasVanished = false;

  constructor(work: EndpointWork) {
    this.#work = work;
  }

  /** All that are known, as last seen. */
  get latest(): readonly Operation[] {
    const repeated = this.#earlierFailed.map((operation) => this.#toOperation(operation));
    return [...repeated, ...this.#latest.values()];
  }

  /** What the state records: those that have not succeeded and, with a failed suspension, the start of its restart. */
  get unsettled(): readonly UnsettledOperation[] {
    const unsettled = this.latest.filter((operation) => outcomeOf(operation) !== 'succeeded');
    return this.#earlierFailed.some(isSuspension) ? unionBy(unsettled, this.#earlierStarts, 'id') : unsettled;
  }

  /** Whether an earlier run has left a restart whose suspension has failed. */
  get hasEarlierRestart(): boolean {
    return this.#earlierStarts.length > 0;
  }

  /** The failed operations of earlier runs, until the service has accepted their work again. */
  get earlierFailed(): readonly UnsettledOperation[] {
    return this.#earlierFailed;
  }

  get hasEarlier(): boolean {
    return this.#earlierFailed.length > 0;
  }

  /** Whether a suspension was last seen unfinished. */
  get isSuspending(): boolean {
    return this.latest.some((each) => isSuspension(each) && isUnfinished(each));
  }

  /** @param actions those whose work the service has accepted again. @default all */
  forgetEarlier(actions?: readonly string[]): void {
    this.#earlierFailed = actions
      ? this.#earlierFailed.filter(({ action }) => !actions.includes(action))
      : [];
  }

  /** After a stop is taken back, its suspension, which may be under way, is not repeated if it fails. */
  forgetSuspension(): void {
    this.forgetEarlier(['suspend_compute']);
    for (const operation of this.#latest.values())
      if (isSuspension(operation)) this.#latest.delete(operation.id);
  }

  /** Whether one may have ended unseen, so that only the endpoint shows the outcome. */
  get hasVanished(): boolean {
    return this.#hasVanished;
  }

  /** Waits for the operations of a response. @throws Error when one failed, or has not finished at the deadline */
  async await(operations: readonly Operation[]): Promise<void> {
    const result = await this.#wait(operations);
    if (result && result.outcome !== 'succeeded') throw this.#toError(result);
  }

  /**
   * Waits for the operations that an earlier run left unfinished. Returns those that have failed, in that run or since;
   * they do not fail this run.
   * @throws Error when one has not finished at the deadline
   */
  async awaitEarlier(earlier: readonly UnsettledOperation[]): Promise<readonly UnsettledOperation[]> {
    const unfinished = earlier.filter(isUnfinished).map((operation) => this.#toOperation(operation));
    this.#earlierFailed = unionBy(this.#earlierFailed, earlier.filter(isFailed), 'id');
    this.#record(unfinished);
    const isWaiting = this.#work.inputs.waitForOperations !== false;
    const current = isWaiting ? unfinished : await this.#lookUp(unfinished);
    // Those that the service has forgotten.
    for (const { id } of differenceBy(unfinished, current, 'id')) this.#latest.delete(id);
    const result = await this.#wait(current);
    if (result?.outcome === 'timed out' || result?.outcome === 'interrupted') throw this.#toError(result);
    // One that hangs until the deadline repeats nothing; without waiting, the next run resumes it.
    const counting = [...this.#latest.values()].filter((each) => !isWaiting || !isUnfinished(each));
    const known = sortBy(counting, ({ created_at }) => Date.parse(created_at));
    const failed = known.filter(isFailed);
    for (const { id } of failed) this.#latest.delete(id);
    const due = failed.filter((operation) => !isSuperseded(operation, known));
    this.#earlierFailed = [...this.#earlierFailed, ...due];
    const listed = await this.#listIfDue(this.#earlierFailed);
    this.#earlierFailed = withoutSuperseded(this.#earlierFailed, listed);
    const starts = findRestartStarts(earlier, this.#earlierFailed.filter(isSuspension), listed);
    // They only show that it was a restart, so a start that failed or has vanished counts as finished.
    const shown = starts.map((start) => this.#latest.get(start.id) ?? { ...start, status: 'finished' });
    this.#earlierStarts = unionBy(shown, this.#earlierStarts, 'id');
    return this.#earlierFailed;
  }

  /** Of the failed operations, those that nothing has repeated since. A killed run may have, or another client. */
  async findStillFailed(failed: readonly UnsettledOperation[]): Promise<readonly UnsettledOperation[]> {
    return withoutSuperseded(failed, await this.#listIfDue(failed));
  }

  /** The endpoint's operations, if a later one may have repeated one of these. Oldest first; empty if they can't be listed. */
  async #listIfDue(failed: readonly UnsettledOperation[]): Promise<readonly Operation[]> {
    if (!failed.some(({ action }) => powerActions.includes(action))) return [];
    const operations = await this.#list(() => 0, this.#readDeadline()).catch(() => []);
    return operations.reverse();
  }

  /**
   * What an earlier create or update has left: the operations of the endpoint since its creation. If the endpoint is this resource's
   * own, it has at least one, so an empty list is stale. So is a list of the project that ends before the creation.
   */
  async findEarlier(createdAt: string, isOwn: boolean): Promise<Operation[]> {
    // The service suspends computes by itself, so these may not be ours; the endpoint's drift shows what is due.
    const isOurs = (operation: Operation) => !isSuspension(operation);
    const within = this.#readDeadline();
    const sinceAt = Date.parse(createdAt);
    let isStale = false;
    const since = (newestAt: number) => {
      isStale = !(newestAt >= sinceAt);
      return sinceAt;
    };
    const find = async () => (await this.#list(since, within)).filter(isOurs);
    this.#hasVanished ||= isOwn;
    const own = await this.#relist(find, (operations) => (isOwn ? operations.length > 0 : !isStale));
    const left = own.filter(
      (operation, age) => isUnfinished(operation) || (age === 0 && isFailed(operation)),
    );
    return left.reverse();
  }

  /**
   * The operations that a request whose outcome is unknown has started, if it arrived. The list may lag behind, so the search
   * ends early only with an operation that has not succeeded, or with any start or suspension that the request alone starts.
   * @param sentAt local time
   * @param known the operations that were there before, where that matters. Those of this run never count
   * @param action of the only operation that the request starts. @default it may start several
   * @param updatedAt when the endpoint last changed, as far as this run has seen it
   */
  async findStarted(
    sentAt: number,
    known: ReadonlySet<string> = new Set(),
    action?: string,
    updatedAt = '',
  ): Promise<Operation[]> {
    const within = this.#readDeadline();
    // The earliest that the request can have been sent, by the service's clock: not before what this run already knows, and, as
    // nothing is newer than now, not before the last change or the newest operation minus the time since. A later list can only
    // raise it.
    const knownAt = [...this.#latest.values()].map(({ created_at }) => Date.parse(created_at));
    const changedAt = Date.parse(updatedAt) - (Date.now() - sentAt);
    let oldestAt = Math.max(...[...knownAt, changedAt].filter(Number.isFinite));
    const since = (newestAt: number) => {
      const boundAt = newestAt - (Date.now() - sentAt);
      if (boundAt > oldestAt) oldestAt = boundAt;
      return oldestAt;
    };
    const find = async () => {
      const own = (await this.#list(since, within)).reverse();
      const started = differenceBy(own, this.latest, 'id').filter(
        (operation) => !known.has(operation.id) && !isSuperseded(operation, own, supersededActions),
      );
      return action ? started.filter((operation) => operation.action === action) : started;
    };
    this.#hasVanished = true;
    return this.#relist(find, (started) =>
      started.some(
        (operation) => powerActions.includes(action ?? '') || outcomeOf(operation) !== 'succeeded',
      ),
    );
  }

  /**
   * Operations of others, such as a killed run: the newest of each action since their latest requests, if it has not succeeded.
   * @param stops whether a suspension alone may be what was asked for; else it is the service's own
   * @param isPatient whether to list again while the list shows nothing and may lag behind
   */
  async findUnknown(stops: boolean, isPatient: boolean): Promise<Operation[]> {
    const within = this.#readDeadline();
    const find = async () => {
      const left = await this.#listUnknown(within);
      return stops || !left.every(isSuspension) ? left : [];
    };
    return isPatient ? this.#relist(find, (left) => left.length > 0) : find();
  }

  /** The newest operation of the action that others have requested, unless it has succeeded. The list may lag behind. */
  async findRequested(requested: string): Promise<Operation[]> {
    const within = this.#readDeadline();
    const known = new Set(this.latest.map(({ id }) => id));
    const find = async () => {
      const operations = await this.#list(() => 0, within);
      const newest = operations.find(({ id, action }) => action === requested && !known.has(id));
      return newest && outcomeOf(newest) !== 'succeeded' ? [newest] : [];
    };
    return this.#relist(find, (left) => left.length > 0);
  }

  /** Oldest first. */
  async #listUnknown(within: Deadline): Promise<Operation[]> {
    const operations = await this.#list(() => 0, within);
    const isOther = ({ id }: Operation) => !this.#latest.has(id);
    const ages = ['apply_config', 'suspend_compute'].map((action) =>
      operations.findIndex((operation) => operation.action === action && isOther(operation)),
    );
    // Without a request of others, a list is stale: what it shows was there before.
    const newest = uniqBy(operations.slice(0, 1 + Math.max(...ages)), 'action');
    return newest.filter((operation) => outcomeOf(operation) !== 'succeeded' && isOther(operation)).reverse();
  }

  /** The ids of the newest operations. */
  async listKnown(): Promise<ReadonlySet<string>> {
    const operations = await this.#list(() => 0, this.#readDeadline());
    return new Set(operations.map(({ id }) => id));
  }

  /** Reads until it is enough, or until reads can no longer lag behind. */
  async #relist(
    find: () => Promise<Operation[]>,
    isEnough: (found: readonly Operation[]) => boolean,
  ): Promise<Operation[]> {
    const { deadline, project } = this.#work;
    // What follows needs time, too.
    return rereadUntil(deadline.next(Math.min(project.readLagMs, deadline.remainingMs / 2)), find, isEnough);
  }

  /** Reads again after an error: a single one may be a proxy's. Only "not found" by the service itself is final at once. */
  async #read<Result>(read: () => Promise<Result>): Promise<Result> {
    const { deadline } = this.#work;
    for (let failures = 1; ; failures += 1) {
      try {
        return await read();
      } catch (error) {
        if (failures === finalFailures || deadline.hasPassed || isNotFound(error)) throw error;
        await deadline.pause(failurePauseMs);
      }
    }
  }

  #readDeadline(): Deadline {
    const { deadline } = this.#work;
    return deadline.next(deadline.remainingMs + extraReadMs);
  }

  /** The operations of the endpoint, without the checks that only the service starts. */
  async #list(since: (newestAt: number) => number, within: Deadline): Promise<Operation[]> {
    const { project, endpointId } = this.#work;
    const operations = await this.#read(() => listOperationsSince(project.api, project.id, since, within));
    const oldestAt = since(Date.parse(operations[0]?.created_at ?? ''));
    return operations.filter(
      ({ endpoint_id, action, created_at }) =>
        endpoint_id === endpointId && action !== 'check_availability' && Date.parse(created_at) >= oldestAt,
    );
  }

  /** Undefined with `waitForOperations: false`. */
  async #wait(operations: readonly Operation[]): Promise<WaitResult | undefined> {
    const { project, endpointId, inputs, deadline, progress } = this.#work;
    this.#record(operations);
    if (inputs.waitForOperations === false) return undefined;
    deadline.begin();
    const result = await awaitOperations(project.poller, {
      endpointId,
      operations,
      deadline,
      readLagMs: project.readLagMs,
      onProgress: (latest) => {
        this.#record(latest);
        progress.show(describeProgress(latest), deadline.elapsedMs);
      },
    });
    // Don't record a vanished operation as unfinished.
    for (const { id } of operations) this.#latest.delete(id);
    this.#record(result.operations);
    this.#hasVanished ||= result.hasVanished === true;
    return result;
  }

  #record(operations: readonly Operation[]): void {
    for (const operation of operations) this.#latest.set(operation.id, operation);
  }

  /** These as the service shows them. It forgets old ones, never running ones; but a read may lag behind. */
  async #lookUp(operations: readonly Operation[]): Promise<readonly Operation[]> {
    const { project, deadline } = this.#work;
    const find = async ({ id }: Operation) => {
      try {
        return await this.#read(() => project.api.getOperation(project.id, id, { deadline }));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    };
    const findAll = async () => compact(await Promise.all(operations.map(find)));
    return this.#relist(findAll, (found) => found.length === operations.length);
  }

  /** An operation as the state records it, until the service shows it. */
  #toOperation(operation: UnsettledOperation): Operation {
    const { project, endpointId } = this.#work;
    const times = { created_at: '', updated_at: '' };
    return { project_id: project.id, endpoint_id: endpointId, failures_count: 0, ...times, ...operation };
  }

  #toError(result: WaitResult): Error {
    const { deadline, settingNames } = this.#work;
    return new Error(describeWaitResult(this.#work, result, deadline.elapsedMs, settingNames.timeouts));
  }
}

/** @param operations oldest first */
function withoutSuperseded(
  failed: readonly UnsettledOperation[],
  operations: readonly Operation[],
): readonly UnsettledOperation[] {
  // One that is under way does not count: others may have started it, and nothing would wait for it.
  const ended = operations.filter((operation) => !isUnfinished(operation));
  const superseded = ended.filter((operation) => isSuperseded(operation, ended));
  return differenceBy(failed, superseded, 'id');
}

/**
 * The starts of restarts, which are no older than the suspension. The start of a create is, if the endpoint was moved or stopped since.
 * @param suspensions those that have failed
 */
function findRestartStarts(
  earlier: readonly UnsettledOperation[],
  suspensions: readonly UnsettledOperation[],
  operations: readonly Operation[],
): readonly UnsettledOperation[] {
  const createdAt = ({ id }: UnsettledOperation) =>
    Date.parse(operations.find((operation) => operation.id === id)?.created_at ?? '');
  return earlier.filter(
    (start) =>
      start.action === 'start_compute' &&
      suspensions.some((suspension) => !(createdAt(start) < createdAt(suspension))),
  );
}

/**
 * Whether it has failed, and a later one of the same action has succeeded or is unfinished. An earlier run sent it again because
 * it did not see the failure, as when a read by id lagged behind.
 * @param operations oldest first
 */
function isSuperseded(
  operation: Operation,
  operations: readonly Operation[],
  actions = powerActions,
): boolean {
  const { action } = operation;
  if (!isFailed(operation) || !actions.includes(action)) return false;
  const later = operations.slice(operations.indexOf(operation) + 1);
  return later.some((each) => each.action === action && !isFailed(each));
}
