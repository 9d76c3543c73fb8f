import { type BranchState, readBranch, readBranches } from './live-branch';
import { connectByStack } from './stack-connection';

/**
 * Reads one branch of a project: by its id or by its name; without either, the default branch.
 * @throws Error when both are given, or when no branch has the name; ControlApiError 404 when there is no such id
 */
export async function getBranch(of: {
  /** The project of the branch. */
  projectId: string;
  /** The branch's id, such as `br-cold-lake-12345678`. */
  branchId?: string | undefined;
  /** The branch's name. */
  name?: string | undefined;
}): Promise<BranchState> {
  return readBranch(connectByStack(), of);
}

/**
 * Reads every branch of a project.
 * @throws ControlApiError 404 when there is no such project
 */
export async function getBranches(of: {
  /** The project of the branches. */
  projectId: string;
}): Promise<BranchState[]> {
  return readBranches(connectByStack(), of);
}
