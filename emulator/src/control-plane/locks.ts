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

/** Rejects what needs or changes the data of a branch (423) while a restore is to replace it, whatever locks the project. */
export function checkNotRestoring(branch: BranchRecord): void {
  const restore = restoreOf(branch);
  if (restore !== undefined) throw locked(branch.project.wire.id, restore.wire);
}

/** Rejects a write (423) while a delete of the branch, or of an endpoint on it, waits for a compute, whatever locks the project. */
export function checkNoDeletion({ project, wire }: BranchRecord, ...purposes: Step['purpose'][]): void {
  const isOne = ({ step }: OperationRecord) => step.branchId === wire.id && purposes.includes(step.purpose);
  const deletion = [...project.unfinished].find(isOne);
  if (deletion !== undefined) throw locked(project.wire.id, deletion.wire);
}

export function restoreOf({ project, wire }: BranchRecord): OperationRecord | undefined {
  return [...project.unfinished].find(({ step }) => step.restore !== undefined && step.branchId === wire.id);
}

function locks(scope: LockScope, { step }: OperationRecord, target: WriteTarget): boolean {
  if (scope === 'none') return false;
  if (scope === 'project') return true;
  if (target.endpointId !== undefined && step.endpointId !== undefined)
    return step.endpointId === target.endpointId;
  if (target.branchId === undefined) return true;
  if (step.branchId !== target.branchId) return false;
  // Operations of one endpoint do not block the creation of another endpoint on the branch.
  return step.endpointId === undefined || target.endpointId !== undefined;
}
