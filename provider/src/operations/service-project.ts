import type { ControlApi } from '../control-api/control-api';
import { EndpointList } from '../control-api/endpoint-list';
import { makeWriteOnce, type WriteOnce } from '../control-api/write-once';
import { OperationPoller } from './operation-poller';
import type { PollPacing } from './poll-schedule';
import { defaultGraceMs } from './wait-for-operations';
import { type LockPacing, type QueuedWrite, WriteQueue } from './write-queue';

/** What differs between the real service and one under test. */
export interface ProjectPacing {
  readonly poll?: PollPacing | undefined;
  readonly lock?: LockPacing | undefined;
  /** For how long reads may lag behind writes. Milliseconds. @default 10000 */
  readonly graceMs?: number | undefined;
}

/** A write to the project. */
export type ProjectWrite<Result> = Omit<WriteOnce<Result>, 'pacing'> & Omit<QueuedWrite<Result>, 'write'>;

/** One project of the service, with what all its endpoints in this process share. */
export class ServiceProject {
  readonly id: string;
  readonly api: ControlApi;
  readonly endpoints: EndpointList;
  readonly poller: OperationPoller;
  readonly writes: WriteQueue;
  /** For how long reads may lag behind writes: until then "not found" means "not visible yet". Milliseconds. */
  readonly graceMs: number;

  constructor(api: ControlApi, id: string, { poll, lock, graceMs = defaultGraceMs }: ProjectPacing = {}) {
    this.id = id;
    this.api = api;
    this.endpoints = new EndpointList(api, id);
    this.poller = new OperationPoller(api, id, poll);
    this.writes = new WriteQueue(this.poller, lock);
    this.graceMs = graceMs;
  }

  /** Sends a write when its turn has come and the project takes it, once, whatever happens to the response. */
  write<Result>({ deadline, startedBy, onLocked, ...once }: ProjectWrite<Result>): Promise<Result> {
    const write = makeWriteOnce({ ...once, deadline, pacing: this.api.retryPacing });
    return this.writes.run({ deadline, write, startedBy, onLocked });
  }
}
