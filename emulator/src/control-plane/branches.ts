import { checkEndpointQuota } from '../limits/plans';
import { badRequest, unprocessable } from '../records/api-error';
import type { EndpointRecord } from '../records/endpoint-record';
import { newBranchId } from '../records/ids';
import type { OperationRecord, Step } from '../records/operation-record';
import { endpointsOfBranch, type ProjectRecord } from '../records/project-record';
import type { Branch } from '../records/wire-types';
import type { NewBranch } from '../requests/branch-attributes';
import type { ControlPlane } from './control-plane';
import { addEndpoint, checkNewEndpoint, deletionStep, firstSteps, removeEndpoint } from './endpoints';
import { checkUnlocked } from './locks';
import { targetStateOf } from './power-state';

export interface AddedBranch {
  readonly branch: Branch;
  readonly endpoints: readonly EndpointRecord[];
  readonly steps: readonly Step[];
}

/** Validates and adds a branch with its endpoints; the caller runs the steps. */
export function addBranch(plane: ControlPlane, project: ProjectRecord, requested: NewBranch): AddedBranch {
  const parent = plane.store.branch(project, requested.parentId ?? project.primaryBranchId);
  for (const endpoint of requested.endpoints) checkNewEndpoint(plane, project, endpoint);
  if (requested.endpoints.filter(({ type }) => type === 'read_write').length > 1) {
    throw badRequest('endpoints contains more than one read_write endpoint: a branch has at most one');
  }
  checkUnlocked(plane.settings.locks, project, { branchId: parent.id });
  checkEndpointQuota(project, requested.endpoints.length, plane.settings.maxEndpoints);
  const branch = newBranch(plane, project.wire.id, { name: requested.name, parentId: parent.id });
  branch.protected = requested.isProtected ?? false;
  plane.store.addBranch(project, branch);
  const endpoints = requested.endpoints.map((attributes) =>
    addEndpoint(plane, project, { ...attributes, branch_id: branch.id }),
  );
  const create: Step = { action: 'create_branch', branchId: branch.id, purpose: 'branch-creation' };
  return { branch, endpoints, steps: [create, ...endpoints.flatMap(firstSteps)] };
}

/** A branch in creation; `makeReady` completes it. */
export function newBranch(
  plane: ControlPlane,
  projectId: string,
  { name, parentId }: { name?: string | undefined; parentId?: string | undefined },
): Branch {
  const id = newBranchId();
  const now = plane.clock.now();
  const isPrimary = parentId === undefined;
  return {
    id,
    project_id: projectId,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    name: name ?? (isPrimary ? 'main' : id),
    current_state: 'init',
    pending_state: 'ready',
    state_changed_at: now,
    creation_source: 'emulator',
    primary: isPrimary,
    default: isPrimary,
    protected: false,
    cpu_used_sec: 0,
    compute_time_seconds: 0,
    active_time_seconds: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    created_at: now,
    updated_at: now,
  };
}

export function makeReady(plane: ControlPlane, branch: Branch): void {
  branch.current_state = 'ready';
  delete branch.pending_state;
  branch.state_changed_at = plane.clock.now();
  branch.updated_at = branch.state_changed_at;
}

/** Deletes a branch and its endpoints. Returns undefined if the branch no longer exists. */
export function deleteBranch(
  plane: ControlPlane,
  project: ProjectRecord,
  branchId: string,
): { branch: Branch; operations: readonly OperationRecord[] } | undefined {
  if (project.deletedBranchIds.has(branchId)) return undefined;
  const branch = plane.store.branch(project, branchId);
  checkUnlocked(plane.settings.locks, project, {});
  checkDeletable(project, branch);
  const endpoints = endpointsOfBranch(project, branchId);
  const running = endpoints.filter(
    (endpoint) => targetStateOf(project, endpoint) !== 'idle' && !endpoint.deleting,
  );
  for (const endpoint of endpoints) {
    if (!running.includes(endpoint)) removeEndpoint(plane, project, endpoint);
  }
  if (endpointsOfBranch(project, branchId).length === 0) plane.store.removeBranch(project, branchId);
  const steps = running.map(
    (endpoint): Step => ({ ...deletionStep(plane, project, endpoint), purpose: 'branch-deletion' }),
  );
  return { branch, operations: plane.runner.start(project, steps) };
}

function checkDeletable(project: ProjectRecord, branch: Branch): void {
  if (branch.id === project.primaryBranchId) {
    throw unprocessable(
      'BRANCH_IS_PRIMARY',
      `branch ${branch.id} is the primary branch: delete the project to delete it`,
    );
  }
  const child = [...project.branches.values()].find(({ parent_id }) => parent_id === branch.id);
  if (child !== undefined) {
    throw unprocessable(
      'BRANCH_HAS_CHILD',
      `branch ${branch.id} has the child branch ${child.id}: delete the child branch first`,
    );
  }
}
