import { conflict } from '../records/api-error';
import type { Clock } from '../records/clock';
import type { EndpointRecord } from '../records/endpoint-record';
import type { OperationRecord, Step } from '../records/operation-record';
import { type ProjectRecord, unfinishedOf } from '../records/project-record';
import type { EndpointState } from '../records/wire-types';

/**
 * Updates an endpoint's states after an operation started or ended. Returns the endpoint, if it still exists.
 * @param countsDrops whether a compute that goes down counts as a dropped connection, as it does without real clients
 */
export function updateEndpointState(
  project: ProjectRecord,
  operation: OperationRecord,
  clock: Clock,
  countsDrops: boolean,
): EndpointRecord | undefined {
  const endpoint = project.endpoints.get(operation.step.endpointId ?? '');
  if (endpoint === undefined) return undefined;
  const { wire } = endpoint;
  if (operation.progress === 'ended') {
    const { step } = operation;
    const isDrop = step.movesTo === 'idle' && wire.current_state === 'active' && !step.isAutosuspend;
    if (operation.wire.status === 'finished') {
      if (isDrop && countsDrops) endpoint.connectionDrops += 1;
      enterState(endpoint, step, clock.now());
    }
    // The first start ends init permanently: if it failed, the compute is idle.
    else if (wire.current_state === 'init' && operation.step.movesTo === 'active')
      wire.current_state = 'idle';
    wire.updated_at = clock.now();
  }
  showPendingState(project, endpoint);
  return endpoint;
}

/** The state of the endpoint once its unfinished operations have finished. */
export function targetStateOf(project: ProjectRecord, endpoint: EndpointRecord): EndpointState {
  return movesOf(project, endpoint).at(-1) ?? endpoint.wire.current_state;
}

/** Rejects a change of an endpoint that is being deleted, regardless of locks. */
export function checkNotDeleting({ deleting, wire }: EndpointRecord): void {
  if (deleting) throw conflict('ENDPOINT_DELETING', `endpoint ${wire.id} is being deleted`);
}

export function isBusy(project: ProjectRecord, endpointId: string): boolean {
  return unfinishedOf(project, endpointId).length > 0;
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
function showPendingState(project: ProjectRecord, { wire }: EndpointRecord): void {
  const [next] = movesOf(project, { wire });
  if (next === undefined) delete wire.pending_state;
  else wire.pending_state = next;
}

function movesOf(project: ProjectRecord, { wire }: Pick<EndpointRecord, 'wire'>): ('active' | 'idle')[] {
  return unfinishedOf(project, wire.id).flatMap(({ step }) => step.movesTo ?? []);
}
