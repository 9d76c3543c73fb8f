import type { ControlApi } from '../control-api/control-api';
import { EndpointList } from '../control-api/endpoint-list';
import { defaultReadLagMs } from '../control-api/read-lag';
import type { Endpoint } from '../control-api/wire-types';
import { makeWriteOnce, type WriteOnce } from '../control-api/write-once';
import { OperationPoller } from './operation-poller';
import type { PollPacing } from './poll-schedule';
import type { LockPacing } from './project-lock';
import { type QueuedWrite, WriteQueue } from './write-queue';

/** What differs between the real service and one under test. */
export interface ProjectPacing {
  readonly pollPacing?: PollPacing | undefined;
  readonly lockPacing?: LockPacing | undefined;
  /** For how long reads may lag behind writes. Milliseconds. @default 10000 */
  readonly readLagMs?: number | undefined;
  /** How long a list of the project's endpoints serves every read of one. Milliseconds. @default 5000 */
  readonly readSharingMs?: number | undefined;
}

/** A write to the project. */
export type ProjectWrite<Result> = Omit<WriteOnce<Result>, 'pacing'> & Omit<QueuedWrite<Result>, 'write'>;

const defaultReadSharingMs = 5_000;

/** One project of the service, with what all its endpoints in this process share. */
export class ServiceProject {
  readonly id: string;
  readonly api: ControlApi;
  readonly endpoints: EndpointList;
  readonly poller: OperationPoller;
  readonly writes: WriteQueue;
  /** For how long reads may lag behind writes: until then "not found" means "not visible yet". Milliseconds. */
  readonly readLagMs: number;
  readonly #readSharingMs: number;

  constructor(api: ControlApi, id: string, pacing: ProjectPacing = {}) {
    const { pollPacing, lockPacing, readLagMs = defaultReadLagMs } = pacing;
    this.id = id;
    this.api = api;
    this.endpoints = new EndpointList(api, id);
    this.poller = new OperationPoller(api, id, pollPacing);
    this.writes = new WriteQueue(this.poller, lockPacing);
    this.readLagMs = readLagMs;
    this.#readSharingMs = pacing.readSharingMs ?? defaultReadSharingMs;
  }

  /** The endpoint as it is now; undefined when no read shows it. Reads of many endpoints share their lists. */
  async findEndpoint(endpointId: string): Promise<Endpoint | undefined> {
    return this.endpoints.find(endpointId, { maxAgeMs: this.#readSharingMs, after: this.writes.latestAt });
  }

  /** The endpoint as it is now; undefined once reads can no longer lag behind, and none has shown it. */
  async findEndpointPatiently(endpointId: string): Promise<Endpoint | undefined> {
    const shared = { maxAgeMs: this.#readSharingMs, after: this.writes.latestAt };
    return this.endpoints.findPatiently(endpointId, this.readLagMs, shared);
  }

  /** Sends a write when its turn has come and the project accepts it, once, whatever happens to the response. */
  write<Result>({ deadline, startedBy, onLocked, ...once }: ProjectWrite<Result>): Promise<Result> {
    const write = makeWriteOnce({ ...once, deadline, pacing: this.api.retryPacing });
    return this.writes.run({ deadline, write, startedBy, onLocked });
  }
}
