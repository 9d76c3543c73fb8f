import type { EmulatorOptions } from 'postgres-control-emulator';
import type { ControlPlane } from '../../emulator/src/control-plane/control-plane';
import { createControlPlane } from '../../emulator/src/control-plane/create-control-plane';
import { Controls } from '../../emulator/src/controls/controls';
import { API_PREFIX } from '../../emulator/src/http/api-path';
import { addAuthorization } from '../../emulator/src/http/authorization';
import { addErrorResponses } from '../../emulator/src/http/error-responses';
import { addHttpFaults } from '../../emulator/src/http/http-faults';
import { acceptJson } from '../../emulator/src/http/json-body';
import { addRateLimit } from '../../emulator/src/http/rate-limiter';
import { addBranchRoutes } from '../../emulator/src/http/routes/branch-routes';
import { addEndpointRoutes } from '../../emulator/src/http/routes/endpoint-routes';
import { addOperationRoutes } from '../../emulator/src/http/routes/operation-routes';
import { resolveOptions } from '../../emulator/src/options/resolve-options';
import { Clock } from '../../emulator/src/records/clock';
import { RequestLog } from '../../emulator/src/requests/request-log';
import { InProcessServer } from './in-process-server';
import { trueTime } from './virtual-time';

/** The emulator without a socket: its control plane, routes, faults, rate limit, late reads and controls. */
export class SimulatedService {
  readonly plane: ControlPlane;
  readonly controls: Controls;
  readonly server = new InProcessServer();
  /** How far the read that is served now may lag behind. Milliseconds. */
  longestLagMs = Number.POSITIVE_INFINITY;
  readonly #stop: () => void;

  constructor(options: EmulatorOptions) {
    // Nobody sets the clock of the service.
    const plane = createControlPlane(resolveOptions(options), undefined, undefined, new Clock(trueTime));
    this.plane = plane;
    const { history } = plane;
    const view = history.view.bind(history);
    history.view = (project, lateMs) => view(project, Math.min(lateMs, this.longestLagMs));
    this.controls = new Controls(plane, new RequestLog());
    const stopped = new AbortController();
    const app = this.server.asFastify();
    acceptJson(app);
    addErrorResponses(app);
    addAuthorization(app, plane);
    addRateLimit(app, plane);
    addHttpFaults(app, plane.faults, stopped.signal);
    const api = this.server.asFastify(API_PREFIX);
    addBranchRoutes(api, plane);
    addEndpointRoutes(api, plane);
    addOperationRoutes(api, plane);
    this.#stop = () => {
      stopped.abort();
      plane.autosuspend.stop();
      plane.runner.stop();
    };
  }

  stop(): void {
    this.#stop();
  }
}
