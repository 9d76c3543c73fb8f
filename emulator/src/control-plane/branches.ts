import { checkEndpointQuota } from '../limits/plans';
import { badRequest, conflict, unprocessable } from '../records/api-error';
import type { BranchRecord } from '../records/branch-record';
import type { EndpointRecord } from '../records/endpoint-record';
import { newBranchId } from '../records/ids';
import type { OperationRecord, Step } from '../records/operation-record';
import { endpointsOfBranch, type ProjectRecord } from '../records/project-record';
import type { BranchPlace } from '../records/store';
import type { Branch } from '../records/wire-types';
import type { BranchChange, NewBranch } from '../requests/branch-attributes';
import type { ControlPlane } from './control-plane';
import { addEndpoint, checkNewEndpoint, deletionStep, firstSteps, removeEndpoint } from './endpoints';
import { checkUnlocked } from './locks';
import { copyAccess } from './new-roles-and-databases';
import { targetStateOf } from './power-state';

export interface AddedBranch {
  readonly branch: BranchRecord;
  readonly endpoints: readonly EndpointRecord[];
  readonly steps: readonly Step[];
}

/** Validates and adds a branch with its endpoints; the caller runs the steps. */
export function addBranch(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewBranch,
  lockScope = plane.settings.locks,
): AddedBranch {
  const parent = plane.store.branch(project, requested.parentId ?? project.primaryBranchId);
  for (const endpoint of requested.endpoints) checkNewEndpoint(plane, project, endpoint);
  if (requested.endpoints.filter(({ type }) => type === 'read_write').length > 1) {
    throw badRequest('endpoints contains more than one read_write endpoint: a branch has at most one');
  }
  checkUnlocked(lockScope, project, { branchId: parent.wire.id });
  checkNameIsFree(project, requested.name);
  checkEndpointQuota(project, requested.endpoints.length, plane.settings.maxEndpoints);
  const wire = newBranch(plane, project.wire.id, { ...requested, parentId: parent.wire.id });
  const branch = { wire, ...copyAccess(parent, wire.id) };
  plane.store.addBranch(project, branch);
  const endpoints = requested.endpoints.map((attributes) =>
    addEndpoint(plane, project, { ...attributes, branch_id: wire.id }),
  );
  const create: Step = { action: 'create_branch', branchId: wire.id, purpose: 'branch-creation' };
  return { branch, endpoints, steps: [create, ...endpoints.flatMap(firstSteps)] };
}

/** A branch in creation; `makeReady` completes it. */
export function newBranch(
  plane: ControlPlane,
  projectId: string,
  { name, parentId, parentLsn, parentTimestamp, isProtected = false }: Partial<NewBranch>,
): Branch {
  const id = newBranchId();
  const now = plane.clock.now();
  const isPrimary = parentId === undefined;
  return {
    id,
    project_id: projectId,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    ...(parentLsn === undefined ? {} : { parent_lsn: parentLsn }),
    ...(parentTimestamp === undefined ? {} : { parent_timestamp: parentTimestamp }),
    name: name ?? (isPrimary ? 'main' : id),
    current_state: 'init',
    pending_state: 'ready',
    state_changed_at: now,
    creation_source: 'emulator',
    primary: isPrimary,
    default: isPrimary,
    protected: isProtected,
    cpu_used_sec: 0,
    compute_time_seconds: 0,
    active_time_seconds: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    created_at: now,
    updated_at: now,
  };
}

/** Changes the name or the protection. Neither needs an operation. */
export function updateBranch(
  plane: ControlPlane,
  { project, branch }: BranchPlace,
  requested: BranchChange,
  lockScope = plane.settings.locks,
): Branch {
  checkUnlocked(lockScope, project, { branchId: branch.wire.id });
  if (requested.name !== branch.wire.name) checkNameIsFree(project, requested.name);
  changeBranch(plane, project, branch, requested);
  return branch.wire;
}

/** Makes a branch the default branch instead of the previous one. */
export function setDefaultBranch(plane: ControlPlane, { project, branch }: BranchPlace): Branch {
  checkUnlocked(plane.settings.locks, project, {});
  project.primaryBranchId = branch.wire.id;
  plane.journal.noteProject(project);
  for (const each of project.branches.values()) {
    const isDefault = each === branch;
    if (each.wire.default !== isDefault)
      changeBranch(plane, project, each, { default: isDefault, primary: isDefault });
  }
  return branch.wire;
}

/** Ends the creation of a branch. */
export function makeReady(plane: ControlPlane, project: ProjectRecord, branch: BranchRecord): void {
  delete branch.wire.pending_state;
  changeBranch(plane, project, branch, { current_state: 'ready', state_changed_at: plane.clock.now() });
}

function changeBranch(
  plane: ControlPlane,
  project: ProjectRecord,
  branch: BranchRecord,
  attributes: Partial<Branch>,
): void {
  Object.assign(branch.wire, attributes, { updated_at: plane.clock.now() });
  plane.journal.noteBranch(project, branch);
}

/** Deletes a branch and its endpoints. Returns undefined if the branch no longer exists. */
export function deleteBranch(
  plane: ControlPlane,
  project: ProjectRecord,
  branchId: string,
): { branch: Branch; operations: readonly OperationRecord[] } | undefined {
  if (project.deletedBranchIds.has(branchId)) return undefined;
  const branch = plane.store.branch(project, branchId).wire;
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

/** The names of branches are unique in their project. The words are the service's. */
function checkNameIsFree(project: ProjectRecord, name: string | undefined): void {
  if (![...project.branches.values()].some(({ wire }) => wire.name === name)) return;
  throw conflict('BRANCH_ALREADY_EXISTS', `branch already exists; branch_name:"${name}"`);
}

function checkDeletable(project: ProjectRecord, branch: Branch): void {
  if (branch.default) {
    throw unprocessable(
      'BRANCH_IS_DEFAULT',
      `branch ${branch.id} is the default branch: make another branch the default first`,
    );
  }
  if (branch.parent_id === undefined) {
    throw unprocessable(
      'BRANCH_IS_ROOT',
      `branch ${branch.id} is the root branch: delete the project to delete it`,
    );
  }
  const child = [...project.branches.values()].find(({ wire }) => wire.parent_id === branch.id);
  if (child !== undefined) {
    throw unprocessable(
      'BRANCH_HAS_CHILD',
      `branch ${branch.id} has the child branch ${child.wire.id}: delete the child branch first`,
    );
  }
}
