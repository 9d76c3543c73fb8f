import type { EmulatorOptions } from 'postgres-control-emulator';
import { API_PREFIX } from '../../../emulator/src/http/api-path';
import { addAuthorization } from '../../../emulator/src/http/authorization';
import { addErrorResponses } from '../../../emulator/src/http/error-responses';
import { addHttpFaults } from '../../../emulator/src/http/http-faults';
import { acceptJson } from '../../../emulator/src/http/json-body';
import { addRateLimit } from '../../../emulator/src/http/rate-limiter';
import { addBranchRoutes } from '../../../emulator/src/http/routes/branch-routes';
import { addEndpointRoutes } from '../../../emulator/src/http/routes/endpoint-routes';
import { addOperationRoutes } from '../../../emulator/src/http/routes/operation-routes';
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
    addEndpointRoutes(api, plane);
    addOperationRoutes(api, plane);
  }
}
