import { memoize } from 'lodash';
import type { ProviderConfig } from '../config/provider-config';
import { ControlApi } from '../control-api/control-api';
import { isNotFound } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { HttpPacing } from '../control-api/http-client';
import { parseNamedId, toNamedId } from '../control-api/named-api';
import { defaultReadLagMs } from '../control-api/read-lag';
import { ResourceList } from '../control-api/resource-list';
import type { CallOptions } from '../control-api/retry';
import type { Branch, Endpoint, Named, NamedKind } from '../control-api/wire-types';
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
  /** How long one list of the project's endpoints serves every read. Milliseconds. @default 10000 */
  readonly readSharingMs?: number | undefined;
}

/** The types of resources. */
export type Kind = 'endpoint' | 'branch' | NamedKind;

/** Under its path: PROJECT/BRANCH/NAME. It has no states of its own. */
export type NamedItem = Omit<Named, 'id'> & {
  readonly id: string;
  /** Of a database: the service's id, which a rename does not change. */
  readonly number?: number | undefined;
  readonly project_id: string;
  readonly current_state: 'ready';
};

export function toNamedItem(projectId: string, shown: Named): NamedItem {
  const { branch_id: branchId, name, id: number } = shown;
  const id = toNamedId({ projectId, branchId, name });
  return { ...shown, id, number, project_id: projectId, current_state: 'ready' };
}

/** A write to the project. */
export type ProjectWrite<Result> = Omit<WriteOnce<Result>, 'pacing'> & Omit<QueuedWrite<Result>, 'write'>;

type AnyList = Pick<ResourceList<{ readonly id: string }>, 'find' | 'hide'>;

/** As long as reads may lag anyway. A refresh of 1000 endpoints takes about as long. */
const defaultReadSharingMs = defaultReadLagMs;

/** One project of the service, with everything that its resources in this process share. */
export class ServiceProject {
  readonly id: string;
  readonly api: ControlApi;
  readonly endpoints: ResourceList<Endpoint>;
  readonly branches: ResourceList<Branch>;
  /** The roles or databases of each branch. A branch that no longer exists has none. */
  readonly named: (kind: NamedKind, branchId: string) => ResourceList<NamedItem>;
  readonly poller: OperationPoller;
  readonly writes: WriteQueue;
  /** How long after a write of this process "not found" means "not visible yet". Milliseconds. */
  readonly readLagMs: number;
  readonly #readSharingMs: number;

  constructor(api: ControlApi, id: string, pacing: ServicePacing = {}) {
    this.id = id;
    this.api = api;
    const shared = { projectId: id, latestWriteAt: () => this.writes.latestAt, signal: api.signal };
    this.endpoints = new ResourceList({
      ...shared,
      plural: 'endpoints',
      list: (options) => api.listEndpoints(id, options),
      get: (endpointId, deadline) => api.getEndpoint(id, endpointId, deadline),
    });
    this.branches = new ResourceList({
      ...shared,
      plural: 'branches',
      list: (options) => api.listBranches(id, options),
      get: (branchId, deadline) => api.getBranch(id, branchId, deadline),
    });
    this.named = memoize(
      (kind: NamedKind, branchId: string) => {
        const orNone = async (error: unknown) => {
          if (!isNotFound(error) || (await this.branches.find(branchId))) throw error;
          return [];
        };
        const list = (options: CallOptions) => api.listNamed(kind, { projectId: id, branchId }, options);
        return new ResourceList({
          ...shared,
          plural: `${kind}s`,
          list: async (options) => (await list(options).catch(orNone)).map((shown) => toNamedItem(id, shown)),
          get: async (itemId, deadline) =>
            toNamedItem(id, await api.getNamed(kind, parseNamedId(itemId), deadline)),
        });
      },
      (kind, branchId) => `${kind} ${branchId}`,
    );
    this.poller = new OperationPoller(api, id, pacing.pollPacing);
    this.writes = new WriteQueue(this.poller, pacing.lockPacing);
    this.readLagMs = pacing.readLagMs ?? defaultReadLagMs;
    this.#readSharingMs = pacing.readSharingMs ?? defaultReadSharingMs;
  }

  /** Those of one type. @param branchId of what has a name within a branch */
  list(kind: Kind, branchId: string): AnyList {
    if (kind === 'branch') return this.branches;
    return kind === 'endpoint' ? this.endpoints : this.named(kind, branchId);
  }

  /** With this, reads of many endpoints or branches share their lists. */
  get sharedRead() {
    return { maxAgeMs: this.#readSharingMs, after: this.writes.latestAt };
  }

  /** How long reads may still lag behind what this process has written. */
  lag(deadline: Deadline): Deadline {
    return deadline.within(this.writes.latestAt + this.readLagMs - performance.now());
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
