import { EventEmitter, once } from 'node:events';
import { ConnectionRefusal } from '../gateway/connection-refusal';
import { type EndpointRecord, type ProjectRecord, unfinishedOf } from '../records/records';

/** Lets connections wait until the service has started their compute. Emits the ids of endpoints that have changed. */
export class AwaitedStarts extends EventEmitter {
  constructor() {
    super();
    this.setMaxListeners(0);
  }

  /** Resolves when the compute is active. @throws ConnectionRefusal if its start failed; the signal's reason if it aborts */
  async wait(project: ProjectRecord, endpoint: EndpointRecord, signal: AbortSignal): Promise<void> {
    const { id } = endpoint.wire;
    signal.throwIfAborted();
    while (!isActive(project, endpoint)) {
      if (!isStarting(project, id)) throw refusalOf(project, id);
      await once(this, id, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

export function isActive({ endpoints }: ProjectRecord, { wire }: EndpointRecord): boolean {
  return endpoints.has(wire.id) && wire.current_state === 'active';
}

function isStarting(project: ProjectRecord, endpointId: string): boolean {
  return (
    project.endpoints.has(endpointId) &&
    unfinishedOf(project, endpointId).some(({ step }) => step.movesTo === 'active')
  );
}

function refusalOf(project: ProjectRecord, endpointId: string): ConnectionRefusal {
  const last = project.operations.findLast(({ step }) => step.endpointId === endpointId);
  const reason = last?.wire.error ?? 'it was suspended or deleted in the meantime';
  return new ConnectionRefusal('08006', `the compute of endpoint ${endpointId} did not start: ${reason}`);
}
