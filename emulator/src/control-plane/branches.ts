import { badRequest } from '../records/api-error';
import { newBranchId } from '../records/ids';
import {
  type BranchRecord,
  endpointsOfBranch,
  type OperationRecord,
  type ProjectRecord,
  type Step,
} from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import type { Branch } from '../records/wire-types';
import type { BranchChange, NewBranch } from '../requests/branch-attributes';
import {
  checkDeletable,
  checkMayExpire,
  checkMayHaveChildren,
  checkNameIsFree,
  expirationAt,
} from './branch-rules';
import type { ControlPlane } from './control-plane';
import {
  addEndpoint,
  checkEndpointQuota,
  checkNewEndpoint,
  deletionStep,
  firstSteps,
  removeEndpoint,
} from './endpoints';
import { checkNone, checkUnlocked, pendingOn } from './locks';
import { targetStateOf } from './power-state';
import { copyAccess } from './roles-and-databases';

const EXPIRE_EVERY_MS = 500;
/** Before a branch is deleted, which would remove the data that a restore preserves, or protected from them. */
const ENDS_FIRST = ['branch-restore', 'branch-deletion', 'endpoint-deletion'] as const;

/** Validates and adds a branch with its endpoints; the caller runs the steps. */
export function addBranch(
  plane: ControlPlane,
  project: ProjectRecord,
  requested: NewBranch,
  lockScope = plane.settings.locks,
) {
  const source = plane.store.branch(project, requested.parent_id || project.primaryBranchId);
  const sourceId = source.wire.id;
  const isSchemaOnly = requested.init_source === 'schema-only';
  for (const endpoint of requested.endpoints) checkNewEndpoint(plane, project, endpoint);
  if (requested.endpoints.filter(({ type }) => type === 'read_write').length > 1) {
    throw badRequest('endpoints contains more than one read_write endpoint: a branch has at most one');
  }
  if (isSchemaOnly) plane.dataPlane?.schemas.check();
  else checkMayHaveChildren(source.wire);
  const wire = newBranch(plane, project.wire.id, {
    ...requested,
    parent_id: isSchemaOnly ? undefined : sourceId,
  });
  checkMayExpire(project, wire);
  checkUnlocked(lockScope, project, { branchId: sourceId });
  checkNone(source, 'branch-restore', 'branch-deletion');
  checkNameIsFree(project, requested.name);
  checkEndpointQuota(plane, project, requested.endpoints.length);
  const branch = {
    project,
    wire,
    sourceId,
    ...copyAccess(source, wire.id, source.wire.protected ? { now: wire.created_at, before: [] } : undefined),
  };
  plane.store.addBranch(branch);
  const endpoints = requested.endpoints.map((attributes) =>
    addEndpoint(plane, project, { ...attributes, branch_id: wire.id }),
  );
  const { id: branchId } = wire;
  const create = (action: string): Step => ({ action, branchId, purpose: 'branch-creation' });
  const steps = isSchemaOnly
    ? [{ action: 'create_branch', branchId }, create('apply_schema_from_branch')]
    : [create('create_branch')];
  return { branch, endpoints, steps: [...steps, ...endpoints.flatMap(firstSteps)] };
}

/** A branch in creation; `makeReady` completes it. */
export function newBranch(
  plane: ControlPlane,
  projectId: string,
  requested: { readonly [Name in keyof NewBranch]?: NewBranch[Name] | undefined },
  isDefault = false,
): Branch {
  const id = newBranchId();
  const now = plane.clock.now();
  const { parent_id, parent_lsn, parent_timestamp, expires_at } = requested;
  return {
    id,
    project_id: projectId,
    ...(parent_id !== undefined && { parent_id }),
    ...(parent_lsn !== undefined && { parent_lsn }),
    ...(parent_timestamp !== undefined && { parent_timestamp }),
    name: requested.name ?? (isDefault ? 'main' : id),
    current_state: 'init',
    pending_state: 'ready',
    state_changed_at: now,
    creation_source: 'emulator',
    init_source: requested.init_source ?? 'parent-data',
    primary: isDefault,
    default: isDefault,
    protected: requested.protected ?? false,
    cpu_used_sec: 0,
    compute_time_seconds: 0,
    active_time_seconds: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    ...(expires_at !== undefined && expirationAt(plane, new Date(expires_at))),
    created_at: now,
    updated_at: now,
  };
}

