import { conflict } from '../records/api-error';
import { type EndpointRecord, type OperationRecord, type Step, unfinishedOf } from '../records/records';
import type { EndpointState } from '../records/wire-types';
import type { ControlPlane } from './control-plane';
import type { DataPlane } from './data-plane';

/** Updates an endpoint's states after an operation started or ended. Returns the endpoint, if it still exists. */
export function updateEndpointState(
  { clock, dataPlane }: Pick<ControlPlane, 'clock' | 'dataPlane'>,
  operation: OperationRecord,
): EndpointRecord | undefined {
  const endpoint = operation.project.endpoints.get(operation.step.endpointId ?? '');
  if (endpoint === undefined) return undefined;
  const { wire } = endpoint;
  if (operation.progress === 'ended') {
    const { step } = operation;
    if (operation.wire.status === 'finished') {
      if (step.movesTo === 'idle' && !step.isAutosuspend) countSimulatedDrop(dataPlane, endpoint);
      enterState(endpoint, step, clock.now());
    }
    // The first start ends init permanently: if it failed, the compute is idle.
    else if (wire.current_state === 'init' && operation.step.movesTo === 'active')
      wire.current_state = 'idle';
    wire.updated_at = clock.now();
  }
  showPendingState(endpoint);
  return endpoint;
}

/** The state of the endpoint once its unfinished operations have finished. */
export function targetStateOf(endpoint: EndpointRecord): EndpointState {
  return movesOf(endpoint).at(-1) ?? endpoint.wire.current_state;
}

export function checkNotDeleting({ deleting, wire }: EndpointRecord): void {
  if (deleting) throw conflict('ENDPOINT_DELETING', `endpoint ${wire.id} is being deleted`);
}

/**
 * Counts the connections that a compute drops as one, if it is active. With real clients, the data plane counts them.
 * @returns whether it counted
 */
export function countSimulatedDrop(dataPlane: DataPlane | undefined, endpoint: EndpointRecord): boolean {
  const isDrop = endpoint.wire.current_state === 'active' && dataPlane === undefined;
  if (isDrop) endpoint.connectionDrops += 1;
  return isDrop;
}

function enterState({ wire }: EndpointRecord, { movesTo: state }: Step, now: string): void {
  if (state === undefined) return;
  wire.current_state = state;
  if (state === 'active') {
    wire.last_active = now;
    wire.started_at = now;
  } else {
    wire.suspended_at = now;
  }
}

/** `pending_state` is the next state. It is present only while the endpoint changes state. */
function showPendingState(endpoint: EndpointRecord): void {
  const [next] = movesOf(endpoint);
  if (next === undefined) delete endpoint.wire.pending_state;
  else endpoint.wire.pending_state = next;
}

function movesOf(endpoint: EndpointRecord): ('active' | 'idle')[] {
  return unfinishedOf(endpoint).flatMap(({ step }) => step.movesTo ?? []);
}
