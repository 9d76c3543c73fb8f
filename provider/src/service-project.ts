import type { ControlApi } from './control-api/control-api';
import { EndpointList } from './control-api/endpoint-list';
import type { PollPacing } from './operations/operation-pace';
import { OperationPoller } from './operations/operation-poller';
import { WriteLane } from './operations/write-lane';

/** One project of the service, with what all its endpoints in this process share. */
export class ServiceProject {
  readonly id: string;
  readonly api: ControlApi;
  readonly endpoints: EndpointList;
  readonly poller: OperationPoller;
  readonly writes: WriteLane;

  constructor(api: ControlApi, id: string, pacing?: PollPacing) {
    this.id = id;
    this.api = api;
    this.endpoints = new EndpointList(api, id);
    this.poller = new OperationPoller(api, id, pacing);
    this.writes = new WriteLane(this.poller);
  }
}