/** Changes the name, the protection or the expiration. None needs an operation. */
export function updateBranch(
  plane: ControlPlane,
  branch: BranchRecord,
  { expires_at, ...requested }: BranchChange,
  lockScope = plane.settings.locks,
): Branch {
  const { project, wire } = branch;
  const expiration = typeof expires_at === 'string' ? expirationAt(plane, new Date(expires_at)) : {};
  checkUnlocked(lockScope, project, { branchId: wire.id });
  if (requested.protected) checkNone(branch, ...ENDS_FIRST);
  if (requested.name !== wire.name) checkNameIsFree(project, requested.name);
  checkMayExpire(project, { ...wire, ...requested, ...(expires_at !== undefined && { expires_at }) });
  if (expires_at === null) {
    delete wire.expires_at;
    delete wire.ttl_interval_seconds;
  }
  changeBranch(plane, branch, { ...requested, ...expiration });
  return wire;
}

export function setDefaultBranch(plane: ControlPlane, branch: BranchRecord): Branch {
  const { project } = branch;
  checkMayExpire(project, { ...branch.wire, default: true });
  checkUnlocked(plane.settings.locks, project, {});
  checkNone(branch, 'branch-deletion');
  project.primaryBranchId = branch.wire.id;
  plane.journal.noteProject(project);
  for (const each of project.branches.values()) {
    const isDefault = each === branch;
    if (each.wire.default !== isDefault)
      changeBranch(plane, each, { default: isDefault, primary: isDefault });
  }
  return branch.wire;
}

export function makeReady(plane: ControlPlane, branch: BranchRecord): void {
  delete branch.wire.pending_state;
  changeBranch(plane, branch, { current_state: 'ready', state_changed_at: plane.clock.now() });
}

export function changeBranch(plane: ControlPlane, branch: BranchRecord, attributes: Partial<Branch>): void {
  Object.assign(branch.wire, attributes, { updated_at: plane.clock.now() });
  plane.journal.noteBranch(branch);
}

export function deleteBranch(
  plane: ControlPlane,
  branch: BranchRecord,
  lockScope = plane.settings.locks,
): { branch: Branch; operations: readonly OperationRecord[] } {
  const { project, wire } = branch;
  checkUnlocked(lockScope, project, {});
  checkNone(branch, ...ENDS_FIRST);
  checkDeletable(branch);
  const endpoints = endpointsOfBranch(project, wire.id);
  const running = endpoints.filter((endpoint) => targetStateOf(endpoint) !== 'idle');
  for (const endpoint of endpoints) {
    if (!running.includes(endpoint)) removeEndpoint(plane, endpoint);
  }
  if (endpointsOfBranch(project, wire.id).length === 0) plane.store.removeBranch(branch);
  const steps = running.map(
    (endpoint): Step => ({ ...deletionStep(plane, endpoint), purpose: 'branch-deletion' }),
  );
  return { branch: wire, operations: plane.runner.start(project, steps) };
}

export function startExpiry(plane: ControlPlane): () => void {
  const expire = (): void => {
    for (const project of plane.store.projects.values()) {
      try {
        expireBranches(plane, project);
      } catch (error) {
        // A project that cannot be served does not end the process. The next round tries it again.
        process.emitWarning(`expired branches could not be deleted: ${reasonOf(error)}`);
      }
    }
  };
  const timer = setInterval(expire, EXPIRE_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Deletes the branches whose time has come, whatever locks the project, after a restore. A delete that fails is repeated. */
function expireBranches(plane: ControlPlane, project: ProjectRecord): void {
  const now = plane.clock.nowMs();
  for (const branch of [...project.branches.values()]) {
    const { wire } = branch;
    const isDue = wire.expires_at !== undefined && Date.parse(wire.expires_at) <= now;
    if (isDue && !pendingOn(branch, ...ENDS_FIRST)) deleteBranch(plane, branch, 'none');
  }
}
