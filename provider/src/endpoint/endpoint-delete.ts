import type { Deadline } from '../control-api/deadline';
import type { Progress } from '../engine/progress';
import { deleteResource } from '../lifecycle/delete-resource';
import type { ServiceProject } from '../operations/service-project';

/** Deletes the endpoint and waits for the operations. One that no longer exists is deleted. */
export async function deleteEndpoint(
  project: ServiceProject,
  id: string,
  deadline: Deadline,
  progress: Progress,
): Promise<void> {
  const send = () => project.api.deleteEndpoint(project.id, id, deadline);
  await deleteResource({ project, kind: 'endpoint', id, list: project.endpoints, send, deadline, progress });
}
