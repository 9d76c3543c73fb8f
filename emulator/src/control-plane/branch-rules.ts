import { badRequest, conflict, unprocessable } from '../records/api-error';
import type { BranchRecord, ProjectRecord } from '../records/records';
import type { Branch } from '../records/wire-types';
import type { ControlPlane } from './control-plane';

const LONGEST_TTL_SECONDS = 30 * 24 * 3600;

/** @throws ApiError (422) for what would lose the data of a protected branch, or a compute of it */
export function checkNotProtected(
  { id, protected: isProtected }: Pick<Branch, 'id' | 'protected'>,
  forbidden: string,
): void {
  if (isProtected)
    throw unprocessable('BRANCH_PROTECTED', `branch ${id} is protected: ${forbidden}; unprotect it first`);
}

/** The names of branches are unique in their project. The words are the service's. */
export function checkNameIsFree(project: ProjectRecord, name: string | undefined): void {
  if (![...project.branches.values()].some(({ wire }) => wire.name === name)) return;
  throw conflict('BRANCH_ALREADY_EXISTS', `branch already exists; branch_name:"${name}"`);
}

export function childrenOf({ branches }: ProjectRecord, branchId: string): BranchRecord[] {
  return [...branches.values()].filter(({ wire }) => wire.parent_id === branchId);
}

type Dependence = Pick<Branch, 'id' | 'default' | 'parent_id' | 'init_source'>;

export function checkDeletable({ project, wire }: BranchRecord): void {
  checkNotProtected(wire, 'it cannot be deleted');
  const [code, reason] = obstacleOf(project, wire) ?? [];
  if (code !== undefined) throw unprocessable(code, `branch ${wire.id} ${reason}`);
}

/** Why a branch cannot be deleted. */
function obstacleOf(project: ProjectRecord, branch: Dependence): [code: string, reason: string] | undefined {
  if (branch.default)
    return ['BRANCH_IS_DEFAULT', 'is the default branch: make another branch the default first'];
  if (branch.parent_id === undefined && branch.init_source !== 'schema-only')
    return ['BRANCH_IS_ROOT', 'is a root branch: delete the project to delete it'];
  const [child] = childrenOf(project, branch.id);
  if (child === undefined) return undefined;
  return ['BRANCH_HAS_CHILD', `has the child branch ${child.wire.id}: delete the child branch first`];
}

/** To the second, as in the service. */
export function toExpiry(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** What a new expiration sets. @throws ApiError (400) if it is not in the next 30 days */
export function expirationAt(
  { clock }: Pick<ControlPlane, 'clock'>,
  at: Date,
): Pick<Branch, 'expires_at' | 'ttl_interval_seconds'> {
  const expires_at = toExpiry(at);
  const seconds = Math.floor(at.getTime() / 1000) - Math.floor(clock.nowMs() / 1000);
  if (seconds > 0 && seconds <= LONGEST_TTL_SECONDS) return { expires_at, ttl_interval_seconds: seconds };
  throw badRequest(`branch.expires_at must be within the next 30 days; got ${expires_at}`);
}

/** An expiring branch is deleted without asking, so it must be one that can be. */
export function checkMayExpire(
  project: ProjectRecord,
  { expires_at, ...branch }: Dependence & { protected: boolean; expires_at?: string | null },
): void {
  if (expires_at === undefined || expires_at === null) return;
  const reason = branch.protected ? 'is protected' : obstacleOf(project, branch)?.[1];
  if (reason) throw unprocessable('BRANCH_CANNOT_EXPIRE', `branch ${branch.id} cannot expire: it ${reason}`);
}

export function checkMayHaveChildren({ id, expires_at }: Branch): void {
  if (expires_at === undefined) return;
  throw unprocessable(
    'PARENT_EXPIRES',
    `branch ${id} expires at ${expires_at}, so it cannot have child branches: remove its expiration first`,
  );
}
