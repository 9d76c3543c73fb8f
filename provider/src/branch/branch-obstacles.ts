import { isNotFound, messageOf } from '../control-api/control-api-error';
import { isUnknown } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import { findExisting } from './branch-create';
import type { BranchDeclaration } from './branch-inputs';

/** Why the branch can't be created in place of the one that it replaces; undefined when it can, as far as the service shows. */
export async function findObstacle(
  core: ProviderCore,
  declaration: BranchDeclaration,
  replaced: string,
): Promise<string | undefined> {
  const { projectId, name, parentId } = declaration.inputs;
  if (isUnknown([projectId, name, parentId])) return undefined;
  const project = core.projects.project(projectId);
  const claims = core.claims.branch;
  const isRetained = claims.resource(declaration.resource.urn).isRetained === true;
  try {
    const parent = parentId && (await project.branches.findPatiently(parentId, project.readLagMs));
    if (parentId && !parent) return `project ${projectId} has no branch ${parentId}`;
    const branches = await project.branches.fresh();
    if (isRetained && branches.some((branch) => branch.id === replaced && branch.name === name))
      return `retainOnDelete leaves branch ${replaced} at the service under the name of the new one. Give the new one another name in the same update, or leave what replaces the branch as it was`;
    const others = branches.filter(({ id }) => id !== replaced && !claims.isRenamed(id));
    return findConflict(declaration, others, claims);
  } catch (error) {
    if (error instanceof Error && isNotFound(error.cause)) return messageOf(error);
    throw error;
  }
}

function findConflict(...create: Parameters<typeof findExisting>): string | undefined {
  try {
    findExisting(...create);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
