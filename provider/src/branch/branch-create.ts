import { messageOf } from '../control-api/control-api-error';
import type { Branch } from '../control-api/wire-types';
import { situationOfCreation } from '../lifecycle/beginning';
import { createOnce, type Existing } from '../lifecycle/create-once';
import { deleteResource } from '../lifecycle/delete-resource';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import type { ProviderCore, Work } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import { ifRenamed, UnsettledError } from '../lifecycle/resource-errors';
import type { Created } from '../lifecycle/resource-lifecycle';
import { deriveNames, toUnfinishedName } from '../lifecycle/resource-name';
import { branchArguments, findOtherOrigin } from './branch-arguments';
import type { BranchDeclaration, BranchInputs } from './branch-inputs';
import { branchFlow, hasFailedToBecomeReady, startRun, toChange } from './branch-resource';
import type { BranchOutputs } from './branch-state';

/**
 * The branch that a create takes over instead of creating one.
 * @throws Error when a branch is in the way that must not be taken over
 */
export function findExisting(
  declaration: BranchDeclaration,
  branches: readonly Branch[],
  claims: ResourceClaims,
): Existing<Branch> | undefined {
  const { inputs, resource } = declaration;
  const own =
    findNamed(branches, toUnfinishedNames(declaration)) ?? claims.findLeftover(resource.urn, branches);
  if (own) return { origin: 'own', item: own };
  const { name, adopt } = inputs;
  const named = name === undefined ? undefined : findNamed(branches, [name]);
  if (!named) return undefined;
  const holder = claims.findRenamed(named.id);
  if (holder !== undefined && holder !== resource.urn)
    throw new Error(
      `create of branch "${name}": branch ${named.id} has that name until this update renames it. With its resource (${holder}) in \`dependsOn\` of this one, and without adopt, \`pulumi up\` creates a new branch.`,
    );
  const others = findOtherOrigin(named, inputs);
  const orFirst = resource.createsBeforeDelete
    ? ', or set deleteBeforeReplace: true for --replace or taint'
    : '';
  if (adopt && others.length === 0) return { origin: 'adopted', item: named };
  const now =
    others.length > 0
      ? `It has another ${others.join(' and ')}, which adopt can't change: declare what the branch has, or choose another name. If a killed \`pulumi up\` created it, delete it at the service, or go back to the program of that update, with adopt: true.`
      : `To take it over, set adopt: true with this name (also if a killed \`pulumi up\` created it). To create a new branch, choose another name${orFirst}. ${ifRenamed}.`;
  throw new Error(
    `create of branch "${name}": the project already has a branch of that name, ${named.id} (created ${named.created_at}). ${now}`,
  );
}

/** Why the create is bound to fail; undefined when the list shows no reason. */
export function findConflict(...create: Parameters<typeof findExisting>): string | undefined {
  try {
    findExisting(...create);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Notes the branch whose roles and databases a new branch starts with. With an earlier point in time, they are not known. */
export async function noteSource(
  core: ProviderCore,
  declaration: BranchDeclaration,
): Promise<InputFailure[]> {
  const { inputs, resource } = declaration;
  const { projectId, name, parentId, parentLsn, parentTimestamp } = inputs;
  const claims = core.claims.branch;
  if (isUnknown([projectId, name, parentId]) || (parentLsn ?? parentTimestamp) !== undefined) return [];
  const branches = await core.list(declaration, 'branches');
  // A replacement does not take over what it deletes.
  const isNew = claims.resource(resource.urn).inState === undefined;
  if (isNew && findConflict(declaration, branches, claims) !== undefined) return [];
  const existing = isNew ? findExisting(declaration, branches, claims)?.item.id : undefined;
  const source = existing ?? parentId ?? branches.find((branch) => branch.default)?.id;
  claims.noteSource(resource.urn, source);
  return [];
}

/**
 * The names of the branch until its create has finished: the derived ones with a mark. Without the mark, another stack of the
 * same name, in another backend, would take a finished branch for its own, and could delete its data.
 */
function toUnfinishedNames({ resource, inputs }: BranchDeclaration): string[] {
  return deriveNames(resource, inputs, branchArguments.replacing).map(toUnfinishedName);
}

/**
 * Creates the branch, or takes over the existing one, and updates it to what is declared. A new branch has the derived name
 * with a mark until the last step renames it. If the final name is taken by then, it keeps the derived one in state.
 * @throws UnsettledError when the branch exists, but not as declared: it is kept in state
 */
export async function createBranch(
  work: Work<BranchInputs>,
  claims: ResourceClaims,
): Promise<Created<BranchOutputs>> {
  const { project, inputs, deadline } = work;
  const unfinished = toUnfinishedNames(work);
  const attributes = branchArguments.toCreateAttributes(inputs, unfinished[0] ?? inputs.name);
  const creation = await createOnce<Branch>({
    work,
    list: project.branches,
    findExisting: (branches) => findExisting(work, branches, claims),
    refusesSecond: true,
    send: () => project.api.createBranch(project.id, attributes, deadline).then(toChange),
  });
  const { item } = creation;
  claims.claimCreated(item.id, work);
  const situation = situationOfCreation(branchFlow, inputs, creation);
  const run = startRun({ ...work, action: 'create', kind: 'branch', id: item.id }, situation);
  const isLeft = creation.origin === 'own' && creation.writes === 'none' && unfinished.includes(item.name);
  try {
    return { id: item.id, outputs: await run.run([]) };
  } catch (error) {
    if (!isLeft || !(error instanceof UnsettledError)) throw error;
    // A read that fails proves nothing.
    const hasFailed = await hasFailedToBecomeReady(project, item.id, error.outputs).catch(() => false);
    if (!hasFailed) throw error;
    await removeFailed(work, item.id).catch(() => Promise.reject(error));
    claims.noteItem(item.id, { holder: undefined, isCreated: false });
    return createBranch(work, claims);
  }
}

/** What an earlier run has left under the name of the new branch: a branch whose creation has failed has no data. */
function removeFailed({ project, deadline, progress }: Work<BranchInputs>, id: string): Promise<void> {
  const subject = { action: 'delete', kind: 'branch', id } as const;
  const send = () => project.api.deleteBranch(project.id, id, deadline);
  const list = project.branches;
  return deleteResource({ project, subject, list, check: async () => subject, send, deadline, progress });
}

/** Names of branches are unique in a project. */
function findNamed(branches: readonly Branch[], names: readonly string[]): Branch | undefined {
  return branches.find(({ name }) => names.includes(name));
}
