import { type DeleteRequest, deleteResource } from '../lifecycle/delete-resource';

/** Deletes the branch, its data and its endpoints, and waits for the operations. One that no longer exists is deleted. */
export function deleteBranch(request: Omit<DeleteRequest, 'kind' | 'list' | 'send'>): Promise<void> {
  const { project, id, deadline } = request;
  const send = () => project.api.deleteBranch(project.id, id, deadline);
  return deleteResource({ ...request, kind: 'branch', list: project.branches, send });
}
