import { randomUUID } from 'node:crypto';
import { type Clock, toTimestamp } from '../records/clock';
import type { FaultRegistry } from '../faults/fault-registry';
import type { OperationEffect } from '../faults/faults';
import type { Purpose } from './operation-outcomes';
import type { ProjectRecord } from '../records/store';
import type { Operation } from '../records/wire-types';

/** One operation to run, and what it means for the records. */
export interface Step {
  readonly action: string;
  readonly branchId: string;
  readonly endpointId?: string;
  /** The state that the endpoint has once the operation has finished. */
  readonly movesTo?: 'active' | 'idle';
  /** The compute goes down because nobody uses it, so no connection drops. */
  readonly isAutosuspend?: boolean;
  /** What its end means beside that state. */
  readonly purpose?: Purpose;
  /** Of an operation that is given: it locks until it has ended. */
  readonly locks?: boolean;
}

export interface OperationRecord {
  readonly wire: Operation;
  readonly step: Step;
  readonly createdMicros: number;
  /** The operation of the same request that has to finish first. */
  readonly after: OperationRecord | undefined;
  /** Waiting for its turn; later it is started and then ended. One that is given keeps the status it was given. */
  progress: 'waiting' | 'started' | 'ended' | 'given';
}

const ENDED_STATUSES: readonly string[] = ['finished', 'skipped', 'failed', 'error', 'cancelled'];

export function hasEnded({ progress, wire }: Pick<OperationRecord, 'progress' | 'wire'>): boolean {
  return progress === 'given' ? ENDED_STATUSES.includes(wire.status) : progress === 'ended';
}

/** It stands in the way of others: of writes, and of operations of the same endpoint. */
export function isUnderWay(operation: OperationRecord): boolean {
  return !hasEnded(operation) && (operation.progress !== 'given' || operation.step.locks === true);
}

export interface RunnerSettings {
  readonly clock: Clock;
  readonly faults: FaultRegistry;
  readonly durationMs: (action: string) => number;
  readonly schedulingMs: number;
  /** Called whenever an operation was recorded, or anything of it has changed. */
  readonly onChange: (project: ProjectRecord, operation: OperationRecord) => void;
  /** Called when an operation has ended, before onProgress: does what that means for the records. */
  readonly onEnd: (project: ProjectRecord, step: Step, ending: 'finished' | 'failed') => void;
  /** Called in the tick in which operations began or ended, for the endpoint concerned. */
  readonly onProgress: (project: ProjectRecord, operation: OperationRecord) => void;
}

type Ending = { readonly status: string; readonly error?: string; readonly failures: number };

const FINISHED: Ending = { status: 'finished', failures: 0 };

/**
 * Takes operations through scheduling, running and finished. The operations of one request run one after another, and so
 * do the operations of one endpoint; all others run side by side.
 */
export class OperationRunner {
  readonly #settings: RunnerSettings;
  readonly #cancelTimers = new Set<() => void>();

  constructor(settings: RunnerSettings) {
    this.#settings = settings;
  }

  /** Starts a chain of operations and returns them in the order in which they run. */
  start(project: ProjectRecord, steps: readonly Step[]): OperationRecord[] {
    const chain = this.#record(project, steps);
    this.#beginReady(project, false);
    return chain;
  }

  /** Records operations that have run already: no time passes and no fault applies. */
  runAtOnce(project: ProjectRecord, steps: readonly Step[]): OperationRecord[] {
    const chain = this.#record(project, steps);
    for (const operation of chain) this.#end(project, operation, FINISHED);
    return chain;
  }

