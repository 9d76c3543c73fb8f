import type { LockScope } from '../options/emulator-options';
import { locked } from '../records/api-error';
import type { BranchRecord, EndpointRecord, OperationRecord, ProjectRecord, Step } from '../records/records';
import type { ControlPlane } from './control-plane';

/** What a write changes: without a branch and an endpoint, the whole project. */
export interface WriteTarget {
  readonly branchId?: string;
  readonly endpointId?: string;
}

/** Rejects a write (423) while an unfinished operation locks its target. */
export function checkUnlocked(scope: LockScope, project: ProjectRecord, target: WriteTarget): void {
  for (const operation of project.unfinished) {
    if (locks(scope, operation, target)) throw locked(project.wire.id, operation.wire);
  }
}

export function checkEndpointUnlocked({ settings }: ControlPlane, { project, wire }: EndpointRecord): void {
  checkUnlocked(settings.locks, project, { endpointId: wire.id, branchId: wire.branch_id });
}

/** What can be under way for a branch. A copy of it, for a new branch or another's restore, has its databases by their present ids. */
type Pending = Step['purpose'] | 'copy' | false;

/**
 * Rejects a write (423) while one of these is under way, whatever locks the project: a restore will replace the data of the
 * branch, and a delete of it, or of an endpoint on it, waits for a compute. A delete of the project will end all of it.
 */
export function checkNone(branch: BranchRecord, ...kinds: Pending[]): void {
  const pending = pendingOn(branch, ...kinds);
  if (pending !== undefined) throw locked(branch.project.wire.id, pending.wire);
}

export function pendingOn({ project, wire }: BranchRecord, ...kinds: Pending[]) {
  const sourceOf = ({ purpose, branchId, restore }: Step) =>
    (purpose === 'branch-creation' ? project.branches.get(branchId) : restore)?.sourceId;
  const kindOf = (step: Step) =>
    step.branchId === wire.id ? step.purpose : sourceOf(step) === wire.id && 'copy';
  return [...project.unfinished].find(
    ({ step }) => step.purpose === 'project-deletion' || kinds.includes(kindOf(step)),
  );
}

function locks(scope: LockScope, { step }: OperationRecord, target: WriteTarget): boolean {
  if (scope !== 'endpoint') return scope === 'project';
  if (target.endpointId !== undefined && step.endpointId !== undefined)
    return step.endpointId === target.endpointId;
  if (target.branchId === undefined) return true;
  if (step.branchId !== target.branchId) return false;
  // Operations of one endpoint do not block the creation of another endpoint on the branch.
  return step.endpointId === undefined || target.endpointId !== undefined;
}
