import type { Endpoint } from '../control-api/wire-types';
import { describeGone, GoneError } from '../lifecycle/resource-errors';
import type { EndpointWork } from './endpoint-operations';

/** How long a read beyond the deadline may take. Milliseconds. */
const lastReadMs = 5_000;

/** The endpoint of one create or update, as last read, or as the response to a write showed it. */
export class KnownEndpoint {
  latest: Endpoint | undefined;
  readonly #work: EndpointWork;

  constructor(work: EndpointWork, latest?: Endpoint) {
    this.#work = work;
    this.latest = latest;
  }

  /** The endpoint as it is now. @throws GoneError once reads can no longer lag behind, and none has shown it */
  async read(): Promise<Endpoint> {
    const { project, endpointId, deadline } = this.#work;
    const options = { deadline: deadline.next(Math.max(lastReadMs, deadline.remainingMs)) };
    const endpoint = await project.endpoints.findPatiently(endpointId, project.readLagMs, options);
    if (!endpoint) throw new GoneError(describeGone(this.#work));
    this.latest = endpoint;
    return endpoint;
  }

  /** The endpoint by one read, also beyond the deadline; undefined when that does not show it. */
  async find(withinMs = lastReadMs): Promise<Endpoint | undefined> {
    const { project, endpointId, deadline } = this.#work;
    const within = deadline.next(Math.max(lastReadMs, withinMs));
    const endpoint = await project.endpoints.find(endpointId, { deadline: within });
    this.latest = endpoint ?? this.latest;
    return endpoint;
  }
}
