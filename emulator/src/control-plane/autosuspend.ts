import { type EndpointRecord, isActive, unfinishedOf } from '../records/records';
import type { DataPlane } from './data-plane';
import { suspendStep } from './endpoint-changes';
import type { OperationRunner } from './operation-runner';

const DEFAULT_DELAY_SECONDS = 300;

/** Suspends active computes after `suspend_timeout_seconds` without activity. */
export class Autosuspend {
  readonly #runner: OperationRunner;
  readonly #secondMs: number;
  readonly #dataPlane: Pick<DataPlane, 'isQuerying'> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isStopped = false;
  readonly #lastActivityMs = new Map<string, number>();

  /** @param dataPlane the real servers, if there are any: a compute with a running query is not suspended */
  constructor(runner: OperationRunner, secondMs: number, dataPlane?: Pick<DataPlane, 'isQuerying'>) {
    this.#runner = runner;
    this.#secondMs = secondMs;
    this.#dataPlane = dataPlane;
  }

  noteActivity(endpoint: EndpointRecord): void {
    this.#lastActivityMs.set(endpoint.wire.id, performance.now());
  }

  /** Restarts the timer. Call it after every change of the endpoint's state, delay or activity. */
  arm(endpoint: EndpointRecord): void {
    const { id } = endpoint.wire;
    this.disarm(id);
    if (this.#isStopped || !canSuspend(endpoint)) return;
    const timer = setTimeout(() => void this.#suspendIfIdle(endpoint), Math.max(0, this.#leftMs(endpoint)));
    this.#timers.set(id, timer.unref());
  }

  disarm(endpointId: string): void {
    clearTimeout(this.#timers.get(endpointId));
    this.#timers.delete(endpointId);
  }

  stop(): void {
    this.#isStopped = true;
    for (const endpointId of [...this.#timers.keys()]) this.disarm(endpointId);
  }

  /** Messages of clients are noted without a new timer, so the delay may not have passed yet. */
  async #suspendIfIdle(endpoint: EndpointRecord): Promise<void> {
    const { id } = endpoint.wire;
    this.#timers.delete(id);
    if (!endpoint.project.endpoints.has(id)) return;
    if (this.#dataPlane === undefined) return this.#suspend(endpoint);
    if (this.#leftMs(endpoint) <= 0 && (await this.#dataPlane.isQuerying(id))) this.noteActivity(endpoint);
    const isDue = this.#leftMs(endpoint) <= 0 && canSuspend(endpoint);
    if (isDue && !this.#isStopped) this.#suspend(endpoint);
    else this.arm(endpoint);
  }

  #suspend(endpoint: EndpointRecord): void {
    // A suspension that fails is retried after another full delay, not at once.
    this.noteActivity(endpoint);
    this.#runner.start(endpoint.project, [suspendStep(endpoint, { isAutosuspend: true })]);
  }

  #leftMs({ wire }: EndpointRecord): number {
    const delayMs = (wire.suspend_timeout_seconds || DEFAULT_DELAY_SECONDS) * this.#secondMs;
    const nowMs = performance.now();
    return (this.#lastActivityMs.get(wire.id) ?? nowMs) + delayMs - nowMs;
  }
}

function canSuspend(endpoint: EndpointRecord): boolean {
  const hasDelay = endpoint.wire.suspend_timeout_seconds >= 0;
  return hasDelay && isActive(endpoint) && unfinishedOf(endpoint).length === 0;
}
