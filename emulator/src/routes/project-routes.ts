import type { FastifyInstance } from 'fastify';
import { showDatabaseAccess, showEndpoint, showOperations } from '../answers';
import { badRequest } from '../api-error';
import type { ControlPlane } from '../control-plane';
import { isSuspendTimeout } from '../endpoint-attributes';
import { addProject, deleteProject, type NewProject } from '../projects';
import {
  type Checks,
  isFlag,
  isId,
  isNumber,
  isObject,
  isObjectOf,
  isOneOf,
  isText,
  isTextMap,
  isTextOfLength,
  isWholeNumber,
  readAttributes,
  readSection,
  type UnknownAttributes,
} from '../request-body';
import type { DefaultEndpointSettings, Project } from '../wire';
import { type ProjectPath, readLimit, readQueryText } from './route-parameters';

const LIMIT = { max: 400, fallback: 10 };

const PROJECT_CHECKS: Checks = {
  name: isTextOfLength(1, 256),
  region_id: (value) =>
    typeof value === 'string' && /^[a-z0-9-]{1,40}$/.test(value)
      ? undefined
      : 'a region: 1 to 40 of a-z, 0-9 and "-"',
  pg_version: isWholeNumber(14, 18),
  provisioner: isOneOf('k8s-pod', 'k8s-neonvm', 'serverless-platform'),
  history_retention_seconds: isWholeNumber(0, 2_592_000),
  store_passwords: isFlag,
  autoscaling_limit_min_cu: isNumber,
  autoscaling_limit_max_cu: isNumber,
  default_endpoint_settings: isObjectOf({
    autoscaling_limit_min_cu: isNumber,
    autoscaling_limit_max_cu: isNumber,
    suspend_timeout_seconds: isSuspendTimeout,
    pg_settings: isTextMap,
  }),
  branch: isObjectOf({ name: isTextOfLength(1, 256), role_name: isText, database_name: isText }),
  settings: (value) => (isObject(value) ? undefined : 'an object'),
  org_id: isId,
};

/** What has passed PROJECT_CHECKS. */
interface ProjectAttributes extends DefaultEndpointSettings {
  name?: string;
  region_id?: string;
  pg_version?: number;
  provisioner?: string;
  history_retention_seconds?: number;
  store_passwords?: boolean;
  default_endpoint_settings?: DefaultEndpointSettings;
  branch?: { name?: string; role_name?: string; database_name?: string };
}

export function addProjectRoutes(api: FastifyInstance, plane: ControlPlane): void {
  const { store } = plane;

  api.get('/projects', (request) => {
    const limit = readLimit(request.query, LIMIT);
    const page = pageOf(
      [...store.projects.values()].map(({ wire }) => wire),
      readQueryText(request.query, 'search') ?? '',
      readQueryText(request.query, 'cursor'),
      limit,
    );
    const last = page.at(-1);
    return {
      projects: page.map((project) => ({ ...project, active_time: project.active_time_seconds })),
      ...(last === undefined ? {} : { pagination: { cursor: last.id } }),
      applications: {},
      integrations: {},
    };
  });

  api.post('/projects', (request, reply) => {
    const asked = readNewProject(request.body, plane.settings.unknownAttributes);
    const { project, branch, endpoint, steps } = addProject(plane, asked);
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

/** In the order of creation, after the project that the cursor names. */
function pageOf(projects: Project[], search: string, cursor: string | undefined, limit: number): Project[] {
  const start = cursor === undefined ? 0 : projects.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    throw badRequest(
      `query parameter cursor must be the cursor of an earlier page; got ${JSON.stringify(cursor)}`,
    );
  }
  return projects
    .slice(start)
    .filter(({ id, name }) => id.includes(search) || name.includes(search))
    .slice(0, limit);
}

function readNewProject(body: unknown, unknownAttributes: UnknownAttributes): NewProject {
  const section = readSection(body, 'project');
  // Each attribute has passed the check that stands for its type.
  const asked = readAttributes(section, 'project', PROJECT_CHECKS, unknownAttributes) as ProjectAttributes;
  return {
    name: asked.name,
    regionId: asked.region_id,
    pgVersion: asked.pg_version,
    provisioner: asked.provisioner,
    historyRetentionSeconds: asked.history_retention_seconds,
    storePasswords: asked.store_passwords,
    branchName: asked.branch?.name,
    databaseName: asked.branch?.database_name,
    roleName: asked.branch?.role_name,
    defaultEndpointSettings: readDefaults(asked),
  };
}

/** The bounds beside default_endpoint_settings are deprecated, and still accepted. */
function readDefaults(asked: ProjectAttributes): DefaultEndpointSettings | undefined {
  const { autoscaling_limit_min_cu, autoscaling_limit_max_cu, default_endpoint_settings: nested } = asked;
  const defaults: DefaultEndpointSettings = {};
  for (const source of [{ autoscaling_limit_min_cu, autoscaling_limit_max_cu }, nested ?? {}]) {
    if (source.autoscaling_limit_min_cu !== undefined)
      defaults.autoscaling_limit_min_cu = source.autoscaling_limit_min_cu;
    if (source.autoscaling_limit_max_cu !== undefined)
      defaults.autoscaling_limit_max_cu = source.autoscaling_limit_max_cu;
  }
  if (nested?.suspend_timeout_seconds !== undefined)
    defaults.suspend_timeout_seconds = nested.suspend_timeout_seconds;
  if (nested?.pg_settings !== undefined) defaults.pg_settings = nested.pg_settings;
  return Object.keys(defaults).length === 0 ? undefined : defaults;
}
