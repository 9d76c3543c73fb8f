import type { EndpointRecord, Step } from '../records/records';

export function startStep(endpoint: EndpointRecord): Step {
  return { ...subjectOf(endpoint), action: 'start_compute', movesTo: 'active' };
}

export function suspendStep(
  endpoint: EndpointRecord,
  meaning: Pick<Step, 'isAutosuspend' | 'purpose'> = {},
): Step {
  return { ...subjectOf(endpoint), action: 'suspend_compute', movesTo: 'idle', ...meaning };
}

export function restartSteps(endpoint: EndpointRecord): Step[] {
  return [suspendStep(endpoint, { purpose: 'endpoint-restart' }), startStep(endpoint)];
}

export function applyConfigStep(endpoint: EndpointRecord): Step {
  return { ...subjectOf(endpoint), action: 'apply_config' };
}

function subjectOf({ wire }: EndpointRecord): Pick<Step, 'branchId' | 'endpointId'> {
  return { branchId: wire.branch_id, endpointId: wire.id };
}
