import type { ProviderConfig } from '../config/provider-config';
import { ControlApi } from '../control-api/control-api';
import { EndpointList } from '../control-api/endpoint-list';
import { defaultReadLagMs } from '../control-api/read-lag';
import type { RetryPacing } from '../control-api/retry';
import type { Endpoint } from '../control-api/wire-types';
import { makeWriteOnce, type WriteOnce } from '../control-api/write-once';
import { OperationPoller } from './operation-poller';
import type { PollPacing } from './poll-schedule';
import type { LockPacing } from './project-lock';
import { type QueuedWrite, WriteQueue } from './write-queue';

/** The time constants of the service. Only tests change them. */
export interface ServicePacing {
  readonly pollPacing?: PollPacing | undefined;
  readonly lockPacing?: LockPacing | undefined;
  readonly retryPacing?: RetryPacing | undefined;
  /** How long one request may take. Milliseconds. @default 30000 */
  readonly requestTimeoutMs?: number | undefined;
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
  readonly #config: ProviderConfig;
  readonly #pacing: ServicePacing;
  readonly #projects = new Map<string, ServiceProject>();
  #api: ControlApi | undefined;

  constructor(config: ProviderConfig, pacing: ServicePacing) {
    this.#config = config;
    this.#pacing = pacing;
  }

  /** @throws Error when the key or the base URL is missing or unusable */
  project(projectId: string): ServiceProject {
    const known = this.#projects.get(projectId);
    if (known) return known;
    const { retryPacing, requestTimeoutMs } = this.#pacing;
    this.#api ??= new ControlApi({ ...this.#config.connection, retryPacing, requestTimeoutMs });
    const project = new ServiceProject(this.#api, projectId, this.#pacing);
    this.#projects.set(projectId, project);
    return project;
  }
}
