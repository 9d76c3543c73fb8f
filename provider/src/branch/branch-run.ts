import { union } from 'lodash';
import { isNotFound, messageOf } from '../control-api/control-api-error';
import { rereadUntil } from '../control-api/read-lag';
import type { Branch, BranchChange, Operation } from '../control-api/wire-types';
import { describeBlockers, describeProgress } from '../engine/progress';
import type { Work } from '../lifecycle/provider-core';
import {
  describeDrift,
  describeGone,
  describeTransition,
  describeWaitResult,
  GoneError,
  UnsettledError,
} from '../lifecycle/resource-errors';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import { isFailed, isUnfinished } from '../operations/operation-outcome';
import { listOperationsSince } from '../operations/operation-pages';
import { awaitOperations } from '../operations/wait-for-operations';
import { findDrift, toUpdateAttributes, type UpdatedArgument } from './branch-changes';
import type { BranchInputs, BranchOutputs } from './branch-inputs';
import { toOutputs } from './branch-state';

export interface BranchWork extends Work<BranchInputs> {
  readonly action: 'create' | 'update';
  readonly branchId: string;
  /** The arguments that the run is going to send. A failure before that keeps them in state. @default none */
  readonly due?: readonly UpdatedArgument[];
}

/** How long a read beyond the deadline may take. Milliseconds. */
const lastReadMs = 5_000;

/**
 * One create or update of one branch, from the first response that names it. From there on, every outcome reports the id,
 * the real attributes and the operations that are unfinished or failed: as outputs, or in the error.
 */
export class BranchRun {
  readonly #work: BranchWork;
  readonly #operations = new Map<string, Operation>();
  #latest: Branch | undefined;
  /** Whether this run has created the branch. */
  readonly #isNew: boolean;
  /** The arguments that the service has not accepted yet. */
  #unapplied: readonly UpdatedArgument[];

  constructor(work: BranchWork, latest?: Branch, isNew = false) {
    this.#work = work;
    this.#unapplied = work.due ?? [];
    this.#latest = latest;
    this.#isNew = isNew;
  }

  /** Waits for the operations of a response. @throws Error when one failed, or has not finished at the deadline */
  async awaitChange({ branch, operations }: BranchChange): Promise<void> {
    this.#latest = branch;
    await this.#wait(operations);
  }

  /** Waits for what an earlier run of this program left unfinished. What failed then does not fail this run. */
  async awaitEarlier(earlier: readonly UnsettledOperation[]): Promise<void> {
    const { project, branchId } = this.#work;
    const times = { created_at: '', updated_at: '' };
    const unfinished = earlier
      .filter(isUnfinished)
      .map((each) => ({ project_id: project.id, branch_id: branchId, failures_count: 0, ...times, ...each }));
    await this.#wait(unfinished);
  }

