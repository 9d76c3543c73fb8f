import type { ControlApi } from '../control-api/control-api';
import type { Project } from '../control-api/wire-types';
import { requireFilled, requireNamed } from './find-by-name';

/** The current state of a project. */
export interface ProjectState {
  /** The project's id, such as `cool-lake-12345678`. */
  readonly id: string;
  /** The project's name. Several projects may have it. */
  readonly name: string;
  /** The region of the project. */
  readonly regionId: string;
  /** The major version of Postgres, such as 17. @integer */
  readonly pgVersion: number;
  /** When the project was created. ISO 8601. */
  readonly createdAt: string;
}

/** Which project: by its id or by its name. */
export interface ProjectQuery {
  readonly projectId?: string | undefined;
  readonly name?: string | undefined;
  readonly orgId?: string | undefined;
}

function toProjectState({ id, name, region_id, pg_version, created_at }: Project): ProjectState {
  return { id, name, regionId: region_id, pgVersion: pg_version, createdAt: created_at };
}

/** @throws Error when both or neither is given, or when not exactly one project has the name @internal */
export async function readProject(api: ControlApi, of: ProjectQuery): Promise<ProjectState> {
  requireFilled('getProject', of);
  const { projectId, name, orgId } = of;
  if (projectId !== undefined && name === undefined) return toProjectState(await api.getProject(projectId));
  if (projectId !== undefined || name === undefined)
    throw new Error('getProject: give either projectId or name.');
  const where = orgId === undefined ? 'The account' : `Organization ${orgId}`;
  return toProjectState(
    requireNamed(await api.listProjects(orgId), name, { where, kind: 'project', redact: api.redact }),
  );
}

/** @internal */
export async function readProjects(
  api: ControlApi,
  of: Pick<ProjectQuery, 'orgId'>,
): Promise<ProjectState[]> {
  requireFilled('getProjects', of);
  return (await api.listProjects(of.orgId)).map(toProjectState);
}
