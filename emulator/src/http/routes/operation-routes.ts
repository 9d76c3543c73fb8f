import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ControlPlane } from '../../control-plane/control-plane';
import { found } from '../../records/api-error';
import { queryWhole, readQuery, timeCursor } from '../../requests/query-parameters';
import { LATE_GET, LATE_LIST, type ProjectPath, snapshotFor } from './late-reads';

type OperationPath = { Params: { project_id: string; operation_id: string } };

const QUERY = z.object({ limit: queryWhole(1, 1000).default(100), cursor: timeCursor.optional() });

export function addOperationRoutes(api: FastifyInstance, plane: ControlPlane): void {
  api.get<ProjectPath>('/projects/:project_id/operations', LATE_LIST, (request) => {
    const project = plane.store.project(request.params.project_id);
    const { limit, cursor } = readQuery(QUERY, request.query);
    const oldestFirst = [...snapshotFor(plane, request).operations.values()];
    // New operations are newer than any cursor, so they never shift a page.
    const older = cursor ? oldestFirst.filter(({ created_at }) => created_at < cursor) : oldestFirst;
    const page = older.slice(-limit).reverse();
    // The cursor of an empty page leads to another empty page.
    const last = page.at(-1)?.created_at ?? cursor;
    return { operations: page, pagination: { cursor: last ?? project.wire.created_at } };
  });

  api.get<OperationPath>('/projects/:project_id/operations/:operation_id', LATE_GET, (request) => {
    const { project_id, operation_id } = request.params;
    const operation = snapshotFor(plane, request).operations.get(operation_id);
    return { operation: found(operation, `project ${project_id}: operation`, operation_id) };
  });
}
