import { type ComputeSize, checkBothBounds, checkComputeSize } from '../limits/compute-size';
import { badRequest, conflict, unprocessable } from '../records/api-error';
import { newEndpointId } from '../records/ids';
import {
  type EndpointRecord,
  endpointsOfBranch,
  type OperationRecord,
  type ProjectRecord,
  readWriteEndpointOf,
  type Step,
  unfinishedOf,
} from '../records/records';
import type { EndpointAttributes, NewEndpointAttributes } from '../requests/endpoint-attributes';
import { checkNotProtected } from './branch-rules';
import type { ControlPlane } from './control-plane';
import { applyAttributes, planUpdate, startStep, suspendStep } from './endpoint-changes';
import { checkEndpointUnlocked, checkNone, checkUnlocked } from './locks';
import { checkNotDeleting, countSimulatedDrop, targetStateOf } from './power-state';

/** Default size in compute units, if neither the request nor the project sets one: the only one of the service's free plan. */
const DEFAULT_SIZE: ComputeSize = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 };

export interface EndpointResult {
  readonly endpoint: EndpointRecord;
  readonly operations: readonly OperationRecord[];
}

export function createEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  attributes: NewEndpointAttributes,
): EndpointResult {
  checkNewEndpointRequest(plane, project, attributes);
  const endpoint = addEndpoint(plane, project, attributes);
  return { endpoint, operations: plane.runner.start(project, firstSteps(endpoint)) };
}

/**
 * Validates a new endpoint on a branch that exists. Rules that no retry can satisfy come first, then locks, then rules
 * that depend on the other endpoints.
 */
export function checkNewEndpointRequest(
  plane: ControlPlane,
  project: ProjectRecord,
  attributes: NewEndpointAttributes,
  lockScope = plane.settings.locks,
): void {
  checkNone(plane.store.branch(project, attributes.branch_id), 'branch-deletion');
  checkNewEndpoint(plane, project, attributes);
  checkUnlocked(lockScope, project, { branchId: attributes.branch_id });
  checkEndpointQuota(plane, project, 1);
  checkBranchIsFree(project, attributes);
}

export function checkNewEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  attributes: EndpointAttributes,
): void {
  checkBothBounds(attributes);
  const { region_id: region } = project.wire;
  if (attributes.region_id !== undefined && attributes.region_id !== region) {
    throw badRequest(`endpoint.region_id must be the project's, ${region}; got ${attributes.region_id}`);
  }
  checkComputeSize(sizeOf(attributes, defaultSize(project)), plane.settings.maxCu);
}

/** Adds the record; the caller runs the first steps. */
export function addEndpoint(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewEndpointAttributes,
  now = plane.clock.now(),
): EndpointRecord {
  const id = newEndpointId();
  const defaults = project.wire.default_endpoint_settings;
  const defaultSettings = defaults?.pg_settings === undefined ? {} : { pg_settings: defaults.pg_settings };
  const attributes = { ...requested, settings: { ...defaultSettings, ...requested.settings } };
  const endpoint: EndpointRecord = {
    project,
    wire: {
      id,
      host: `${id}.${project.wire.proxy_host}`,
      proxy_host: project.wire.proxy_host,
      project_id: project.wire.id,
      branch_id: attributes.branch_id,
      region_id: project.wire.region_id,
      type: attributes.type,
      ...(attributes.name === undefined ? {} : { name: attributes.name }),
      ...sizeOf(attributes, defaultSize(project)),
      current_state: attributes.disabled ? 'idle' : 'init',
      settings: { pg_settings: {}, ...attributes.settings },
      pooler_enabled: attributes.pooler_enabled ?? false,
      pooler_mode: attributes.pooler_mode ?? 'transaction',
      disabled: attributes.disabled ?? false,
      passwordless_access: attributes.passwordless_access ?? true,
      suspend_timeout_seconds: attributes.suspend_timeout_seconds ?? defaults?.suspend_timeout_seconds ?? 0,
      provisioner: attributes.provisioner ?? project.wire.provisioner,
      creation_source: 'emulator',
      created_at: now,
      updated_at: now,
    },
    restarts: 0,
    connectionDrops: 0,
    deleting: false,
  };
  plane.store.addEndpoint(endpoint);
  return endpoint;
}

