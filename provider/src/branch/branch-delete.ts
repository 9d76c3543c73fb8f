import { ControlApiError } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { joinFirst } from '../control-api/printable';
import { type DeleteRequest, deleteResource } from '../lifecycle/delete-resource';
import type { ServiceProject } from '../operations/service-project';

/** The statuses that have nothing to do with children. */
const otherReasons: ReadonlySet<number | undefined> = new Set([401, 403, 404]);

/** How many children an error lists. */
const mostChildren = 20;

/**
 * Deletes the branch, its data and its endpoints, and waits for the operations. One that no longer exists is deleted.
 * @throws Error that names the children, when it has any: the service refuses to delete it
 */
export async function deleteBranch(request: Omit<DeleteRequest, 'kind' | 'list' | 'send'>): Promise<void> {
  const { project, id, deadline } = request;
  const send = async () => {
    try {
      return await project.api.deleteBranch(project.id, id, deadline);
    } catch (error) {
      const isRefused =
        error instanceof ControlApiError && error.meaning === 'refused' && !otherReasons.has(error.status);
      const children = isRefused ? await listChildren(project, id, deadline).catch(() => []) : [];
      if (children.length === 0) throw error;
      const which = joinFirst(children, mostChildren, 'more');
      throw new Error(
        `delete of branch ${id}: other branches were created from it: ${which}. Delete them first. The branch is kept in state.`,
        { cause: error },
      );
    }
  };
  await deleteResource({ ...request, kind: 'branch', list: project.branches, send });
}

async function listChildren(project: ServiceProject, id: string, deadline: Deadline): Promise<string[]> {
  const branches = await deadline.bound(project.branches.fresh(), 'list of the branches');
  // As in the errors of lookups, names of other branches count as no secret.
  return branches.filter(({ parent_id }) => parent_id === id).map((child) => `${child.name} (${child.id})`);
}
