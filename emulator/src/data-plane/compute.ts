import { type EventEmitter, once } from 'node:events';
import type { ControlPlane } from '../control-plane/control-plane';
import { ConnectionRefusal } from '../gateway/connection-refusal';
import { type EndpointRecord, isActive, unfinishedOf } from '../records/records';
import type { Cluster } from './cluster';

/** `last_active` changes at most this often while messages pass. */
const LAST_ACTIVE_EVERY_MS = 1000;

/** An endpoint that clients have connected to. */
export class Compute {
  readonly endpoint: EndpointRecord;
  /** Where its server runs; undefined while the compute is down. */
  cluster: Cluster | undefined;
  /** Its server's socket, when that has the roles and databases of the branch. */
  socket: string | undefined;
  /** Why its server did not start the last time. */
  failure: unknown;
  waitingClients = 0;
  readonly #clients = new Set<{ readonly cut: () => void }>();
  #notedMs = 0;
  #isLate = false;

  constructor(endpoint: EndpointRecord) {
    this.endpoint = endpoint;
  }

  get connections(): number {
    return this.#clients.size;
  }

  /** Where its clients connect, if its server runs on this cluster and is ready. */
  socketOn(cluster: Cluster): string | undefined {
    const isRunning = cluster.server !== undefined && cluster.endpointId === this.endpoint.wire.id;
    return isRunning && cluster === this.cluster ? this.socket : undefined;
  }

  /** Counts a client until it closes. Its messages are activity, which delays autosuspend. */
  addClient(plane: ControlPlane, cut: () => void): { traffic(): void; close(): void } {
    const client = { cut };
    this.#clients.add(client);
    return {
      traffic: () => {
        plane.autosuspend.noteActivity(this.endpoint);
        this.#isLate = true;
        if (Date.now() - this.#notedMs >= LAST_ACTIVE_EVERY_MS) this.#noteLastActive(plane);
      },
      close: () => {
        this.#clients.delete(client);
        if (this.#isLate) this.#noteLastActive(plane);
      },
    };
  }

  /** Counts the connections that drop now, and cuts off the clients that have not noticed when the server has ended them. */
  async drop(ended: Promise<unknown>): Promise<void> {
    const clients = [...this.#clients];
    this.endpoint.connectionDrops += clients.length;
    this.#clients.clear();
    try {
      await ended;
    } finally {
      for (const { cut } of clients) cut();
    }
  }

  #noteLastActive({ clock, journal }: ControlPlane): void {
    this.#isLate = false;
    this.#notedMs = Date.now();
    if (!this.endpoint.project.endpoints.has(this.endpoint.wire.id)) return;
    this.endpoint.wire.last_active = clock.now();
    journal.noteEndpoint(this.endpoint);
  }
}

/**
 * Resolves when the compute is active.
 * @throws ConnectionRefusal if its start failed; the signal's reason if it aborts
 */
export async function whenActive(
  endpoint: EndpointRecord,
  changes: EventEmitter,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  while (!isActive(endpoint)) {
    if (!isStarting(endpoint)) throw refusalOf(endpoint);
    await once(changes, endpoint.wire.id, { signal }).catch(() => signal.throwIfAborted());
  }
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
