import type { EmulatorOptions } from 'postgres-control-emulator';
import { addAuthorization } from '../../../emulator/src/http/access';
import { API_PREFIX } from '../../../emulator/src/http/api-path';
import { addErrorResponses } from '../../../emulator/src/http/error-responses';
import { addHttpFaults } from '../../../emulator/src/http/http-faults';
import { acceptJson } from '../../../emulator/src/http/json-body';
import { addRateLimit } from '../../../emulator/src/http/rate-limiter';
import { addBranchRoutes } from '../../../emulator/src/http/routes/branch-routes';
import { addEndpointRoutes } from '../../../emulator/src/http/routes/endpoint-routes';
import { addOperationRoutes } from '../../../emulator/src/http/routes/operation-routes';
import { addRoleAndDatabaseRoutes } from '../../../emulator/src/http/routes/role-and-database-routes';
import type { Served, ServerRequest } from './in-process-reply';
import { InProcessServer } from './in-process-server';
import { ServedPlane } from './served-plane';

/** The emulator without a socket: its control plane, routes, faults, rate limit, late reads and controls. */
export class SimulatedService extends ServedPlane {
  readonly server = new InProcessServer();

  constructor(options: EmulatorOptions) {
    super(options);
    const { plane } = this;
    const app = this.server.asFastify();
    acceptJson(app);
    addErrorResponses(app);
    addAuthorization(app, plane);
    addRateLimit(app, plane);
    addHttpFaults(app, plane.faults, this.stopped);
    const api = this.server.asFastify(API_PREFIX);
    addBranchRoutes(api, plane);
    addRoleAndDatabaseRoutes(api, plane);
    addEndpointRoutes(api, plane);
    addOperationRoutes(api, plane);
  }

  /**
   * Serves a request of the network.
   * @param path below the version segment
   * @param onWork is called with the route's work when it is due
   */
  serve(
    { method, path, body }: Pick<ServerRequest, 'method' | 'body'> & { readonly path: string },
    authorization: unknown,
    onWork?: ServerRequest['onWork'],
  ): Promise<Served> {
    const headers = { authorization: String(authorization) };
    return this.server.handle({
      method,
      url: `${API_PREFIX}${path}`,
      headers,
      body,
      ...(onWork && { onWork }),
    });
  }
}
