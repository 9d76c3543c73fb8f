import type { LockScope } from '../options/emulator-options';
import { locked } from '../records/api-error';
import type { OperationRecord, ProjectRecord } from '../records/records';

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

/** Rejects what needs the data of a branch (423) while a restore is to replace it, whatever locks the project. */
export function checkNotRestoring(project: ProjectRecord, branchId: string): void {
  const restore = restoreOf(project, branchId);
  if (restore !== undefined) throw locked(project.wire.id, restore.wire);
}

/** The unfinished restore of a branch. */
export function restoreOf({ unfinished }: ProjectRecord, branchId: string): OperationRecord | undefined {
  return [...unfinished].find(({ step }) => step.restore !== undefined && step.branchId === branchId);
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
