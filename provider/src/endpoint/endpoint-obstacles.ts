import { isNotFound, messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { Endpoint } from '../control-api/wire-types';
import { isUnknown } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import type { ServiceProject } from '../operations/service-project';
import type { Declaration, EndpointInputs } from './endpoint-inputs';
import { findBranchEndpoint, findExisting, toCreateTarget } from './existing-endpoint';

/** Why the endpoint can't be created in place of the one that it replaces; undefined when it can, as far as the service shows. */
export async function findObstacle(
  core: ProviderCore,
  declaration: Declaration,
  replaced: string,
): Promise<string | undefined> {
  const { inputs, resource } = declaration;
  const { projectId, branchId, type } = inputs;
  if (isUnknown([projectId, branchId, type])) return undefined;
  const project = core.projects.project(projectId);
  const claims = core.claims.endpoint;
  const leaving = claims.resource(resource.urn).isRetained === true ? undefined : replaced;
  try {
    const branch = await project.branches.findPatiently(branchId, project.readLagMs);
    if (!branch) return `project ${projectId} has no branch ${branchId}`;
  } catch (error) {
    if (error instanceof Error && isNotFound(error.cause)) return messageOf(error);
    throw error;
  }
  const others = (await project.endpoints.fresh()).filter(({ id }) => id !== leaving);
  try {
    const isFound = findExisting(
      toCreateTarget(declaration),
      others.filter(({ id }) => !claims.isRenamed(id)),
    );
    const holder = isFound ? undefined : findBranchEndpoint(inputs, others);
    if (!holder || claims.item(holder.id).mover !== undefined) return undefined;
    return `the read_write endpoint of branch ${branchId} is ${holder.id}, and a branch can have only one`;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * An endpoint can only move to a branch without any.
 * @throws Error that names the endpoint on it, before anything is sent
 */
export async function checkMove(
  id: string,
  { branchId }: EndpointInputs,
  project: ServiceProject,
  claims: ResourceClaims,
  patience: Deadline,
): Promise<void> {
  const { maxAgeMs, after } = project.sharedRead;
  const list = patience.bound(project.endpoints.recent(maxAgeMs, after), 'list of the endpoints');
  // The service refuses the move all the same.
  const endpoints = await list.catch((): readonly Endpoint[] => []);
  // A run that was cut off may have moved it already; an interrupted replacement has deleted it, and only creates.
  const isToMove = endpoints.some((endpoint) => endpoint.id === id && endpoint.branch_id !== branchId);
  const holder = endpoints.find((endpoint) => endpoint.branch_id === branchId);
  if (!holder || !isToMove || claims.item(holder.id).mover !== undefined) return;
  throw new Error(
    `a change of branchId moves endpoint ${id} to branch ${branchId}, on which endpoint ${holder.id} is (${holder.type}, ${holder.current_state}): a branch must have no endpoint when one is moved to it. Nothing was changed. ` +
      `If this program deletes ${holder.id}, do that in an earlier \`pulumi up\`: updates run before deletes. If it moves ${holder.id}, add that resource to \`dependsOn\` of this one. To swap two endpoints, first move one of them to a spare branch.`,
  );
}
