import type { FastifyInstance } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import { addProject, deleteProject } from '../../control-plane/projects';
import { showDatabaseAccess, showEndpoint, showOperations } from '../../control-plane/response-bodies';
import { parseTimestamp } from '../../records/clock';
import type { Project } from '../../records/wire-types';
import { readNewProject } from '../../requests/project-attributes';
import type { ProjectPath } from './path-parameters';
import {
  readCursor,
  readLimit,
  readQueryFlag,
  readQueryId,
  readQueryText,
  readQueryWhole,
} from './query-parameters';

const LIMIT = { max: 400, fallback: 10 };
const TIMEOUT_MS = { min: 100, max: 30_000 };

export function addProjectRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store } = plane;

  api.get('/projects', (request) => {
    const limit = readLimit(request.query, LIMIT);
    // There is one account, projects are listed without delay, and deleted projects cannot be recovered.
    readQueryId(request.query, 'org_id');
    readQueryWhole(request.query, 'timeout', TIMEOUT_MS);
    if (readQueryFlag(request.query, 'recoverable'))
      return { projects: [], applications: {}, integrations: {} };
    const page = pageOf(
      [...store.projects.values()].map(({ wire }) => wire),
      readQueryText(request.query, 'search') ?? '',
      readCursor(request.query),
      limit,
    );
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
    readLimit(request.query, LIMIT);
    readCursor(request.query);
    readQueryText(request.query, 'search');
    readQueryWhole(request.query, 'timeout', TIMEOUT_MS);
    return { projects: [] };
  });

  api.post('/projects', (request, reply) => {
    const requested = readNewProject(request.body, plane.settings.unknownAttributes);
    const { project, branch, endpoint, steps } = addProject(plane, requested);
    const operations = plane.runner.start(project, steps);
    return reply.code(201).send({
      project: structuredClone(project.wire),
      branch: { ...branch },
      endpoints: [showEndpoint(endpoint)],
      operations: showOperations(operations),
      ...showDatabaseAccess(project, branch.id, [endpoint]),
    });
  });

  api.get<ProjectPath>('/projects/:project_id', (request) => ({
    project: structuredClone(store.project(request.params.project_id).wire),
  }));

  api.delete<ProjectPath>('/projects/:project_id', (request) => {
    const project = store.project(request.params.project_id);
    const operations = deleteProject(plane, project);
    return { project: structuredClone(project.wire), operations: showOperations(operations) };
  });
}

/** Projects created after the given time, oldest first. */
function pageOf(
  projects: Project[],
  search: string,
  afterMicros: number | undefined,
  limit: number,
): Project[] {
  return projects
    .filter(({ created_at }) => (parseTimestamp(created_at) ?? 0) > (afterMicros ?? 0))
    .filter(({ id, name }) => id.includes(search) || name.includes(search))
    .slice(0, limit);
}