  /** Waits for the creation of a branch whose response was lost, or whose create was killed. */
  async awaitCreation(): Promise<void> {
    const branch = await this.#read();
    if (!isBecomingReady(branch)) return;
    const { project, branchId, deadline } = this.#work;
    const since = () => Date.parse(branch.created_at);
    const find = async () => {
      const operations = await listOperationsSince(project.api, project.id, since, this.#readDeadline());
      return operations.filter(
        ({ branch_id, action }) => branch_id === branchId && action === 'create_branch',
      );
    };
    await this.#wait(await rereadUntil(deadline.next(project.readLagMs), find, (found) => found.length > 0));
  }

  /** Sends the named arguments, and nothing else, and waits. */
  async apply(names: readonly UpdatedArgument[]): Promise<void> {
    if (names.length === 0) return;
    const { project, branchId, inputs, deadline, progress } = this.#work;
    this.#unapplied = names;
    const attributes = toUpdateAttributes(names, inputs);
    const change = await project
      .write<BranchChange>({
        deadline,
        send: () => project.api.updateBranch(project.id, branchId, attributes, deadline),
        // It is safe to repeat. A lookup is not: stale reads may show the values before a change that this one takes back.
        findDone: async () => undefined,
        startedBy: ({ operations }) => operations,
        onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
      })
      .catch(async (error: unknown) => {
        // A single 404 may be a late read, or a proxy's.
        if (isNotFound(error)) await this.#read();
        throw error;
      });
    await this.awaitChange(change);
  }

  /**
   * Reads the branch until it agrees with what was requested, except for a name that is still to be given. Reads may lag
   * behind writes, so a difference counts only when it persists.
   * @throws Error when the service reports other values, or no branch
   */
  async finish(except?: 'name'): Promise<BranchOutputs> {
    const { project, inputs, deadline, due = [] } = this.#work;
    // What the program no longer gives is reset.
    const wanted = { ...inputs, ...toUpdateAttributes(due, inputs) };
    const driftOf = (branch: Branch) => findDrift(branch, wanted).filter((name) => name !== except);
    const isAgreed = (branch: Branch | undefined) =>
      branch !== undefined && driftOf(branch).length === 0 && !isBecomingReady(branch);
    const lag = deadline.next(project.readLagMs);
    const branch = await rereadUntil(lag, () => this.#find(), isAgreed);
    if (!branch) throw new GoneError(describeGone(this.#work));
    const drift = driftOf(branch);
    this.#unapplied = drift;
    if (drift.length > 0) throw new Error(describeDrift(this.#work, drift));
    if (isBecomingReady(branch))
      throw new Error(describeTransition(this.#work, { pending_state: branch.pending_state ?? 'ready' }));
    return this.#toOutputs(branch);
  }

  /** The arguments whose reported value differs from the declared one. */
  async findDrift(): Promise<UpdatedArgument[]> {
    return findDrift(await this.#read(), this.#work.inputs);
  }

  /**
   * Turns a failure into one that keeps the branch in state.
   * @param before the outputs in state: kept if the branch can't be read, as after an interruption
   */
  async keepInState<Outputs extends BranchOutputs | undefined>(
    outcome: Promise<Outputs>,
    before?: BranchOutputs,
  ): Promise<Outputs> {
    try {
      return await outcome;
    } catch (error) {
      await this.#find().catch(() => undefined);
      // With no operation in state, this makes the next run wait.
      if (this.#operations.size === 0 && this.#latest && isBecomingReady(this.#latest))
        this.#unapplied = union<UpdatedArgument>(this.#unapplied, ['name']);
      const isGone = error instanceof GoneError && !this.#isNew;
      const unread = before && this.#unapplied.length > 0 && { ...before, __unapplied: this.#unapplied };
      const outputs = this.#latest ? this.#toOutputs(this.#latest) : unread;
      if (isGone || !outputs) throw error;
      throw new UnsettledError(messageOf(error), this.#work.branchId, outputs, { cause: error });
    }
  }

  async #wait(operations: readonly Operation[]): Promise<void> {
    const { project, deadline, progress, settingNames } = this.#work;
    const record = (latest: readonly Operation[]) => {
      for (const operation of latest) this.#operations.set(operation.id, operation);
    };
    record(operations);
    deadline.begin();
    const result = await awaitOperations(project.poller, {
      operations,
      deadline,
      readLagMs: project.readLagMs,
      onProgress: (latest) => {
        record(latest);
        progress.show(describeProgress(latest), deadline.elapsedMs);
      },
    });
    // Don't record a vanished operation as unfinished.
    for (const { id } of operations) this.#operations.delete(id);
    record(result.operations.filter((operation) => isUnfinished(operation) || isFailed(operation)));
    if (result.outcome === 'succeeded') return;
    const text = describeWaitResult(this.#work, result, deadline.elapsedMs, settingNames.timeouts);
    throw new Error(text);
  }

  /** The branch as it is now. @throws GoneError once reads can no longer lag behind, and none has shown it */
  async #read(): Promise<Branch> {
    const { project, branchId } = this.#work;
    const options = { deadline: this.#readDeadline() };
    const branch = await project.branches.findPatiently(branchId, project.readLagMs, options);
    if (!branch) throw new GoneError(describeGone(this.#work));
    this.#latest = branch;
    return branch;
  }

  /** The branch by one read, also beyond the deadline; undefined when that does not show it. */
  async #find(): Promise<Branch | undefined> {
    const { project, branchId } = this.#work;
    const branch = await project.branches.find(branchId, { deadline: this.#readDeadline() });
    this.#latest = branch ?? this.#latest;
    return branch;
  }

  #readDeadline() {
    const { deadline, project } = this.#work;
    return deadline.next(Math.max(lastReadMs, project.readLagMs, deadline.remainingMs));
  }

  #toOutputs(branch: Branch): BranchOutputs {
    return toOutputs(branch, this.#work.inputs, [...this.#operations.values()], this.#unapplied);
  }
}

/** Whether its data is not there yet. */
export function isBecomingReady({ current_state }: Pick<Branch, 'current_state'>): boolean {
  // One that is archived or reset is on its way to `ready`, too, but has data.
  return current_state === 'init';
}
