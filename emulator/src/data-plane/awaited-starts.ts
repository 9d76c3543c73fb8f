import { ConnectionRefusal } from '../gateway/connection-refusal';
import { type EndpointRecord, type ProjectRecord, unfinishedOf } from '../records/records';

/** Connections that wait until the service has started their compute. */
export class AwaitedStarts {
  readonly #checks = new Map<string, Set<() => void>>();

  /** Resolves when the compute is active. @throws ConnectionRefusal if its start failed; the signal's reason if it aborts */
  wait(project: ProjectRecord, endpoint: EndpointRecord, signal: AbortSignal): Promise<void> {
    const { id } = endpoint.wire;
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        checks.delete(check);
        if (checks.size === 0) this.#checks.delete(id);
        signal.removeEventListener('abort', abort);
        settle();
      };
      const check = (): void => {
        if (isActive(project, endpoint)) end(resolve);
        else if (!isStarting(project, id)) end(() => reject(refusalOf(project, id)));
      };
      const abort = (): void => end(() => reject(signal.reason));
      const checks = this.#checks.get(id) ?? new Set();
      this.#checks.set(id, checks.add(check));
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      else check();
    });
  }

  /** The endpoint's state may have changed. */
  check(endpointId: string): void {
    for (const check of [...(this.#checks.get(endpointId) ?? [])]) check();
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
