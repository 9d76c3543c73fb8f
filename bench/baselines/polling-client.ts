import { setTimeout as sleep } from 'node:timers/promises';
import axios, { type AxiosInstance } from 'axios';
import type { Emulator } from 'postgres-control-emulator';

/** Where a client finds its emulator, which may run in another process. */
export type Address = Pick<Emulator, 'url' | 'apiKey'>;

interface Operation {
  readonly id: string;
  readonly status: string;
}

interface Pacing {
  /** How often each operation is asked for. Milliseconds. */
  readonly pollMs: number;
  /** Pause before a write is retried after a 423. Milliseconds. */
  readonly lockedMs: number;
}

/** How often a locked project is tried. */
const lockedTries = 120;

/** A client that asks for each operation by its id at a fixed interval, and tries a locked project on a timer. */
export class PollingClient {
  readonly #http: AxiosInstance;
  readonly #pacing: Pacing;

  constructor(emulator: Address, pacing: Pacing) {
    this.#pacing = pacing;
    this.#http = axios.create({
      baseURL: emulator.url,
      headers: { Authorization: `Bearer ${emulator.apiKey}` },
      validateStatus: (status) => status < 300 || status === 423,
    });
  }

  async create(projectId: string, endpoint: object): Promise<void> {
    const operations = await this.#write(projectId, endpoint);
    for (const { id } of operations) await this.#wait(projectId, id);
  }

  async #write(projectId: string, endpoint: object): Promise<Operation[]> {
    for (let tries = 1; tries <= lockedTries; tries += 1) {
      const { status, data } = await this.#http.post(`/projects/${projectId}/endpoints`, { endpoint });
      if (status !== 423) return (data as { operations: Operation[] }).operations;
      await sleep(this.#pacing.lockedMs);
    }
    throw new Error(`project ${projectId} is locked after ${lockedTries} tries`);
  }

  async #wait(projectId: string, operationId: string): Promise<void> {
    for (;;) {
      const { data } = await this.#http.get(`/projects/${projectId}/operations/${operationId}`);
      if ((data as { operation: Operation }).operation.status === 'finished') return;
      await sleep(this.#pacing.pollMs);
    }
  }
}
