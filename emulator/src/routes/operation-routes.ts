import type { FastifyInstance } from 'fastify';
import { showOperations } from '../answers';
import { notFound } from '../api-error';
import type { ControlPlane } from '../control-plane';
import type { OperationRecord } from '../operation-runner';
import {
  type OperationPath,
  type ProjectPath,
  readCursor,
  readLimit,
  readQueryText,
} from './route-parameters';

const LIMIT = { max: 1000, fallback: 100 };

export function addOperationRoutes(api: FastifyInstance, plane: ControlPlane): void {
  api.get<ProjectPath>('/projects/:project_id/operations', (request) => {
    const project = plane.store.project(request.params.project_id);
    const limit = readLimit(request.query, LIMIT);
    const page = pageOf(project.operations, limit, readCursor(request.query));
    // An empty page gives back a cursor after which there is nothing either.
    const last = page.at(-1)?.wire.created_at ?? readQueryText(request.query, 'cursor');
    return {
      operations: showOperations(page),
      pagination: { cursor: last ?? project.wire.created_at },
    };
  });

  api.get<OperationPath>('/projects/:project_id/operations/:operation_id', (request) => {
    const project = plane.store.project(request.params.project_id);
    const { operation_id: id } = request.params;
    const operation = project.operations.find(({ wire }) => wire.id === id);
    if (operation === undefined) throw notFound(`project ${project.wire.id}: operation`, id);
    return { operation: { ...operation.wire } };
  });
}

/** Newest first, older than the cursor. New operations come before the cursor, so they never shift a page. */
function pageOf(
  oldestFirst: readonly OperationRecord[],
  limit: number,
  beforeMicros = Number.POSITIVE_INFINITY,
): OperationRecord[] {
  const page: OperationRecord[] = [];
  for (let index = oldestFirst.length - 1; index >= 0 && page.length < limit; index -= 1) {
    const operation = oldestFirst[index];
    if (operation !== undefined && operation.createdMicros < beforeMicros) page.push(operation);
  }
  return page;
}
