import { memoize } from 'lodash';
import type { ProviderConfig } from '../config/provider-config';
import { ControlApi } from '../control-api/control-api';
import { EndpointList } from '../control-api/endpoint-list';
import type { HttpPacing } from '../control-api/http-client';
import { defaultReadLagMs } from '../control-api/read-lag';
import type { Endpoint } from '../control-api/wire-types';
import { makeWriteOnce, type WriteOnce } from '../control-api/write-once';
import { OperationPoller } from './operation-poller';
import type { PollPacing } from './poll-schedule';
import type { LockPacing } from './wait-for-unlock';
import { type QueuedWrite, WriteQueue } from './write-queue';

/** The time constants of the service. Only tests change them. */
export interface ServicePacing extends HttpPacing {
  readonly pollPacing?: PollPacing | undefined;
  readonly lockPacing?: LockPacing | undefined;
  /** How long reads may lag behind writes. Milliseconds. @default 10000 */
  readonly readLagMs?: number | undefined;
  /** How long one list of the project's endpoints serves every read. Milliseconds. @default 5000 */
  readonly readSharingMs?: number | undefined;
}

/** A write to the project. */
export type ProjectWrite<Result> = Omit<WriteOnce<Result>, 'pacing'> & Omit<QueuedWrite<Result>, 'write'>;

const defaultReadSharingMs = 5_000;

/** One project of the service, with everything that its endpoints in this process share. */
export class ServiceProject {
  readonly id: string;
  readonly api: ControlApi;
  readonly endpoints: EndpointList;
  readonly poller: OperationPoller;
  readonly writes: WriteQueue;
  /** How long reads may lag behind writes: until then, "not found" means "not visible yet". Milliseconds. */
  readonly readLagMs: number;
  readonly #readSharingMs: number;

  constructor(api: ControlApi, id: string, pacing: ServicePacing = {}) {
    this.id = id;
    this.api = api;
    this.endpoints = new EndpointList(api, id);
    this.poller = new OperationPoller(api, id, pacing.pollPacing);
    this.writes = new WriteQueue(this.poller, pacing.lockPacing);
    this.readLagMs = pacing.readLagMs ?? defaultReadLagMs;
    this.#readSharingMs = pacing.readSharingMs ?? defaultReadSharingMs;
  }

  /** The endpoint as it is now; undefined if one read does not show it. Reads of many endpoints share their lists. */
  async findEndpoint(endpointId: string): Promise<Endpoint | undefined> {
    return this.endpoints.find(endpointId, this.#sharedRead);
  }

  /** The endpoint as it is now; undefined if no read shows it within the read lag. */
  async findEndpointPatiently(endpointId: string): Promise<Endpoint | undefined> {
    return this.endpoints.findPatiently(endpointId, this.readLagMs, this.#sharedRead);
  }

  get #sharedRead() {
    return { maxAgeMs: this.#readSharingMs, after: this.writes.latestAt };
  }

  /** Queues a write and sends it, exactly once even if its response is lost. */
  write<Result>({ deadline, startedBy, onLocked, ...once }: ProjectWrite<Result>): Promise<Result> {
    const write = makeWriteOnce({ ...once, deadline, pacing: this.api.retryPacing });
    return this.writes.run({ deadline, write, startedBy, onLocked });
  }
}

/** The projects that this process works on. They share one HTTP client. */
export class ServiceProjects {
  /** @throws Error when the key or the base URL is missing or unusable */
  readonly project: (projectId: string) => ServiceProject;
  readonly #connect: () => ControlApi;

  constructor(config: ProviderConfig, pacing: ServicePacing, signal?: AbortSignal) {
    // On first use, when the host has set the stack's config. An error is not remembered.
    this.#connect = memoize(() => new ControlApi({ ...config.connection, ...pacing }, signal));
    this.project = memoize((projectId) => new ServiceProject(this.#connect(), projectId, pacing));
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  get api(): ControlApi {
    return this.#connect();
  }
}
