import type { EndpointRecord } from '../records/endpoint-record';
import type { ProjectRecord } from '../records/project-record';
import { suspendStep } from './endpoint-steps';
import type { OperationRunner } from './operation-runner';
import { isBusy } from './power-state';

const DEFAULT_DELAY_SECONDS = 300;

/** Suspends active computes after `suspend_timeout_seconds` without activity. */
export class Autosuspend {
  readonly #runner: OperationRunner;
  readonly #secondMs: number;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #lastActivityMs = new Map<string, number>();

  constructor(runner: OperationRunner, secondMs: number) {
    this.#runner = runner;
    this.#secondMs = secondMs;
  }

  noteActivity(endpoint: EndpointRecord): void {
    this.#lastActivityMs.set(endpoint.wire.id, Date.now());
  }

  /** Restarts the timer. Call it after every change of the endpoint's state, delay or activity. */
  arm(project: ProjectRecord, endpoint: EndpointRecord): void {
    const { id, current_state, suspend_timeout_seconds } = endpoint.wire;
    this.disarm(id);
    if (current_state !== 'active' || suspend_timeout_seconds < 0 || isBusy(project, id)) return;
    const delayMs = (suspend_timeout_seconds || DEFAULT_DELAY_SECONDS) * this.#secondMs;
    const idleMs = Date.now() - (this.#lastActivityMs.get(id) ?? Date.now());
    const timer = setTimeout(() => this.#suspend(project, endpoint), Math.max(0, delayMs - idleMs));
    this.#timers.set(id, timer.unref());
  }

  disarm(endpointId: string): void {
    clearTimeout(this.#timers.get(endpointId));
    this.#timers.delete(endpointId);
  }

  stop(): void {
    for (const endpointId of [...this.#timers.keys()]) this.disarm(endpointId);
  }

  #suspend(project: ProjectRecord, endpoint: EndpointRecord): void {
    this.#timers.delete(endpoint.wire.id);
    if (!project.endpoints.has(endpoint.wire.id)) return;
    // A suspension that fails is retried after another full delay, not at once.
    this.noteActivity(endpoint);
    this.#runner.start(project, [suspendStep(endpoint, { isAutosuspend: true })]);
  }
}
