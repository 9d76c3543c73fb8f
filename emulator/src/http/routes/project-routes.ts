import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findConnectionUri } from '../../control-plane/connection-uris';
import type { ControlPlane } from '../../control-plane/control-plane';
import { addProject, deleteProject, updateProject } from '../../control-plane/projects';
import { showNewBranch, showOperations } from '../../control-plane/response-bodies';
import { onceVerified } from '../../control-plane/verify-settings';
import { ACCOUNT_ID } from '../../records/wire-types';
import { defaultsOf, NEW_PROJECT, PROJECT_CHANGE } from '../../requests/project-attributes';
import {
  CONNECTION_QUERY,
  queryFlag,
  queryText,
  queryWhole,
  readQuery,
  timeCursor,
} from '../../requests/query-parameters';
import { id } from '../../validation/schemas';
import type { ProjectPath } from './late-reads';

const PAGE_QUERY = z.object({
  limit: queryWhole(1, 400).default(10),
  cursor: timeCursor.optional(),
  search: queryText.default(''),
  // Projects are listed without delay.
  timeout: queryWhole(100, 30_000).optional(),
});
const LIST_QUERY = PAGE_QUERY.extend({
  org_id: queryText.pipe(id).default(ACCOUNT_ID),
  recoverable: queryFlag.default(false),
});

export function addProjectRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store } = plane;

  api.get('/projects', (request) => {
    const { limit, cursor = '', search, org_id, recoverable } = readQuery(LIST_QUERY, request.query);
    // Deleted projects cannot be recovered, and one organization owns all others.
    const listed = recoverable || org_id !== ACCOUNT_ID ? [] : [...store.projects.values()];
    const page = listed
      .map(({ wire }) => wire)
      .filter(({ created_at }) => created_at > cursor)
      .filter(({ id, name }) => id.includes(search) || name.includes(search))
      .slice(0, limit);
    const last = page.at(-1);
    return {
      projects: page.map((project) => ({ ...project, active_time: project.active_time_seconds })),
      ...(last === undefined ? {} : { pagination: { cursor: last.created_at } }),
      applications: {},
      integrations: {},
    };
  });

  // A route of its own, not the project "shared". There is only one account, so no project is shared with it.
  api.get('/projects/shared', (request) => {
    readQuery(PAGE_QUERY, request.query);
    return { projects: [] };
  });

  api.post('/projects', (request, reply) => {
    const requested = NEW_PROJECT.readBody(request.body);
    return onceVerified(plane, [defaultsOf(requested)], () => {
      const { project, branch, endpoint, steps } = addProject(plane, requested);
      const created = showNewBranch(plane, branch, [endpoint], plane.runner.start(project, steps));
      return reply.code(201).send({ project: structuredClone(project.wire), ...created });
    });
  });

  api.get<ProjectPath>('/projects/:project_id', (request) => ({
    project: structuredClone(store.project(request.params.project_id).wire),
  }));

  api.patch<ProjectPath>('/projects/:project_id', ({ params, body }) => {
    const requested = PROJECT_CHANGE.readBody(body);
    return onceVerified(plane, [requested.default_endpoint_settings], () => {
      const project = store.project(params.project_id);
      const operations = updateProject(plane, project, requested);
      return { project: structuredClone(project.wire), operations: showOperations(operations) };
    });
  });

  api.delete<ProjectPath>('/projects/:project_id', ({ params }) => {
    const project = store.project(params.project_id);
    deleteProject(plane, project);
    return { project: structuredClone(project.wire) };
  });

  api.get<ProjectPath>('/projects/:project_id/connection_uri', ({ params, query }) => ({
    uri: findConnectionUri(plane, store.project(params.project_id), readQuery(CONNECTION_QUERY, query)),
  }));
}
