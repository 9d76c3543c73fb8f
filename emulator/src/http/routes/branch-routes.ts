import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { addBranch, deleteBranch, setDefaultBranch, updateBranch } from '../../control-plane/branches';
import type { ControlPlane } from '../../control-plane/control-plane';
import { showNewBranch, showOperations } from '../../control-plane/response-bodies';
import { noBranch } from '../../records/api-error';
import { readBranchChange, readNewBranch } from '../../requests/branch-attributes';
import { pageOfBranches } from './branch-pages';
import { LATE_GET, LATE_LIST, snapshotFor } from './late-reads';
import type { BranchPath, ProjectPath } from './path-parameters';
import { queryFlag, queryText, readQuery } from './query-parameters';

// Deleted branches cannot be recovered, so there are none to include.
const LIST_QUERY = z.object({ search: queryText.default(''), include_deleted: queryFlag.optional() });
// Every delete is permanent.
const DELETE_QUERY = z.object({ hard_delete: queryFlag.optional() });

const COLLECTION = '/projects/:project_id/branches';

export function addBranchRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store, settings } = plane;

  api.get<ProjectPath>(COLLECTION, LATE_LIST, (request) => {
    const project = store.project(request.params.project_id);
    const { search } = readQuery(LIST_QUERY, request.query);
    const found = snapshotFor(plane, project, request)
      .branches()
      .filter(({ id, name }) => name.includes(search) || id.includes(search));
    const { branches, pagination } = pageOfBranches(found, request.query);
    return { branches, annotations: {}, pagination };
  });

  api.post<ProjectPath>(COLLECTION, (request, reply) => {
    const project = store.project(request.params.project_id);
    const requested = readNewBranch(request.body, settings.unknownAttributes);
    const { branch, endpoints, steps } = addBranch(plane, project, requested);
    return reply.code(201).send(showNewBranch(plane, branch, endpoints, plane.runner.start(project, steps)));
  });

  api.get<BranchPath>(`${COLLECTION}/:branch_id`, LATE_GET, (request) => {
    const project = store.project(request.params.project_id);
    const { branch_id } = request.params;
    const branch = snapshotFor(plane, project, request).branch(branch_id);
    if (branch === undefined) throw noBranch(project.wire.id, branch_id);
    const annotation = { object: { type: 'console/branch', id: branch.id }, value: {} };
    return { branch, annotation };
  });

  api.patch<BranchPath>(`${COLLECTION}/:branch_id`, ({ params, body }) => {
    const requested = readBranchChange(body, settings.unknownAttributes);
    const branch = updateBranch(plane, store.place(params), requested);
    return { branch, operations: [] };
  });

  api.post<BranchPath>(`${COLLECTION}/:branch_id/set_as_default`, ({ params }) => ({
    branch: setDefaultBranch(plane, store.place(params)),
    operations: [],
  }));

  api.delete<BranchPath>(`${COLLECTION}/:branch_id`, (request, reply) => {
    const project = store.project(request.params.project_id);
    readQuery(DELETE_QUERY, request.query);
    const deleted = deleteBranch(plane, project, request.params.branch_id);
    if (deleted === undefined) return reply.code(204).send();
    return reply.send({ branch: { ...deleted.branch }, operations: showOperations(deleted.operations) });
  });
}
