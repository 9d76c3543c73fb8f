import { badRequest, notImplemented, unprocessable } from '../records/api-error';
import {
  type BranchRecord,
  endpointsOfBranch,
  type OperationRecord,
  type ProjectRecord,
  type Step,
} from '../records/records';
import type { Branch } from '../records/wire-types';
import type { BranchRestore } from '../requests/branch-attributes';
import {
  checkMayHaveChildren,
  checkNameIsFree,
  checkNotProtected,
  childrenOf,
  toExpiry,
} from './branch-rules';
import { changeBranch, newBranch } from './branches';
import type { ControlPlane } from './control-plane';
import { startStep, suspendStep } from './endpoint-changes';
import { checkNone, checkUnlocked } from './locks';
import { checkNotDeleting, targetStateOf } from './power-state';
import { copyAccess, keptAccess } from './roles-and-databases';

/**
 * Gives a branch the data of another one, or earlier data of its own. It keeps its id, endpoints and hosts; connections
 * drop. Its children follow its previous data, which `preserve_under_name` keeps as a branch.
 */
export function restoreBranch(
  plane: ControlPlane,
  branch: BranchRecord,
  requested: BranchRestore,
): { branch: Branch; operations: readonly OperationRecord[] } {
  const { project } = branch;
  const source = plane.store.branch(project, requested.source_branch_id);
  checkRestore(plane, branch, requested);
  const endpoints = endpointsOfBranch(project, branch.wire.id);
  for (const endpoint of endpoints) checkNotDeleting(endpoint);
  const parentId = branch.wire.parent_id;
  if (parentId !== undefined && parentId !== source.wire.id && !requested.preserve_under_name)
    checkMayHaveChildren(source.wire);
  checkUnlocked(plane.settings.locks, project, { branchId: branch.wire.id });
  checkNone(branch, 'branch-restore', 'copy');
  checkNone(source, 'branch-restore', 'branch-deletion');
  checkNameIsFree(project, requested.preserve_under_name || undefined);
  const running = endpoints.filter((endpoint) => targetStateOf(endpoint) !== 'idle');
  const preserved = requested.preserve_under_name
    ? preserve(plane, branch, requested.preserve_under_name)
    : undefined;
  const preservedId = preserved?.wire.id;
  const { id: branchId, current_state: former } = branch.wire;
  const secret = source.wire.protected ? { now: plane.clock.now(), before: [...branch.roles] } : undefined;
  // It takes effect together with the data: until then, the servers have the previous databases.
  const access = copyAccess(source, branchId, secret);
  changeRecord(plane, branch, requested, parentId && (preservedId ?? source.wire.id));
  const restore: Step = {
    action: 'create_branch',
    branchId,
    purpose: 'branch-restore',
    restore: { sourceId: source.wire.id, preservedId, former, access },
  };
  const create: Step[] =
    preservedId === undefined
      ? []
      : [{ action: 'create_branch', branchId: preservedId, purpose: 'branch-creation' }];
  const steps = [...running.map((each) => suspendStep(each)), restore, ...create, ...running.map(startStep)];
  return { branch: { ...branch.wire }, operations: plane.runner.start(project, steps) };
}

function checkRestore(
  { dataPlane }: ControlPlane,
  { project, wire }: BranchRecord,
  { source_branch_id, source_lsn, source_timestamp, preserve_under_name }: BranchRestore,
): void {
  checkNotProtected(wire, 'it cannot be reset or restored');
  const isOwn = source_branch_id === wire.id;
  if (source_lsn !== undefined && source_timestamp !== undefined)
    throw badRequest('source_lsn and source_timestamp exclude each other');
  const isEarlier = source_lsn !== undefined || source_timestamp !== undefined;
  if (isOwn && !isEarlier)
    throw badRequest('a restore of a branch from itself needs source_timestamp or source_lsn');
  const [child] = childrenOf(project, wire.id);
  if (!preserve_under_name && (isOwn || child !== undefined)) {
    const reason = isOwn ? 'is its own source' : `has the child branch ${child?.wire.id}`;
    throw unprocessable('PRESERVE_REQUIRED', `branch ${wire.id} ${reason}: preserve_under_name is required`);
  }
  if (isEarlier && dataPlane !== undefined)
    throw notImplemented(
      'source_timestamp and source_lsn with the option postgres: it keeps no history of the data',
    );
}

/** A branch for the previous data, between the branch and its parent, without endpoints. It gets the children. */
function preserve(plane: ControlPlane, branch: BranchRecord, name: string): BranchRecord {
  const { project } = branch;
  const { id, parent_id, init_source } = branch.wire;
  const wire = { ...newBranch(plane, project.wire.id, { name, parent_id }), init_source };
  const preserved = { project, wire, ...keptAccess(branch, wire.id) };
  const children = childrenOf(project, id);
  plane.store.addBranch(preserved);
  for (const child of children) changeBranch(plane, child, { parent_id: wire.id });
  return preserved;
}

/** Ends a restore that has failed: the branch has its data and its children as before. */
export function undoPreserve(plane: ControlPlane, project: ProjectRecord, { branchId, restore }: Step): void {
  const preserved = project.branches.get(restore?.preservedId ?? '');
  if (preserved === undefined || endpointsOfBranch(project, preserved.wire.id).length > 0) return;
  const { id, parent_id = id } = preserved.wire;
  for (const child of childrenOf(project, id))
    changeBranch(plane, child, { parent_id: child.wire.id === branchId ? parent_id : branchId });
  plane.store.removeBranch(preserved);
}

function changeRecord(
  plane: ControlPlane,
  branch: BranchRecord,
  { source_lsn, source_timestamp }: BranchRestore,
  parentId: string | undefined,
): void {
  const { wire } = branch;
  const now = plane.clock.now();
  delete wire.parent_lsn;
  delete wire.parent_timestamp;
  const { ttl_interval_seconds: ttl } = wire;
  changeBranch(plane, branch, {
    ...(parentId !== undefined && { parent_id: parentId }),
    ...(source_lsn !== undefined && { parent_lsn: source_lsn }),
    ...(source_timestamp !== undefined && { parent_timestamp: source_timestamp }),
    // The time to live counts from the reset.
    ...(ttl !== undefined && { expires_at: toExpiry(new Date(plane.clock.nowMs() + ttl * 1000)) }),
    current_state: 'resetting',
    pending_state: 'ready',
    state_changed_at: now,
    last_reset_at: now,
  });
}
