import { argumentTable } from './argument-table';
import { ControlApiError } from './control-api/control-api-error';
import type { Deadline } from './control-api/deadline';
import type { Endpoint, EndpointChange, Operation } from './control-api/wire-types';
import { makeWriteOnce } from './control-api/write-once';
import { describeSettlement, UnsettledEndpointError } from './endpoint-error';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import {
  type EndpointOutputs,
  findDeviations,
  isAsWanted,
  toAttributes,
  toOutputs,
  type UnsettledOperation,
} from './endpoint-state';
import { isUnfinished, outcomeOf } from './operations/operation-outcome';
import { settleOperations } from './operations/settle-operations';
import { describeBlockers, describeProgress, type Progress } from './progress';
import type { ServiceProject } from './service-project';
import { messageOf } from './thrown-message';

const pageLimit = 100;

/** What a create or an update is about. */
export interface EndpointWork {
  readonly action: 'create' | 'update';
  readonly project: ServiceProject;
  readonly endpointId: string;
  readonly inputs: EndpointInputs;
  readonly deadline: Deadline;
  readonly progress: Progress;
}

/**
 * One create or update of one endpoint, from the first answer that names it. Whatever happens from there on, the
 * id, the real attributes and the operations that are unsettled come out, as outputs or in the error.
 */
export class EndpointRun {
  readonly #work: EndpointWork;
  readonly #operations = new Map<string, Operation>();
  #endpoint: Endpoint | undefined;
  #unapplied: readonly InputName[] = [];
  /** The operations that failed in an earlier run: they have been taken up and say nothing about this one. */
  readonly #takenUp = new Set<string>();

  constructor(work: EndpointWork, endpoint?: Endpoint) {
    this.#work = work;
    this.#endpoint = endpoint;
  }

  /** Waits for what an answer named. @throws Error when an operation failed, or has not ended at the deadline. */
  async settle({ endpoint, operations }: EndpointChange): Promise<void> {
    this.#endpoint = endpoint;
    const { action, endpointId, deadline } = this.#work;
    const settlement = await this.#wait(operations);
    if (!settlement || settlement.outcome === 'succeeded') return;
    throw new Error(describeSettlement(action, endpointId, settlement, deadline.elapsedMs));
  }

  /**
   * Takes up what an earlier run left: waits for what still runs, sends what is not as wanted, and starts a compute
   * whose start had failed.
   */
  async resume(unsettled: readonly UnsettledOperation[], names: readonly InputName[]): Promise<void> {
    const operations = await this.#fetch(unsettled);
    await this.#wait(operations);
    const failed = operations.map(({ id }) => this.#operations.get(id)).filter(isFailed);
    for (const { id } of failed) {
      this.#operations.delete(id);
      this.#takenUp.add(id);
    }
    this.#unapplied = names;
    const started = await this.#apply(names);
    // A change of size restarts an active compute by itself; a trigger, or a change that had failed, does not.
    const isRestartDue =
      names.includes('restartTriggers') || (failed.length > 0 && !started && isRestarting(names));
    const hasRestarted = started?.some(({ action }) => action === 'start_compute') ?? false;
    const hasFailedStart = failed.some(({ action }) => action === 'start_compute');
    if (isRestartDue && !hasRestarted) await this.#restartIfActive();
    if (hasFailedStart) await this.#startIfDown();
    if (this.#work.inputs.waitForOperations !== false) this.#unapplied = [];
  }

  /** The operations of this endpoint that a run which was cut off has left unsettled. */
  async findUnsettled(): Promise<Operation[]> {
    const { project, endpointId } = this.#work;
    const { operations } = await project.api.listOperations(project.id, { limit: pageLimit });
    const own = operations.filter((operation) => operation.endpoint_id === endpointId);
    const isNew = ({ id }: Operation) => !this.#takenUp.has(id);
    return own.filter(
      (operation, age) => isUnfinished(operation) || (age === 0 && isFailed(operation) && isNew(operation)),
    );
  }

  /** Reads the endpoint back and compares it with what was asked. @throws Error when the service holds otherwise. */
  async finish(endpoint?: Endpoint): Promise<EndpointOutputs> {
    const { action, endpointId, inputs } = this.#work;
    if (inputs.waitForOperations === false && this.#endpoint) return this.#outputs(this.#endpoint);
    const held = endpoint ?? (await this.#readBack());
    const deviations = findDeviations(held, inputs);
    if (deviations.length === 0) return this.#outputs(held);
    this.#unapplied = deviations;
    throw new Error(
      `${action} of endpoint ${endpointId}: every operation finished, but the service holds another ${deviations.join(', ')} than declared. Somebody else may have changed it meanwhile; the next \`pulumi up\` applies it again.`,
    );
  }

  /** Turns a failure into one that keeps the endpoint in state, once the service is known to hold it. */
  async keepInState(outcome: Promise<EndpointOutputs>): Promise<EndpointOutputs> {
    try {
      return await outcome;
    } catch (error) {
      const known = await this.#readBack().catch(() => this.#endpoint);
      if (!known) throw error;
      throw new UnsettledEndpointError(messageOf(error), this.#work.endpointId, this.#outputs(known), {
        cause: error,
      });
    }
  }

  #outputs(endpoint: Endpoint): EndpointOutputs {
    return toOutputs(endpoint, this.#work.inputs, [...this.#operations.values()], this.#unapplied);
  }

  async #readBack(): Promise<Endpoint> {
    const { action, project, endpointId } = this.#work;
    const endpoint = await project.endpoints.find(endpointId);
    if (endpoint) return endpoint;
    this.#endpoint = undefined;
    throw new Error(`${action} of endpoint ${endpointId}: the endpoint is gone. ${afterDeletion}`);
  }

  /** Waits for the operations and records how they stand; undefined when the program does not want to wait. */
  async #wait(operations: readonly Operation[]) {
    const { project, endpointId, inputs, deadline, progress } = this.#work;
    for (const operation of operations) this.#operations.set(operation.id, operation);
    if (inputs.waitForOperations === false) return undefined;
    deadline.begin();
    const record = (latest: readonly Operation[]) => {
      for (const operation of latest) this.#operations.set(operation.id, operation);
    };
    const settlement = await settleOperations(project.poller, {
      endpointId,
      operations: [...this.#operations.values()].filter((operation) =>
        operations.some(({ id }) => id === operation.id),
      ),
      deadline,
      onProgress: (latest) => {
        record(latest);
        progress.show(describeProgress(latest), deadline.elapsedMs);
      },
    });
    record(settlement.operations);
    return settlement;
  }

  async #fetch(unsettled: readonly UnsettledOperation[]): Promise<Operation[]> {
    const { project } = this.#work;
    const fetched = unsettled.map(({ id }) =>
      project.api.getOperation(project.id, id).catch((error: unknown) => {
        // The service forgets old operations; what it has forgotten is not running.
        if (error instanceof ControlApiError && error.isNotFound) return undefined;
        throw error;
      }),
    );
    return (await Promise.all(fetched)).filter((operation) => operation !== undefined);
  }