export function firstSteps(endpoint: EndpointRecord): Step[] {
  return endpoint.wire.disabled ? [] : [startStep(endpoint)];
}

export function updateEndpoint(
  plane: ControlPlane,
  endpoint: EndpointRecord,
  requested: EndpointAttributes,
): EndpointResult {
  const { project, wire } = endpoint;
  if (requested.branch_id !== undefined)
    checkNone(plane.store.branch(project, requested.branch_id), 'branch-deletion');
  checkComputeSize(sizeOf(requested, sizeOf(wire)), plane.settings.maxCu);
  checkEndpointUnlocked(plane, endpoint);
  checkNotDeleting(endpoint);
  checkMove(endpoint, requested.branch_id);
  const targetState = targetStateOf(endpoint);
  const effects = applyAttributes(endpoint, requested);
  if (effects.size > 0) {
    wire.updated_at = plane.clock.now();
    plane.journal.noteEndpoint(endpoint);
  }
  return { endpoint, operations: plane.runner.start(project, planUpdate(endpoint, effects, targetState)) };
}

export function deleteEndpoint(plane: ControlPlane, endpoint: EndpointRecord): EndpointResult {
  const { project, wire } = endpoint;
  checkEndpointUnlocked(plane, endpoint);
  if (endpoint.deleting) return { endpoint, operations: unfinishedOf(endpoint) };
  checkNotProtected(plane.store.branch(project, wire.branch_id).wire, 'its computes cannot be deleted');
  if (targetStateOf(endpoint) === 'idle' && wire.current_state === 'idle') {
    removeEndpoint(plane, endpoint);
    return { endpoint, operations: [] };
  }
  return { endpoint, operations: plane.runner.start(project, [deletionStep(plane, endpoint)]) };
}

/** Suspends the compute. The endpoint is removed once that has finished. */
export function deletionStep(plane: ControlPlane, endpoint: EndpointRecord): Step {
  endpoint.deleting = true;
  plane.journal.noteEndpoint(endpoint);
  return suspendStep(endpoint, { purpose: 'endpoint-deletion' });
}

export function removeEndpoint(plane: ControlPlane, endpoint: EndpointRecord): void {
  countSimulatedDrop(plane.dataPlane, endpoint);
  plane.autosuspend.disarm(endpoint.wire.id);
  plane.store.removeEndpoint(endpoint);
  plane.runner.cancelForEndpoint(endpoint);
}

export function checkBranchIsFree(project: ProjectRecord, { branch_id, type }: NewEndpointAttributes): void {
  if (type !== 'read_write') return;
  const existing = readWriteEndpointOf(project, branch_id);
  if (existing === undefined) return;
  throw conflict(
    'ENDPOINT_EXISTS',
    `branch ${branch_id} already has the read_write endpoint ${existing.wire.id}: a branch has at most one`,
  );
}

function checkMove({ project, wire }: EndpointRecord, branchId: string | undefined): void {
  if (branchId === undefined || branchId === wire.branch_id) return;
  const [existing] = endpointsOfBranch(project, branchId);
  if (existing === undefined) return;
  throw conflict(
    'BRANCH_HAS_ENDPOINT',
    `endpoint ${wire.id} cannot move to branch ${branchId}: that branch already has the endpoint ${existing.wire.id}`,
  );
}

export function checkEndpointQuota(
  { settings: { maxEndpoints } }: ControlPlane,
  { wire, endpoints }: ProjectRecord,
  added: number,
): void {
  if (endpoints.size + added <= maxEndpoints) return;
  throw unprocessable(
    'ENDPOINTS_LIMIT_EXCEEDED',
    `project ${wire.id} has ${endpoints.size} of at most ${maxEndpoints} endpoints: delete one first, or raise the quota`,
  );
}

function defaultSize({ wire }: ProjectRecord): ComputeSize {
  return sizeOf(wire.default_endpoint_settings ?? {});
}

function sizeOf(
  { autoscaling_limit_min_cu, autoscaling_limit_max_cu }: Partial<ComputeSize>,
  fallback: ComputeSize = DEFAULT_SIZE,
): ComputeSize {
  return {
    autoscaling_limit_min_cu: autoscaling_limit_min_cu ?? fallback.autoscaling_limit_min_cu,
    autoscaling_limit_max_cu: autoscaling_limit_max_cu ?? fallback.autoscaling_limit_max_cu,
  };
}
