import { findRefusal } from '../control-api/control-api-error';
import type { Kind } from '../operations/service-project';
import { type InputFailure, isUnknown } from './input-values';
import { maxListAgeMs, type ProviderCore } from './provider-core';
import type { ResourceClaims } from './resource-claims';
import type { Declared } from './resource-identity';

/** The argument that names the branch which a resource is on, or was created from. */
export type Place = 'branchId' | 'parentId';

type Placed = { readonly projectId: string } & { readonly [place in Place]?: string | undefined };

/** Why a create is bound to fail: its project has no such branch, or not for long. @throws Error when the service refuses */
export async function findUnknownBranch(
  core: ProviderCore,
  declaration: Declared<Placed>,
  property: Place,
): Promise<InputFailure[]> {
  const { projectId, [property]: id } = declaration.inputs;
  const { branch: claims } = core.claims;
  if (id === undefined || isUnknown([projectId, id]) || claims.item(id).isCreated) return [];
  if (claims.isReplaced(id) && !claims.isLeft(id)) {
    // After the failure, the engine passes the old id even where the program gives the output of the branch.
    const reason = core.hasFailed
      ? 'is the id of a branch that this update has failed to replace: see its error'
      : 'is replaced by this update: set the id of the branch resource instead';
    return [{ property, reason }];
  }
  const project = core.projects.project(projectId);
  const { branches, readLagMs } = project;
  const all = await core.glimpse(declaration, project, 'the branches', () => branches.recent(maxListAgeMs));
  const isThere = !all || all.some((branch) => branch.id === id);
  // Another run may have created it just now.
  if (isThere || (await branches.findPatiently(id, readLagMs, {}, performance.now()))) return [];
  const isInState = claims.recordOf(id).inState?.inputs.projectId === projectId;
  const wayOut = isInState ? ': it no longer exists. `pulumi up --refresh` creates it again' : '';
  return [{ property, reason: `is not the id of a branch of project ${projectId}${wayOut}` }];
}

/** Why the create is bound to fail. Asked only if the engine may first delete an old resource, or leave it at the service. */
export async function findReplacementFailures(
  claims: ResourceClaims,
  urn: string | undefined,
  find: (replaced: string | undefined) => Promise<string | undefined>,
): Promise<InputFailure[]> {
  const { idInState } = claims.resource(urn);
  if (idInState === undefined && !claims.isRetained(urn)) return [];
  // The delete asks once more, and fails if the service can't be reached.
  const obstacle = await find(idInState).catch((error: unknown) => findRefusal(error)?.message);
  return obstacle ? [{ property: '', reason: `its create is bound to fail: ${obstacle}` }] : [];
}

/** Why what is on a branch, or was created from it, can't be replaced with it: the branch moves to another project. Its new id is not known yet. */
export function findOtherProject(
  { claims }: ProviderCore,
  kind: Kind,
  place: Place,
  { resource: { urn }, inputs }: Declared<Placed>,
): string | undefined {
  const { projectId } = inputs;
  const { inState } = claims[kind].resource(urn);
  const { replacement, declared } = claims.branch.recordOf(String(inState?.inputs[place]));
  const other = declared?.inputs.projectId;
  const isFollowing = isUnknown(inputs[place]) && replacement === 'judged';
  if (!isFollowing || isUnknown([other, projectId]) || other === projectId) return undefined;
  return `its branch is replaced in project ${other}, and this resource is to be in project ${projectId}: set the same projectId on both, or change its ${place} in an earlier \`pulumi up\``;
}
