import { type ProjectState, readProject, readProjects } from './live-project';
import { connectByStack } from './stack-connection';

/**
 * Reads one project, by its id or by its name.
 * @throws Error when both or neither is given, no project has the name, or several have it; ControlApiError 404 when there
 * is no such id
 */
export async function getProject(of: {
  /** The project's id, such as `cool-lake-12345678`. Give either the id or the name. */
  projectId?: string | undefined;
  /** The project's name. */
  name?: string | undefined;
  /** The organization of the project. A personal key may need it to find a name. @default that of the key */
  orgId?: string | undefined;
}): Promise<ProjectState> {
  return readProject(connectByStack(), of);
}

/** Reads every project of the account. */
export async function getProjects(
  of: {
    /** The organization of the projects. A personal key may need it. @default that of the key */
    orgId?: string | undefined;
  } = {},
): Promise<ProjectState[]> {
  return readProjects(connectByStack(), of);
}
