import { randomUUID } from 'node:crypto';
import type { FaultRegistry } from '../faults/fault-registry';
import type { Clock } from '../records/clock';
import {
  type EndpointRecord,
  type OperationRecord,
  type ProjectRecord,
  type Step,
  unfinishedOf,
} from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import type { Operation } from '../records/wire-types';

export interface OperationResult {
  readonly status: string;
  readonly error?: string | undefined;
}

const ENDED_STATUSES: readonly string[] = ['finished', 'skipped', 'failed', 'error', 'cancelled'];
const FINISHED: OperationResult = { status: 'finished' };

export interface RunnerSettings {
  readonly clock: Clock;
  readonly faults: FaultRegistry;
  readonly durationMs: (action: string) => number;
  readonly schedulingMs: number;
  /** What must be done before an operation finishes; if it rejects, the operation fails with its reason. */
  readonly work?: ((project: ProjectRecord, step: Step) => Promise<void> | undefined) | undefined;
  readonly onChange: (operation: OperationRecord) => void;
  /** Called in the same tick as the start or end of an operation: updates the records accordingly. */
  readonly onProgress: (operation: OperationRecord) => void;
}

/**
 * Moves operations through scheduling, running and finished. The operations of one request run one after another, and so
 * do the operations of one endpoint; all others run in parallel.
 */
export class OperationRunner {
  readonly #settings: RunnerSettings;
  #isStopped = false;

  constructor(settings: RunnerSettings) {
    this.#settings = settings;
  }

  /** Starts a chain of operations and returns them in the order in which they run. */
  start(project: ProjectRecord, steps: readonly Step[]): OperationRecord[] {
    const chain = this.#record(project, steps);
    this.#beginReady(project, false);
    return chain;
  }

  /** Records operations as finished: they take no time, and no fault applies. */
  recordFinished(project: ProjectRecord, steps: readonly Step[]): OperationRecord[] {
    const chain = this.#record(project, steps);
    for (const operation of chain) this.#end(operation, FINISHED);
    return chain;
  }

  /** Starts an operation that keeps its status until it is finished. With the status of an ended one, it has ended. */
  hold(project: ProjectRecord, step: Step, result: OperationResult) {
    const [operation] = this.#record(project, [step]);
    if (operation === undefined) throw new Error(`${step.action}: no operation was recorded`);
    operation.progress = 'started';
    if (ENDED_STATUSES.includes(result.status)) this.#endChain(operation, result);
    else this.#setResult(operation, result);
    return { operation, finish: (): void => this.#endChain(operation, FINISHED) };
  }

  /** Resumes the operations that another process left unfinished. Those that had started run again from the beginning. */
  resume(project: ProjectRecord): void {
    for (const operation of [...project.unfinished]) {
      if (operation.progress === 'started') this.#begin(operation, false);
    }
    this.#beginReady(project, false);
  }

  /** Cancels the unfinished operations of a deleted endpoint. Later operations of the same requests still run. */
  cancelForEndpoint(endpoint: EndpointRecord): void {
    const error = `endpoint ${endpoint.wire.id} no longer exists`;
    for (const operation of unfinishedOf(endpoint)) this.#end(operation, { status: 'cancelled', error });
    this.#beginReady(endpoint.project, true);
  }

  /** From now on, operations keep their status. */
  stop(): void {
    this.#isStopped = true;
  }

  #record(project: ProjectRecord, steps: readonly Step[]): OperationRecord[] {
    const chain: OperationRecord[] = [];
    for (const step of steps) {
      const wire = newOperation(project, step, this.#settings.clock.now());
      const chainId = chain[0]?.wire.id ?? wire.id;
      chain.push({ project, wire, step, chainId, progress: 'waiting' });
    }
    for (const operation of chain) {
      project.operations.push(operation);
      project.unfinished.add(operation);
      this.#settings.onChange(operation);
      this.#settings.onProgress(operation);
    }
    return chain;
  }

  #beginReady(project: ProjectRecord, withinTick: boolean): void {
    for (const operation of [...project.unfinished]) {
      if (operation.progress === 'waiting' && !isBlocked(operation)) {
        this.#begin(operation, withinTick);
      }
    }
  }