  /** Starts an operation that runs until the returned function is called. */
  hold(project: ProjectRecord, step: Step): { operation: OperationRecord; release: () => void } {
    const [operation] = this.#record(project, [step]);
    if (operation === undefined) throw new Error(`${step.action}: no operation was recorded`);
    operation.progress = 'started';
    this.#setStatus(project, operation, 'running');
    return { operation, release: () => this.#endChain(project, operation, FINISHED) };
  }

  /** Records an operation of another client: nothing here runs it, and its status stays as it is given. */
  addGiven(project: ProjectRecord, step: Step, outcome: Ending, ageMs: number): OperationRecord {
    const { operations } = project;
    let createdMicros = this.#settings.clock.nextMicros() - ageMs * 1000;
    const taken = new Set(operations.map((operation) => operation.createdMicros));
    while (taken.has(createdMicros)) createdMicros += 1;
    const wire = newOperation(project, step, createdMicros);
    const operation: OperationRecord = { wire, step, createdMicros, after: undefined, progress: 'given' };
    const next = operations.findIndex((other) => other.createdMicros > createdMicros);
    operations.splice(next === -1 ? operations.length : next, 0, operation);
    this.changeGiven(project, operation, outcome);
    // It has been so since it was created.
    Object.assign(wire, { updated_at: wire.created_at, total_duration_ms: 0 });
    this.#settings.onChange(project, operation);
    return operation;
  }

  /** Changes the status of an operation of another client. */
  changeGiven(project: ProjectRecord, operation: OperationRecord, { status, error, failures }: Ending): void {
    operation.wire.failures_count = failures;
    if (error === undefined) delete operation.wire.error;
    else operation.wire.error = error;
    this.#setStatus(project, operation, status);
    if (isUnderWay(operation)) project.unfinished.add(operation);
    else project.unfinished.delete(operation);
    this.#settings.onProgress(project, operation);
    this.#beginReady(project, true);
  }

  /** Goes on with what another process left unfinished: what had begun runs once more, from its beginning. */
  resume(project: ProjectRecord): void {
    for (const operation of [...project.unfinished]) {
      if (operation.progress === 'started') this.#begin(project, operation, false);
    }
    this.#beginReady(project, false);
  }

  /** Cancels what has not ended for an endpoint that is gone; the rest of its chains goes on. */
  cancelForEndpoint(project: ProjectRecord, endpointId: string): void {
    for (const operation of [...project.unfinished]) {
      if (operation.step.endpointId !== endpointId) continue;
      this.#end(project, operation, {
        status: 'cancelled',
        error: `endpoint ${endpointId} is gone`,
        failures: 0,
      });
    }
    this.#beginReady(project, true);
  }

  /** Drops every timer; operations stay as they are. */
  stop(): void {
    for (const cancel of this.#cancelTimers) cancel();
    this.#cancelTimers.clear();
  }

  #record(project: ProjectRecord, steps: readonly Step[]): OperationRecord[] {
    const chain: OperationRecord[] = [];
    for (const step of steps) {
      const createdMicros = this.#settings.clock.nextMicros();
      const wire = newOperation(project, step, createdMicros);
      chain.push({ wire, step, createdMicros, after: chain.at(-1), progress: 'waiting' });
    }
    for (const operation of chain) {
      project.operations.push(operation);
      project.unfinished.add(operation);
      this.#settings.onChange(project, operation);
      this.#settings.onProgress(project, operation);
    }
    return chain;
  }

  /** Begins every operation whose turn has come. */
  #beginReady(project: ProjectRecord, withinTick: boolean): void {
    for (const operation of [...project.unfinished]) {
      if (operation.progress === 'waiting' && !isBlocked(project, operation)) {
        this.#begin(project, operation, withinTick);
      }
    }
  }

  #begin(project: ProjectRecord, operation: OperationRecord, withinTick: boolean): void {
    operation.progress = 'started';
    const { schedulingMs } = this.#settings;
    if (schedulingMs === 0) this.#run(project, operation, withinTick);
    else this.#schedule(schedulingMs, () => this.#run(project, operation, true));
  }

  #run(project: ProjectRecord, operation: OperationRecord, withinTick: boolean): void {
    if (operation.progress === 'ended') return;
    const hit = this.#settings.faults.takeForOperation(operation.wire);
    const effect = hit?.effect;
    if (effect !== undefined && effect.kind !== 'operation-fails') {
      this.#setStatus(project, operation, effect.kind === 'operation-status' ? effect.status : 'running');
      hit?.hold(() => this.#endChain(project, operation, FINISHED));
      return;
    }
    this.#setStatus(project, operation, 'running');
    const ending = effect === undefined ? FINISHED : failureEnding(operation, effect);
    const durationMs = this.#settings.durationMs(operation.wire.action);
    // A chain of zero-length operations ends in one tick, so that a client never meets its lock half way.
    if (durationMs === 0 && withinTick) this.#endChain(project, operation, ending);
    else this.#schedule(durationMs, () => this.#endChain(project, operation, ending));
  }

  #endChain(project: ProjectRecord, operation: OperationRecord, ending: Ending): void {
    if (operation.progress === 'ended') return;
    this.#end(project, operation, ending);
    if (ending.status !== 'finished') this.#cancelRest(project, operation);
    this.#beginReady(project, true);
  }

  #cancelRest(project: ProjectRecord, failed: OperationRecord): void {
    for (const operation of [...project.unfinished]) {
      if (!follows(operation, failed)) continue;
      const error = `not run: ${failed.wire.action} ${failed.wire.id} ended as ${failed.wire.status}`;
      this.#end(project, operation, { status: 'cancelled', error, failures: 0 });
    }
  }

  #end(project: ProjectRecord, operation: OperationRecord, ending: Ending): void {
    if (operation.progress !== 'given') operation.progress = 'ended';
    project.unfinished.delete(operation);
    operation.wire.failures_count = ending.failures;
    if (ending.error !== undefined) operation.wire.error = ending.error;
    this.#setStatus(project, operation, ending.status);
    this.#settings.onEnd(project, operation.step, ending.status === 'finished' ? 'finished' : 'failed');
    this.#settings.onProgress(project, operation);
  }

  #setStatus(project: ProjectRecord, operation: OperationRecord, status: string): void {
    const nowMicros = this.#settings.clock.nextMicros();
    operation.wire.status = status;
    operation.wire.updated_at = toTimestamp(nowMicros);
    operation.wire.total_duration_ms = Math.round((nowMicros - operation.createdMicros) / 1000);
    this.#settings.onChange(project, operation);
  }

  #schedule(delayMs: number, action: () => void): void {
    const run = (): void => {
      this.#cancelTimers.delete(cancel);
      action();
    };
    const timer = delayMs === 0 ? undefined : setTimeout(run, delayMs).unref();
    const immediate = delayMs === 0 ? setImmediate(run) : undefined;
    const cancel = (): void => {
      clearTimeout(timer);
      clearImmediate(immediate);
    };
    this.#cancelTimers.add(cancel);
  }
}

