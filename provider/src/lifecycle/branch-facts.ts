import { compact, difference, filter, map, some } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import type { Branch, Endpoint } from '../control-api/wire-types';
import type { ServiceProject } from '../operations/service-project';
import { childIds } from './children';
import type { DeleteFacts, StandingEndpoint } from './delete-guards';
import type { ProviderCore } from './provider-core';

/** What the service shows of a branch that is to be deleted, and of what is on it or was created from it. */
export async function readBranch(
  core: ProviderCore,
  project: ServiceProject,
  id: string,
  deadline: Deadline | undefined,
) {
  const { claims, config } = core;
  const listing = listEndpoints(core, project, id);
  const reads = [
    project.branches.find(id, { deadline }),
    deadline ? deadline.bound(listing, 'list of the endpoints') : listing,
  ] as const;
  // If one read fails, wait for the other: it must not outlive the run.
  await Promise.allSettled(reads);
  const [branch, endpoints] = await Promise.all(reads);
  const isDestroy = !some(claims, 'hasDeclared');
  return {
    subject: { action: 'delete', kind: 'branch', id } as const,
    name: branch?.name,
    protectedBranch: findProtected(branch),
    permanent: branch && findPermanence(branch),
    standing: findStanding(core, project.id, endpoints),
    children: childIds(project.branches.latest, id),
    named: [claims.role, claims.database].flatMap((each) => each.urnsWith({ branchId: id })),
    foreseen: claims.branch.item(id).foreseen,
    allowsRestart: config.allowRestart || isDestroy,
  };
}

/** Its id, if the service protects it. */
export function findProtected(branch: Branch | undefined): string | undefined {
  return branch?.protected ? branch.id : undefined;
}

/** A schema-only branch has no parent either. */
export function findPermanence({
  default: isDefault,
  parent_id,
  init_source,
}: Branch): DeleteFacts['permanent'] {
  if (isDefault) return 'the default branch of its project';
  return parent_id === undefined && init_source !== 'schema-only' ? 'a root branch' : undefined;
}

/** The endpoints on a branch, read now. */
async function listEndpoints(
  { claims }: ProviderCore,
  { endpoints }: ServiceProject,
  branchId: string,
): Promise<Endpoint[]> {
  const listed = await endpoints.fresh();
  // A list may not show yet that an endpoint was created or moved there. One that was moved away is read twice.
  const missing = difference(
    claims.endpoint.idsOn(branchId),
    map(filter(listed, { branch_id: branchId }), 'id'),
  );
  const found = await Promise.all(missing.map((id) => endpoints.findById(id)));
  return compact([...listed, ...found]).filter((endpoint) => endpoint.branch_id === branchId);
}

/** Those that this run does not delete, or that a resource keeps. Asked after every read: the engine goes on declaring resources. */
function findStanding(
  { claims }: ProviderCore,
  projectId: string,
  endpoints: readonly Endpoint[],
): StandingEndpoint[] {
  return endpoints.flatMap((endpoint) => {
    const { id, type, name, branch_id } = endpoint;
    const branchIds = type === 'read_write' ? [branch_id] : [];
    const adopter = claims.endpoint.findAdopter({ projectId, names: [name], branchIds }, undefined);
    const keeper = claims.endpoint.userOf(id) ?? adopter;
    // A delete that has begun may still be refused, for one of the same reasons.
    return keeper === undefined && claims.endpoint.item(id).leaving ? [] : [{ endpoint, keeper }];
  });
}
