import { find, some } from 'lodash';
import { messageOf } from '../control-api/control-api-error';
import { findProtected } from '../lifecycle/branch-facts';
import { findOtherProject } from '../lifecycle/create-failures';
import { foreseenGuards, judgeDelete } from '../lifecycle/delete-guards';
import { type InputFailure, isUnknown, unknownValue } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import { describeOrder } from '../lifecycle/resource-errors';
import type { Declaration } from './endpoint-inputs';
import type { PriorState } from './endpoint-state';
import { describeDuplicates, findBranchEndpoint, findExisting } from './existing-endpoint';

/** Why the replacement of the endpoint can't be created; undefined when the service shows no reason. */
export async function findObstacle(
  core: ProviderCore,
  declaration: Declaration,
  replaced: string | undefined,
): Promise<string | undefined> {
  const { inputs, resource } = declaration;
  const { projectId, branchId, type, regionId } = inputs;
  const claims = core.claims.endpoint;
  if (isUnknown(branchId)) return findOtherProject(core, 'endpoint', 'branchId', declaration);
  if (isUnknown([projectId, type]) || replaced === undefined) return undefined;
  const project = core.projects.project(projectId);
  const leaving = claims.isRetained(resource.urn) ? undefined : replaced;
  const branch = await project.branches.findPatiently(branchId, project.readLagMs);
  if (!branch) return `project ${projectId} has no branch ${branchId}`;
  const all = await project.endpoints.fresh();
  const region = all[0]?.region_id ?? regionId;
  if (regionId !== undefined && !isUnknown(regionId) && region !== regionId)
    return `project ${projectId} is in region ${region}, and all its endpoints have to be there`;
  const others = all.filter(({ id }) => id !== leaving);
  try {
    const isFound = findExisting(
      declaration,
      others.filter(({ id }) => claims.findRenamed(id) === undefined),
    );
    const holder = isFound ? undefined : findBranchEndpoint(inputs, others);
    if (!holder || claims.item(holder.id).mover !== undefined) return undefined;
    const orAdopt = inputs.adopt ? '' : ' Otherwise, adopt: true takes it over.';
    return `the read_write endpoint of branch ${branchId} is ${holder.id}, and a branch can have only one. If this program replaces or deletes that one, do that in an earlier \`pulumi up\`.${orAdopt}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** A branch can have only one read_write endpoint. */
export function findRivals({ inputs, resource }: Declaration, claims: ResourceClaims): InputFailure[] {
  const { branchId, type } = inputs;
  if (type !== 'read_write' || isUnknown(branchId)) return [];
  const rival = claims.urnsWith({ branchId, type }).find((other) => other !== resource.urn);
  if (rival === undefined) return [];
  return [
    {
      property: 'branchId',
      reason: `is that of ${rival} too: a branch can have only one read_write endpoint`,
    },
  ];
}

/** @throws Error when the endpoint is to be replaced with its branch, and would stay under the name of the new one */
export function checkRetained(id: string, { resource }: PriorState): void {
  if (!resource.retainsOnDelete) return;
  throw new Error(
    `its branch is replaced, and retainOnDelete would leave endpoint ${id} at the service under the name of the new one. Nothing was changed. Apply the program without that option in an earlier \`pulumi up\`.`,
  );
}

/**
 * The service deletes no compute of a protected branch. One that this update unprotects is unprotected first: updates of the branch come
 * before what depends on it.
 * @throws Error when the endpoint is to be replaced, and is on a protected branch
 */
export async function checkUnprotected(
  core: ProviderCore,
  id: string,
  { outputs, resource }: PriorState,
  declaration: Declaration,
): Promise<void> {
  const { branch } = core.claims;
  const { wasProtected } = branch.item(outputs.branchId);
  const { declared } = branch.recordOf(outputs.branchId);
  const isUnprotected = wasProtected === true && declared !== undefined && declared.inputs.protected !== true;
  if (resource.retainsOnDelete || isUnprotected) return;
  const before = { ...declaration, inputs: outputs };
  const protectedBranch = findProtected(find(await core.list(before, 'branches'), { id: outputs.branchId }));
  // An interrupted replacement has deleted it, and only creates.
  const subject = { action: 'delete', kind: 'endpoint', id } as const;
  const reason = judgeDelete({ protectedBranch, subject }, foreseenGuards);
  if (reason !== undefined && some(await core.list(before, 'endpoints'), { id })) throw new Error(reason);
}

/**
 * Where the new branch of a replacement comes first, its endpoints follow, and only one of them can.
 * @throws Error that names another one
 */
export function checkFollow(
  { claims: { branch, endpoint } }: ProviderCore,
  id: string,
  { outputs: { branchId } }: PriorState,
  { resource: { urn }, inputs }: Declaration,
): void {
  if (!isUnknown(inputs.branchId) || !branch.isReplaced(branchId) || endpoint.isReplaced(id)) return;
  const follows = (other: string) => endpoint.resource(other).inState?.inputs.branchId === branchId;
  const other = endpoint.findArrivals(unknownValue, urn).find(follows);
  if (other === undefined) return;
  throw new Error(
    `branch ${branchId} is replaced, and this endpoint and ${other} can't both move to the new one: a branch must have no endpoint when one is moved to it. Nothing was changed. Set deleteBeforeReplace: true on the branch, so that its endpoints are replaced with it, or remove one of the two in an earlier \`pulumi up\`.`,
  );
}

/**
 * An endpoint can only move to a branch without any.
 * @throws Error that names the endpoint on it, before anything is sent
 */
export async function checkMove(core: ProviderCore, id: string, declaration: Declaration): Promise<void> {
  const { branchId, type } = declaration.inputs;
  const { urn, createsBeforeDelete } = declaration.resource;
  const claims = core.claims.endpoint;
  const endpoints = await core.list(declaration, 'endpoints');
  // A run that was cut off may have moved it already; an interrupted replacement has deleted it, and only creates.
  const isToMove = endpoints.some((endpoint) => endpoint.id === id && endpoint.branch_id !== branchId);
  const what = `a change of branchId moves endpoint ${id} to branch ${branchId}`;
  const why = 'a branch must have no endpoint when one is moved to it. Nothing was changed';
  const [arrival] = isToMove ? claims.findArrivals(branchId, urn) : [];
  if (arrival !== undefined)
    throw new Error(
      `${what}, where ${arrival} is to be in the same update: ${why}. Choose another branch, or remove one of the two from the program, and let a later \`pulumi up\` create it on the branch.`,
    );
  const holder = endpoints.find((endpoint) => endpoint.branch_id === branchId);
  if (!holder || !isToMove || claims.item(holder.id).mover !== undefined) return;
  // The resource option replaceOnChanges makes a replacement of a move.
  const [leftover] = claims.ownerOf(holder.id) ? [] : describeDuplicates(declaration, [holder], id);
  if (leftover !== undefined) throw new Error(`${what}: ${why}. On it, ${leftover}.`);
  const areBoth = holder.type === 'read_write' && type === 'read_write';
  const first = createsBeforeDelete ? 'set deleteBeforeReplace: true and ' : '';
  const instead = areBoth
    ? 'To swap two endpoints, first move one of them to a spare branch.'
    : `To create this one there instead of moving it, ${first}run \`pulumi up --replace '${urn}'\`.`;
  throw new Error(
    `${what}, on which endpoint ${holder.id} is (${holder.type}, ${holder.current_state}): ${why}. ` +
      `${describeOrder(holder.id, 'moves or replaces')}. ${instead}`,
  );
}
