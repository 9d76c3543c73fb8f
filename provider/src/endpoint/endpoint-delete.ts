import type { Deadline } from '../control-api/deadline';
import type { Progress } from '../engine/progress';
import { deleteResource } from '../lifecycle/delete-resource';
import type { ServiceProject } from '../operations/service-project';

/**
 * Deletes the endpoint and waits for the operations. One that no longer exists is deleted.
 * @param check rejects if it must not be deleted, right before each request
 */
export async function deleteEndpoint(
  project: ServiceProject,
  id: string,
  deadline: Deadline,
  progress: Progress,
  check: () => Promise<void>,
): Promise<void> {
  const send = async () => {
    await check();
    return project.api.deleteEndpoint(project.id, id, deadline);
  };
  await deleteResource({ project, kind: 'endpoint', id, list: project.endpoints, send, deadline, progress });
}
