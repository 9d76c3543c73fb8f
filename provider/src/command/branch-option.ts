import type { ControlApi } from '../control-api/control-api';
import type { Endpoint } from '../control-api/wire-types';
import { type BranchState, readBranch, readBranches } from '../lookups/live-branch';
import { requireIdOrName } from '../lookups/named';
import type { ServiceProject } from '../operations/service-project';

/** @throws LookupError when no branch has that id or name, or several have that name */
export async function findBranch(
  api: ControlApi,
  projectId: string,
  idOrName: string | undefined,
): Promise<BranchState> {
  if (idOrName === undefined) return readBranch(api, { projectId });
  const lookup = { where: `Project ${projectId}`, kind: 'branch', redact: api.redact };
  return requireIdOrName(await readBranches(api, { projectId }), idOrName, lookup);
}

/**
 * The endpoints of the branch. By its id at first: the key may lack access to the branches.
 * @throws LookupError when no branch has that id or name, or several have that name
 */
export async function selectOnBranch(
  { api, id: projectId }: Pick<ServiceProject, 'api' | 'id'>,
  endpoints: readonly Endpoint[],
  idOrName: string,
): Promise<readonly Endpoint[]> {
  const isKnown = endpoints.some(({ branch_id }) => branch_id === idOrName);
  const branchId = isKnown ? idOrName : (await findBranch(api, projectId, idOrName)).id;
  return endpoints.filter(({ branch_id }) => branch_id === branchId);
}
