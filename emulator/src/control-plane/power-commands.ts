import { conflict } from '../records/api-error';
import type { EndpointRecord, ProjectRecord, Step } from '../records/records';
import type { ControlPlane } from './control-plane';
import { restartSteps, startStep, suspendStep } from './endpoint-steps';
import type { EndpointResult } from './endpoints';
import { checkUnlocked } from './locks';
import { checkNotDeleting, targetStateOf } from './power-state';

export type PowerCommand = 'start' | 'suspend' | 'restart';

/** Starts, suspends or restarts a compute. If it is already in the requested state, there are no operations. */
export function commandEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  endpointId: string,
  command: PowerCommand,
): EndpointResult {
  const endpoint = plane.store.endpoint(project, endpointId);
  checkUnlocked(plane.settings.locks, project, { endpointId, branchId: endpoint.wire.branch_id });
  checkNotDeleting(endpoint);
  return { endpoint, operations: plane.runner.start(project, COMMANDS[command](project, endpoint)) };
}

/** Connects a client: starts an idle compute and counts as activity. Unlike an API request, it ignores locks. */
export function connectToEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  endpoint: EndpointRecord,
): EndpointResult {
  checkNotDeleting(endpoint);
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
      const targetState = targetStateOf(project, endpoint);
      if (targetState === 'active') return restartSteps(endpoint);
      throw conflict(
        'ENDPOINT_NOT_ACTIVE',
        `endpoint ${endpoint.wire.id} is ${targetState}: only an active compute can be restarted`,
      );
    },
  };

function startSteps(project: ProjectRecord, endpoint: EndpointRecord): Step[] {
  checkEnabled(endpoint);
  return targetStateOf(project, endpoint) === 'active' ? [] : [startStep(endpoint)];
}

function suspendSteps(project: ProjectRecord, endpoint: EndpointRecord): Step[] {
  return targetStateOf(project, endpoint) === 'idle' ? [] : [suspendStep(endpoint)];
}

function checkEnabled(endpoint: EndpointRecord): void {
  if (!endpoint.wire.disabled) return;
  throw conflict(
    'ENDPOINT_DISABLED',
    `endpoint ${endpoint.wire.id} is disabled: enable it before you start it`,
  );
}
