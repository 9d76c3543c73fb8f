import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { restoreBranch } from '../../control-plane/branch-restore';
import { addBranch, deleteBranch, setDefaultBranch, updateBranch } from '../../control-plane/branches';
import type { ControlPlane } from '../../control-plane/control-plane';
import { showNewBranch, showOperations } from '../../control-plane/response-bodies';
import { findDatabase } from '../../control-plane/roles-and-databases';
import { onceVerified } from '../../control-plane/verify-settings';
import { found, notImplemented } from '../../records/api-error';
import type { Branch } from '../../records/wire-types';
import { BRANCH_CHANGE, BRANCH_RESTORE, readNewBranch } from '../../requests/branch-attributes';
import { queryFlag, queryText, queryWhole, readQuery } from '../../requests/query-parameters';
import { parse } from '../../validation/parse';
import { oneOf } from '../../validation/schemas';
import { type BranchPath, LATE_GET, LATE_LIST, type ProjectPath, snapshotFor } from './late-reads';

// Deleted branches cannot be recovered, so there are none to include.
const LIST_QUERY = z.object({ search: queryText.default(''), include_deleted: queryFlag.optional() });
// Every delete is permanent.
const DELETE_QUERY = z.object({ hard_delete: queryFlag.optional() });

const PAGE_QUERY = z.object({
  sort_by: queryText.pipe(oneOf('updated_at', 'created_at', 'name')).default('updated_at'),
  sort_order: queryText.pipe(oneOf('asc', 'desc')).default('desc'),
  cursor: queryText
    .transform((cursor) => Buffer.from(cursor, 'base64url').toString())
    .refine((rank) => rank.includes('\0'), 'the cursor of an earlier response')
    .optional(),
  limit: queryWhole(1, 10_000).default(Number.POSITIVE_INFINITY),
});

const SCHEMA_QUERY = z.object({
  db_name: queryText,
  lsn: queryText.optional(),
  timestamp: queryText.optional(),
  format: queryText.pipe(oneOf('sql', 'json')).optional(),
});

const COLLECTION = '/projects/:project_id/branches';

export function addBranchRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store } = plane;

  api.get<ProjectPath>(COLLECTION, LATE_LIST, (request) => {
    const all = [...snapshotFor(plane, request).branches.values()];
    const { search } = readQuery(LIST_QUERY, request.query);
    const matching = all.filter(({ id, name }) => name.includes(search) || id.includes(search));
    const { branches, pagination } = pageOfBranches(matching, request.query);
    return { branches, annotations: {}, pagination };
  });

  api.get<ProjectPath>(`${COLLECTION}/count`, ({ params, query }) => {
    const { search } = readQuery(LIST_QUERY.pick({ search: true }), query);
    const branches = [...store.project(params.project_id).branches.values()];
    return { count: branches.filter(({ wire }) => wire.name.includes(search)).length };
  });

  api.post<ProjectPath>(COLLECTION, (request, reply) => {
    const requested = readNewBranch(request.body);
    return onceVerified(
      plane,
      requested.endpoints.map(({ settings: each }) => each),
      () => {
        const project = store.project(request.params.project_id);
        const { branch, endpoints, steps } = addBranch(plane, project, requested);
        const operations = plane.runner.start(project, steps);
        return reply.code(201).send(showNewBranch(plane, branch, endpoints, operations));
      },
    );
  });

  api.get<BranchPath>(`${COLLECTION}/:branch_id`, LATE_GET, (request) => {
    const { project_id, branch_id } = request.params;
    const branch = snapshotFor(plane, request).branches.get(branch_id);
    const annotation = { object: { type: 'console/branch', id: branch_id }, value: {} };
    return { branch: found(branch, `project ${project_id}: branch`, branch_id), annotation };
  });

  api.patch<BranchPath>(`${COLLECTION}/:branch_id`, ({ params, body }) => {
    const requested = BRANCH_CHANGE.readBody(body);
    const branch = updateBranch(plane, store.branchAt(params), requested);
    return { branch, operations: [] };
  });

  api.post<BranchPath>(`${COLLECTION}/:branch_id/set_as_default`, ({ params }) => ({
    branch: setDefaultBranch(plane, store.branchAt(params)),
    operations: [],
  }));

  api.post<BranchPath>(`${COLLECTION}/:branch_id/restore`, ({ params, body }) => {
    const requested = parse(BRANCH_RESTORE, body);
    const { branch, operations } = restoreBranch(plane, store.branchAt(params), requested);
    return { branch, operations: showOperations(operations) };
  });

  api.get<BranchPath>(`${COLLECTION}/:branch_id/schema`, async ({ params, query }) => {
    const branch = store.branchAt(params);
    const { db_name, lsn, timestamp, format } = readQuery(SCHEMA_QUERY, query);
    findDatabase(branch, db_name);
    if (plane.dataPlane === undefined)
      throw notImplemented('the schema of a branch without the option postgres');
    if (lsn !== undefined || timestamp !== undefined) throw notImplemented('lsn and timestamp of a schema');
    if (format === 'json') throw notImplemented('the format json of a schema');
    return { sql: await plane.dataPlane.schemas.read(branch, db_name) };
  });

  api.delete<BranchPath>(`${COLLECTION}/:branch_id`, ({ params, query }, reply) => {
    const { deletedBranchIds } = store.project(params.project_id);
    readQuery(DELETE_QUERY, query);
    if (deletedBranchIds.has(params.branch_id)) return reply.code(204).send();
    const { branch, operations } = deleteBranch(plane, store.branchAt(params));
    return reply.send({ branch: { ...branch }, operations: showOperations(operations) });
  });
}

/** The page of branches that the query selects. It has a `next` cursor if there are more. */
function pageOfBranches(branches: readonly Branch[], query: unknown) {
  const { sort_by, sort_order, cursor: after, limit } = readQuery(PAGE_QUERY, query);
  // The id decides between equal values.
  const rankOf = (branch: Branch) => `${branch[sort_by]}\0${branch.id}`;
  const isLater = (rank: string, other: string) => (sort_order === 'asc' ? rank > other : rank < other);
  const rest = branches
    .filter((branch) => after === undefined || isLater(rankOf(branch), after))
    .toSorted((one, other) => (isLater(rankOf(one), rankOf(other)) ? 1 : -1));
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  const next = last === undefined ? {} : { next: Buffer.from(rankOf(last)).toString('base64url') };
  return { branches: page, pagination: { ...next, sort_by, sort_order } };
}
