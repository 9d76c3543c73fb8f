import { vi } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
import { ControlApiError } from '../../provider/src/control-api/control-api-error';
import type { Deadline } from '../../provider/src/control-api/deadline';
import { ResourceList } from '../../provider/src/control-api/resource-list';
import type { CallOptions } from '../../provider/src/control-api/retry';
import type { Endpoint } from '../../provider/src/control-api/wire-types';
import { endpointOf } from './endpoint';
import { now } from './fake-clock';

// A project whose endpoints are listed, by a fake clock.

export const failure = (status: number, isFromService = true, lacksVersion = false) =>
  new ControlApiError({
    method: 'GET',
    path: '/projects/p-1/endpoints',
    status,
    reason: 'not found',
    isFromService,
    lacksVersion,
  });

const pause = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

/** A project whose lists show `endpoints` at the time of the response. Records each request. */
export class ListedProject extends ControlApi {
  /** When each list was sent. */
  readonly sentAt: number[] = [];
  readonly askedById: [endpointId: string, deadline: Deadline | undefined][] = [];
  endpoints: () => Endpoint[] = () => [endpointOf()];
  byId: (endpointId: string) => Endpoint = () => {
    throw failure(404);
  };
  /** How long a list waits for the rate limiter. Milliseconds. */
  limitMs = 0;
  /** How long the response to a list takes. Milliseconds. */
  tookMs = 0;
  /** When this process last wrote to the project. */
  wroteAt = Number.NEGATIVE_INFINITY;
  readonly list = new ResourceList<Endpoint>({
    projectId: 'p-1',
    plural: 'endpoints',
    list: (options) => this.listEndpoints('p-1', options),
    get: (id, deadline) => this.getEndpoint('p-1', id, deadline),
    latestWriteAt: () => this.wroteAt,
    signal: undefined,
  });

  constructor() {
    super({ baseUrl: 'http://127.0.0.1/api/v2', apiKey: 'key' });
  }

  override async listEndpoints(_projectId: string, { onSend }: CallOptions = {}): Promise<Endpoint[]> {
    if (this.limitMs > 0) await pause(this.limitMs);
    onSend?.();
    this.sentAt.push(now());
    const listed = this.endpoints();
    if (this.tookMs > 0) await pause(this.tookMs);
    return listed;
  }

  override async getEndpoint(_projectId: string, endpointId: string, deadline?: Deadline): Promise<Endpoint> {
    this.askedById.push([endpointId, deadline]);
    return this.byId(endpointId);
  }
}

/** The result of the work, once so much time has passed as it needs. */
export async function passing<Result>(work: Promise<Result>, durationMs = 10_000): Promise<Result> {
  // Attached before time passes, so that a rejection is never unhandled.
  work.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(durationMs);
  return work;
}
