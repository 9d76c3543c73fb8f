import { EventEmitter, once } from 'node:events';
import { ConnectionRefusal } from '../gateway/connection-refusal';
import { type EndpointRecord, unfinishedOf } from '../records/records';

/** Lets connections wait until the service has started their compute. Emits the ids of endpoints that have changed. */
export class AwaitedStarts extends EventEmitter {
  constructor() {
    super();
    this.setMaxListeners(0);
  }

  /** Resolves when the compute is active. @throws ConnectionRefusal if its start failed; the signal's reason if it aborts */
  async wait(endpoint: EndpointRecord, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!isActive(endpoint)) {
      if (!isStarting(endpoint)) throw refusalOf(endpoint);
      await once(this, endpoint.wire.id, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

export function isActive({ project, wire }: EndpointRecord): boolean {
  return project.endpoints.has(wire.id) && wire.current_state === 'active';
}

function isStarting(endpoint: EndpointRecord): boolean {
  const exists = endpoint.project.endpoints.has(endpoint.wire.id);
  return exists && unfinishedOf(endpoint).some(({ step }) => step.movesTo === 'active');
}

function refusalOf({ project, wire }: EndpointRecord): ConnectionRefusal {
  const last = project.operations.findLast(({ step }) => step.endpointId === wire.id);
  const reason = last?.wire.error ?? 'it was suspended or deleted in the meantime';
  return new ConnectionRefusal('08006', `the compute of endpoint ${wire.id} did not start: ${reason}`);
}
