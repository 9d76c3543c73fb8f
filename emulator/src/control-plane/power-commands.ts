import { conflict } from '../records/api-error';
import type { EndpointRecord, Step } from '../records/records';
import type { ControlPlane } from './control-plane';
import { restartSteps, startStep, suspendStep } from './endpoint-changes';
import type { EndpointResult } from './endpoints';
import { checkEndpointUnlocked } from './locks';
import { checkNotDeleting, targetStateOf } from './power-state';

export type PowerCommand = 'start' | 'suspend' | 'restart';

/** Starts, suspends or restarts a compute. If it is already in the requested state, there are no operations. */
export function commandEndpoint(
  plane: ControlPlane,
  endpoint: EndpointRecord,
  command: PowerCommand,
): EndpointResult {
  checkEndpointUnlocked(plane, endpoint);
  checkNotDeleting(endpoint);
  return { endpoint, operations: plane.runner.start(endpoint.project, COMMANDS[command](endpoint)) };
}

/** Connects a client: starts an idle compute and counts as activity. Unlike an API request, it ignores locks. */
export function connectToEndpoint(plane: ControlPlane, endpoint: EndpointRecord): EndpointResult {
  checkNotDeleting(endpoint);
  if (endpoint.wire.current_state === 'active') {
    endpoint.wire.last_active = plane.clock.now();
    plane.journal.noteEndpoint(endpoint);
  }
  plane.autosuspend.noteActivity(endpoint);
  const operations = plane.runner.start(endpoint.project, startSteps(endpoint));
  plane.autosuspend.arm(endpoint);
  return { endpoint, operations };
}

const COMMANDS: Readonly<Record<PowerCommand, (endpoint: EndpointRecord) => Step[]>> = {
  start: startSteps,
  suspend: (endpoint) => (targetStateOf(endpoint) === 'idle' ? [] : [suspendStep(endpoint)]),
  restart: (endpoint) => {
    checkEnabled(endpoint);
    const targetState = targetStateOf(endpoint);
    if (targetState === 'active') return restartSteps(endpoint);
    throw conflict(
      'ENDPOINT_NOT_ACTIVE',
      `endpoint ${endpoint.wire.id} is ${targetState}: only an active compute can be restarted`,
    );
  },
};

function startSteps(endpoint: EndpointRecord): Step[] {
  checkEnabled(endpoint);
  return targetStateOf(endpoint) === 'active' ? [] : [startStep(endpoint)];
}

function checkEnabled(endpoint: EndpointRecord): void {
  if (!endpoint.wire.disabled) return;
  throw conflict(
    'ENDPOINT_DISABLED',
    `endpoint ${endpoint.wire.id} is disabled: enable it before you start it`,
  );
}
