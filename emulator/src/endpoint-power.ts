import { conflict } from './api-error';
import type { ControlPlane } from './control-plane';
import { restartSteps } from './endpoint-changes';
import { headingOf } from './endpoint-state';
import type { EndpointWork } from './endpoints';
import { checkUnlocked } from './locks';
import type { Step } from './operation-runner';
import type { EndpointRecord, ProjectRecord } from './store';

export type PowerCommand = 'start' | 'suspend' | 'restart';

/** Starts, suspends or restarts a compute as a client asked. Nothing to do means no operations. */
export function commandEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  endpointId: string,
  command: PowerCommand,
): EndpointWork {
  const endpoint = plane.store.endpoint(project, endpointId);
  checkUnlocked(plane.settings.locks, project, { endpointId, branchId: endpoint.wire.branch_id });
  return { endpoint, operations: plane.runner.start(project, COMMANDS[command](project, endpoint)) };
}

/** A client connects: the compute wakes up if it is idle, and counts as used. Unlike a request it minds no lock. */
export function connectToEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  endpoint: EndpointRecord,
): EndpointWork {
  if (endpoint.wire.current_state === 'active') {
    endpoint.wire.last_active = plane.clock.now();
    plane.journal.noteEndpoint(project, endpoint);
  }
  plane.autosuspend.noteActivity(endpoint);
  const operations = plane.runner.start(project, startSteps(project, endpoint));
  plane.autosuspend.arm(project, endpoint);
  return { endpoint, operations };
}

const COMMANDS: Readonly<Record<PowerCommand, (project: ProjectRecord, endpoint: EndpointRecord) => Step[]>> =
  {
    start: startSteps,
    suspend: suspendSteps,
    restart: (project, endpoint) => {
      checkEnabled(endpoint);
      const heading = headingOf(project, endpoint);
      if (heading === 'active') return restartSteps(endpoint);
      throw conflict(
        'ENDPOINT_NOT_ACTIVE',
        `endpoint ${endpoint.wire.id} is ${heading}: only an active compute restarts`,
      );
    },
  };

function startSteps(project: ProjectRecord, endpoint: EndpointRecord): Step[] {
  checkEnabled(endpoint);
  if (headingOf(project, endpoint) === 'active') return [];
  const { id, branch_id } = endpoint.wire;
  return [{ action: 'start_compute', branchId: branch_id, endpointId: id, movesTo: 'active' }];
}

function suspendSteps(project: ProjectRecord, endpoint: EndpointRecord): Step[] {
  if (headingOf(project, endpoint) === 'idle') return [];
  const { id, branch_id } = endpoint.wire;
  return [{ action: 'suspend_compute', branchId: branch_id, endpointId: id, movesTo: 'idle' }];
}

function checkEnabled(endpoint: EndpointRecord): void {
  if (!endpoint.wire.disabled) return;
  throw conflict(
    'ENDPOINT_DISABLED',
    `endpoint ${endpoint.wire.id} is disabled: enable it before it can start`,
  );
}