function newOperation(project: ProjectRecord, step: Step, createdMicros: number): Operation {
  return {
    id: randomUUID(),
    project_id: project.wire.id,
    branch_id: step.branchId,
    ...(step.endpointId === undefined ? {} : { endpoint_id: step.endpointId }),
    action: step.action,
    status: 'scheduling',
    failures_count: 0,
    created_at: toTimestamp(createdMicros),
    updated_at: toTimestamp(createdMicros),
    total_duration_ms: 0,
  };
}

type Failure = Extract<OperationEffect, { kind: 'operation-fails' }>;

function failureEnding(operation: OperationRecord, effect: Failure): Ending {
  const error = effect.error ?? `${operation.wire.action} failed: a fault was injected`;
  return { status: effect.status ?? 'failed', error, failures: 1 };
}

function follows(operation: OperationRecord, earlier: OperationRecord): boolean {
  for (let before = operation.after; before !== undefined; before = before.after) {
    if (before === earlier) return true;
  }
  return false;
}

function isBlocked(project: ProjectRecord, operation: OperationRecord): boolean {
  if (operation.after !== undefined && operation.after.progress !== 'ended') return true;
  const { endpointId } = operation.step;
  if (endpointId === undefined) return false;
  for (const other of project.unfinished) {
    if (other === operation) return false;
    if (other.step.endpointId === endpointId) return true;
  }
  return false;
}
