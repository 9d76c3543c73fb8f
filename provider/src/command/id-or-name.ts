import type { ControlApi } from '../control-api/control-api';
import { ControlApiError } from '../control-api/control-api-error';
import type { Endpoint } from '../control-api/wire-types';
import { LookupError, requireIdOrName } from '../lookups/find-by-name';
import { type BranchState, readBranch, readBranches } from '../lookups/live-branch';
import type { OperationFilter } from '../lookups/operation-filter';
import { walkOperationPages } from '../lookups/operation-search';
import type { ServiceProject } from '../operations/service-project';

type Project = Pick<ServiceProject, 'api' | 'id'>;

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

/** @throws LookupError when no endpoint has that id or name, or several have that name */
export async function findEndpoint({ api, id }: Project, idOrName: string): Promise<Endpoint> {
  return selectEndpoint({ api, id }, await api.listEndpoints(id), idOrName);
}

/** @throws LookupError when none of the project's endpoints has that id or name, or several have that name */
export function selectEndpoint(
  { api, id }: Project,
  endpoints: readonly Endpoint[],
  idOrName: string,
): Endpoint {
  const lookup = { where: `Project ${id}`, kind: 'endpoint', redact: api.redact };
  return requireIdOrName(endpoints, idOrName, lookup);
}

/**
 * The endpoints of the branch. By its id at first: the key may lack access to the branches.
 * @throws LookupError when no branch has that id or name, or several have that name
 */
export async function selectOnBranch(
  { api, id: projectId }: Project,
  endpoints: readonly Endpoint[],
  idOrName: string,
): Promise<readonly Endpoint[]> {
  const isKnown = endpoints.some(({ branch_id }) => branch_id === idOrName);
  const branchId = isKnown ? idOrName : (await findBranch(api, projectId, idOrName)).id;
  return endpoints.filter(({ branch_id }) => branch_id === branchId);
}

/**
 * The ids for a filter of operations.
 * @throws LookupError when neither the project nor any of its operations has what an option names
 */
export async function findFilter(
  project: Project,
  { endpoint, branch }: { readonly endpoint?: string; readonly branch?: string },
): Promise<Pick<OperationFilter, 'endpointId' | 'branchId'>> {
  const { api, id } = project;
  const findIn = async (filter: OperationFilter, idOrName: string, found: Promise<{ id: string }>) => {
    try {
      return (await found).id;
    } catch (error) {
      // Operations outlive their endpoint and their branch, and the key may lack access to those.
      const isForbidden = error instanceof ControlApiError && error.status === 403;
      if (!(error instanceof LookupError || isForbidden)) throw error;
      for await (const { length } of walkOperationPages(api, { projectId: id, ...filter }))
        if (length > 0) return idOrName;
      throw error;
    }
  };
  return {
    endpointId:
      endpoint && (await findIn({ endpointId: endpoint }, endpoint, findEndpoint(project, endpoint))),
    branchId: branch && (await findIn({ branchId: branch }, branch, findBranch(api, id, branch))),
  };
}