  #begin(operation: OperationRecord, withinTick: boolean): void {
    operation.progress = 'started';
    const { schedulingMs } = this.#settings;
    if (schedulingMs === 0) this.#run(operation, withinTick);
    else this.#schedule(schedulingMs, () => this.#run(operation, true));
  }

  #run(operation: OperationRecord, withinTick: boolean): void {
    if (operation.progress === 'ended') return;
    const hit = this.#settings.faults.takeForOperation(operation.wire);
    const effect = hit?.effect;
    this.#setStatus(operation, effect?.kind === 'operation-status' ? effect.status : 'running');
    if (effect === undefined) this.#work(operation, withinTick);
    else if (effect.kind === 'operation-fails') {
      const { action } = operation.wire;
      const { status = 'failed', error = `${action} failed because of an injected fault` } = effect;
      this.#finishLater(operation, { status, error }, withinTick);
    } else hit?.hold(() => this.#work(operation, true, 0));
  }

  #work(operation: OperationRecord, withinTick: boolean, durationMs?: number): void {
    // It may have been cancelled while a fault held it.
    if (operation.progress === 'ended') return;
    const end = (result: OperationResult, isInTick = false): void =>
      this.#finishLater(operation, result, isInTick, durationMs);
    const work = this.#settings.work?.(operation.project, operation.step);
    if (work === undefined) end(FINISHED, withinTick);
    work?.then(
      () => end(FINISHED),
      (error) => end({ status: 'failed', error: reasonOf(error) }),
    );
  }

  #finishLater(
    operation: OperationRecord,
    result: OperationResult,
    withinTick: boolean,
    durationMs = this.#settings.durationMs(operation.wire.action),
  ): void {
    // A chain of zero-length operations ends in one tick, so that no client sees it half done and locked.
    if (durationMs === 0 && withinTick) this.#endChain(operation, result);
    else this.#schedule(durationMs, () => this.#endChain(operation, result));
  }

  /** Runs the action after the delay, or in the next turn of the event loop when the delay is 0. Keeps no process running. */
  #schedule(delayMs: number, action: () => void): void {
    const run = (): void => {
      if (!this.#isStopped) action();
    };
    if (delayMs === 0) setImmediate(run);
    else setTimeout(run, delayMs).unref();
  }

  #endChain(operation: OperationRecord, result: OperationResult): void {
    if (operation.progress === 'ended') return;
    this.#end(operation, result);
    if (result.status !== 'finished') this.#cancelRest(operation);
    this.#beginReady(operation.project, true);
  }

  #cancelRest(failed: OperationRecord): void {
    for (const operation of [...failed.project.unfinished]) {
      if (operation.chainId !== failed.chainId) continue;
      const error = `not run: ${failed.wire.action} ${failed.wire.id} is ${failed.wire.status}`;
      this.#end(operation, { status: 'cancelled', error });
    }
  }

  #end(operation: OperationRecord, result: OperationResult): void {
    operation.progress = 'ended';
    operation.project.unfinished.delete(operation);
    this.#setResult(operation, result);
    this.#settings.onProgress(operation);
  }

  #setResult(operation: OperationRecord, { status, error }: OperationResult): void {
    operation.wire.failures_count = ['failed', 'error'].includes(status) ? 1 : 0;
    if (error === undefined) delete operation.wire.error;
    else operation.wire.error = error;
    this.#setStatus(operation, status);
  }

  #setStatus(operation: OperationRecord, status: string): void {
    const { wire } = operation;
    wire.status = status;
    wire.updated_at = this.#settings.clock.now();
    wire.total_duration_ms = Date.parse(wire.updated_at) - Date.parse(wire.created_at);
    this.#settings.onChange(operation);
  }
}

function newOperation(project: ProjectRecord, step: Step, now: string): Operation {
  return {
    id: randomUUID(),
    project_id: project.wire.id,
    branch_id: step.branchId,
    ...(step.endpointId === undefined ? {} : { endpoint_id: step.endpointId }),
    action: step.action,
    status: 'scheduling',
    failures_count: 0,
    created_at: now,
    updated_at: now,
    total_duration_ms: 0,
  };
}

/** Whether an operation must wait for an older unfinished one of the same request or endpoint. */
function isBlocked(operation: OperationRecord): boolean {
  const { project, step, chainId } = operation;
  for (const older of project.unfinished) {
    if (older === operation) return false;
    const isOfEndpoint = step.endpointId !== undefined && step.endpointId === older.step.endpointId;
    if (isOfEndpoint || older.chainId === chainId) return true;
  }
  return false;
}
