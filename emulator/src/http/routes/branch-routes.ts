import type { FastifyInstance } from 'fastify';
import { showDatabaseAccess, showEndpoint, showOperations } from '../../control-plane/response-bodies';
import { badRequest, noBranch } from '../../records/api-error';
import {
  type Checks,
  isAnnotations,
  isFlag,
  isId,
  isObject,
  isOneOf,
  isText,
  isTextOfLength,
  isTimestamp,
} from '../../requests/attribute-checks';
import { addBranch, deleteBranch, type NewBranch } from '../../control-plane/branches';
import type { ControlPlane } from '../../control-plane/control-plane';
import { readNewEndpoint } from '../../requests/endpoint-attributes';
import { readAttributes, readSection, type UnknownAttributes } from '../../requests/request-body';
import { pageOfBranches } from './branch-pages';
import { LATE_GET, LATE_LIST, viewFor } from '../late-reads';
import { type BranchPath, type ProjectPath, readQueryFlag, readQueryText } from '../query-parameters';

const COLLECTION = '/projects/:project_id/branches';

const BRANCH_CHECKS: Checks = {
  name: isTextOfLength(1, 256),
  parent_id: (value) => (value === '' ? undefined : isId(value)),
  protected: isFlag,
  archived: isFlag,
  init_source: isOneOf('parent-data', 'schema-only'),
  parent_lsn: isText,
  parent_timestamp: isTimestamp,
  expires_at: isTimestamp,
};

export function addBranchRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store, settings } = plane;

  api.get<ProjectPath>(COLLECTION, LATE_LIST, (request) => {
    const project = store.project(request.params.project_id);
    const search = readQueryText(request.query, 'search') ?? '';
    // No deleted branch can be recovered: there are none to include.
    readQueryFlag(request.query, 'include_deleted');
    const found = viewFor(plane, project, request)
      .branches()
      .filter(({ id, name }) => name.includes(search) || id.includes(search));
    const { branches, pagination } = pageOfBranches(found, request.query);
    return { branches, annotations: {}, pagination };
  });

  api.post<ProjectPath>(COLLECTION, (request, reply) => {
    const project = store.project(request.params.project_id);
    const asked = readNewBranch(request.body, settings.unknownAttributes);
    const { branch, endpoints, steps } = addBranch(plane, project, asked);
    const operations = plane.runner.start(project, steps);
    return reply.code(201).send({
      branch: { ...branch },
      endpoints: endpoints.map(showEndpoint),
      operations: showOperations(operations),
      ...showDatabaseAccess(project, branch.id, endpoints),
    });
  });

  api.get<BranchPath>(`${COLLECTION}/:branch_id`, LATE_GET, (request) => {
    const project = store.project(request.params.project_id);
    const { branch_id } = request.params;
    const branch = viewFor(plane, project, request).branch(branch_id);
    if (branch === undefined) throw noBranch(project.wire.id, branch_id);
    const annotation = { object: { type: 'console/branch', id: branch.id }, value: {} };
    return { branch, annotation };
  });

  api.delete<BranchPath>(`${COLLECTION}/:branch_id`, (request, reply) => {
    const project = store.project(request.params.project_id);
    // Every deletion is for good.
    readQueryFlag(request.query, 'hard_delete');
    const deleted = deleteBranch(plane, project, request.params.branch_id);
    if (deleted === undefined) return reply.code(204).send();
    return reply.send({ branch: { ...deleted.branch }, operations: showOperations(deleted.operations) });
  });
}

/** A body is optional, and so is everything in it. */
function readNewBranch(body: unknown, unknownAttributes: UnknownAttributes): NewBranch {
  const section = readSection(body, 'branch', true);
  // Each attribute has passed the check that stands for its type.
  const branch = readAttributes(section, 'branch', BRANCH_CHECKS, unknownAttributes) as {
    name?: string;
    parent_id?: string;
    protected?: boolean;
  };
  const { endpoints = [], annotation_value = {} } = isObject(body) ? body : {};
  const expected = isAnnotations(annotation_value);
  if (expected !== undefined) throw badRequest(`annotation_value must be ${expected}`);
  if (!Array.isArray(endpoints) || !endpoints.every(isObject))
    throw badRequest('endpoints must be a list of objects');
  return {
    name: branch.name,
    parentId: branch.parent_id || undefined,
    isProtected: branch.protected,
    // The branch has no id yet; addBranch fills in the real one.
    endpoints: endpoints.map((endpoint) =>
      readNewEndpoint({ ...endpoint, branch_id: 'new' }, unknownAttributes),
    ),
  };
}