  /** Sends the named arguments, and nothing else. Returns the operations that the service started, if any. */
  async #apply(names: readonly InputName[]): Promise<readonly Operation[] | undefined> {
    const attributes = toAttributes(names, this.#work.inputs);
    if (Object.keys(attributes).length === 0) return undefined;
    const { project, endpointId, deadline } = this.#work;
    const change = await this.#write(
      () => project.api.updateEndpoint(project.id, endpointId, attributes, deadline),
      () => this.#findDone(names),
    );
    await this.settle(change);
    return change.operations.length > 0 ? change.operations : undefined;
  }

  /** After a lost answer: whether the endpoint is as wanted already, and which of its operations that started. */
  async #findDone(names: readonly InputName[]): Promise<EndpointChange | undefined> {
    const endpoint = await this.#readBack();
    if (!names.every((name) => isAsWanted(endpoint, this.#work.inputs, name))) return undefined;
    return { endpoint, operations: await this.findUnsettled() };
  }

  /** Not by the restart call: that one can't be sent again after a lost answer without restarting twice. */
  async #restartIfActive(): Promise<void> {
    const { disabled, current_state } = await this.#readBack();
    if (disabled || current_state !== 'active') return;
    await this.#control('suspend');
    await this.#control('start');
  }

  async #startIfDown(): Promise<void> {
    const { disabled, current_state } = await this.#readBack();
    if (!disabled && current_state !== 'active') await this.#control('start');
  }

  async #control(verb: 'start' | 'suspend'): Promise<void> {
    const { project, endpointId, deadline } = this.#work;
    // To a compute that is there already it does nothing, so after a lost answer it is simply sent again.
    const change = await this.#write(
      () => project.api.controlEndpoint(project.id, endpointId, verb, deadline),
      async () => undefined,
    );
    await this.settle(change);
  }

  #write(
    send: () => Promise<EndpointChange>,
    look: () => Promise<EndpointChange | undefined>,
  ): Promise<EndpointChange> {
    const { project, endpointId, deadline, progress } = this.#work;
    const onLocked = (blocking: readonly Operation[]) =>
      progress.show(describeBlockers(blocking), deadline.elapsedMs);
    const write = makeWriteOnce({ send, look, deadline, pacing: project.api.retryPacing });
    const startedBy = ({ operations }: EndpointChange) => operations;
    const answer = project.writes.run({ deadline, write, startedBy, onLocked });
    return answer.catch((error: unknown) => {
      if (!(error instanceof ControlApiError && error.isNotFound)) throw error;
      throw new Error(`${error.message}. Endpoint ${endpointId} is gone. ${afterDeletion}`, { cause: error });
    });
  }
}

const afterDeletion = 'If it was deleted on purpose, `pulumi up --refresh` creates it again.';

function isRestarting(names: readonly InputName[]): boolean {
  return names.some((name) => argumentTable[name].effect === 'restart');
}

function isFailed(operation: Operation | undefined): operation is Operation {
  return operation !== undefined && outcomeOf(operation) === 'failed';
}
