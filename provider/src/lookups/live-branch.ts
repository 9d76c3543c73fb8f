import type { ControlApi } from '../control-api/control-api';
import type { Branch } from '../control-api/wire-types';
import { requireNamed } from './find-by-name';

/** The current state of a branch. */
export interface BranchState {
  /** The branch's id, such as `br-cold-lake-12345678`. */
  readonly id: string;
  /** The branch's name. */
  readonly name: string;
  /** The project of the branch. */
  readonly projectId: string;
  /** The branch that it was created from; absent for the first branch of a project. */
  readonly parentId?: string;
  /** The position in the parent's log from which it was created (LSN). */
  readonly parentLsn?: string;
  /** The point in time of the parent from which it was created. ISO 8601. */
  readonly parentTimestamp?: string;
  /** When the service deletes the branch; absent if it never does. ISO 8601. */
  readonly expiresAt?: string;
  /** Whether it is the project's default branch. */
  readonly default: boolean;
  /** Whether it is protected. */
  readonly protected: boolean;
  /** `init`, `ready`, `resetting` or `archived`; the service may add states. */
  readonly currentState: string;
  /** When the branch was created. ISO 8601. */
  readonly createdAt: string;
}

/** Which branch of a project: by its id or by its name; without either, the default branch. */
export interface BranchQuery {
  readonly projectId: string;
  readonly branchId?: string | undefined;
  readonly name?: string | undefined;
}

function toBranchState(branch: Branch): BranchState {
  return {
    id: branch.id,
    name: branch.name,
    projectId: branch.project_id,
    ...(branch.parent_id !== undefined && { parentId: branch.parent_id }),
    ...(branch.parent_lsn !== undefined && { parentLsn: branch.parent_lsn }),
    ...(branch.parent_timestamp !== undefined && { parentTimestamp: branch.parent_timestamp }),
    ...(branch.expires_at && { expiresAt: branch.expires_at }),
    default: branch.default,
    protected: branch.protected,
    currentState: branch.current_state,
    createdAt: branch.created_at,
  };
}

/** @throws Error when both an id and a name are given, or when no branch has the name @internal */
export async function readBranch(
  api: ControlApi,
  { projectId, branchId, name }: BranchQuery,
): Promise<BranchState> {
  if (branchId !== undefined && name !== undefined)
    throw new Error('getBranch: give branchId or name, not both.');
  if (branchId !== undefined) return toBranchState(await api.getBranch(projectId, branchId));
  const branches = await api.listBranches(projectId);
  const where = `Project ${projectId}`;
  if (name !== undefined)
    return toBranchState(requireNamed(branches, name, { where, kind: 'branch', redact: api.redact }));
  const branch = branches.find((each) => each.default);
  if (branch) return toBranchState(branch);
  throw new Error(`${where} has no default branch.`);
}

/** @internal */
export async function readBranches(
  api: ControlApi,
  { projectId }: Pick<BranchQuery, 'projectId'>,
): Promise<BranchState[]> {
  return (await api.listBranches(projectId)).map(toBranchState);
}
