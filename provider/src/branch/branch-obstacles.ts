import { omit } from 'lodash';
import type { Branch } from '../control-api/wire-types';
import { childIds, listChildren } from '../lifecycle/children';
import { findOtherProject } from '../lifecycle/create-failures';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import { describeOrder } from '../lifecycle/resource-errors';
import { findConflict } from './branch-create';
import { type BranchDeclaration, type BranchInputs, untilMs } from './branch-inputs';
import { findExpiry } from './branch-reset';
import { isBecomingReady } from './branch-resource';
import type { BranchOutputs } from './branch-state';

/**
 * Why the replacement of the branch can't be created; undefined when the service shows no reason.
 * @param replaced undefined when the engine does not tell a forced replacement from a first create
 */
export async function findObstacle(
  core: ProviderCore,
  declaration: BranchDeclaration,
  replaced: string | undefined,
): Promise<string | undefined> {
  const { projectId, name, parentId } = declaration.inputs;
  const claims = core.claims.branch;
  if (isUnknown(parentId)) return findOtherProject(core, 'branch', 'parentId', declaration);
  if (isUnknown([projectId, name])) return undefined;
  if (parentId !== undefined && parentId === replaced)
    return `its parent is the branch ${replaced}, which it replaces`;
  const project = core.projects.project(projectId);
  const isRetained = claims.isRetained(declaration.resource.urn);
  const parent = parentId && (await project.branches.findPatiently(parentId, project.readLagMs));
  if (parentId && !parent) return `project ${projectId} has no branch ${parentId}`;
  const branches = await project.branches.fresh();
  if (claims.findLeftover(declaration.resource.urn, branches)) return undefined;
  const left = isRetained ? branches.find(({ id }) => id === replaced) : undefined;
  if (left && isBecomingReady(left))
    return `branch ${replaced} could not be created, and retainOnDelete leaves it at the service under the name that the new one needs. Delete it at the service, and run \`pulumi up --refresh\``;
  if (left?.name === name)
    return `retainOnDelete leaves branch ${replaced} at the service under the name of the new one. Give the new one another name in the same update, or leave what replaces the branch as it was`;
  const others = branches.filter(({ id }) => id !== replaced && claims.findRenamed(id) === undefined);
  const conflict = findConflict(declaration, others, claims);
  const isLeft = conflict !== undefined && isRetained && replaced === undefined;
  return isLeft ? `${conflict} ${forcedAndRetained}` : conflict;
}

const forcedAndRetained =
  'A forced replacement of this resource (--replace, taint) would leave its branch at the service under that name (retainOnDelete).';

/**
 * Names of branches are unique in a project.
 * @throws Error that names the branch that has the new name, before anything is sent
 */
export async function checkRename(
  core: ProviderCore,
  id: string,
  declaration: BranchDeclaration,
): Promise<void> {
  const { name, projectId } = declaration.inputs;
  if (isUnknown([name, projectId])) return;
  const all = await core.list(declaration, 'branches');
  const holder = all.find((branch) => branch.name === name);
  // If an interrupted replacement has already deleted the branch, this update only creates one.
  const isToRename = all.some((branch) => branch.id === id && branch.name !== name);
  if (!holder || !isToRename || core.claims.branch.findRenamed(holder.id)) return;
  throw new Error(
    `a change of name of branch ${id}: the project already has a branch of that name, ${holder.id} (created ${holder.created_at}). Nothing was changed. ${describeOrder(holder.id, 'renames')}; to swap two names, first give one of the branches a spare name. Otherwise, choose another name.`,
  );
}

/**
 * Why an existing branch can't get the expiry or the protection that the program gives: the service deletes an expiring branch
 * without asking.
 * @param all the branches of the project
 */
export function findExpiryObstacle(
  { id, default: isDefault, protected: isProtected, expires_at }: Branch,
  inputs: BranchInputs,
  all: readonly Branch[],
): string | undefined {
  if (inputs.protected === true && expires_at !== undefined)
    return `branch ${id} can't be protected: it expires at ${expires_at}. Remove that at the service, and run the command again with --refresh`;
  if (inputs.expiresAt === undefined || isUnknown(inputs.expiresAt)) return undefined;
  const children = childIds(all, id);
  const why =
    (isDefault && 'it is the default branch of the project') ||
    (isProtected && inputs.protected === undefined && 'it is protected: set protected: false') ||
    (children.length > 0 &&
      `other branches were created from it: ${listChildren(children)}. If this program deletes them, do that in an earlier \`pulumi up\`: updates run before deletes`);
  return why ? `branch ${id} can't expire: ${why}` : undefined;
}

/** @throws Error that says why the branch can't expire or be protected, before anything is sent */
export async function checkExpiry(
  core: ProviderCore,
  id: string,
  changes: readonly string[],
  declaration: BranchDeclaration,
): Promise<void> {
  const { inputs } = declaration;
  if (isUnknown(inputs.projectId)) return;
  const all = await core.list(declaration, 'branches');
  const branch = all.find((each) => each.id === id);
  // One update sends both.
  const protection = changes.includes('protected') ? { protected: inputs.protected ?? false } : {};
  const now = branch && changes.includes('expiresAt') ? omit(branch, 'expires_at') : branch;
  const reason = now && findExpiryObstacle(now, { ...inputs, ...protection }, all);
  if (reason !== undefined) throw new Error(`${reason}. Nothing was changed.`);
}

/** What a preview reports about a branch in state that the service has deleted since, or is about to delete. */
export function describeExpired({ expiresAt, lastResetAt }: BranchOutputs): string | undefined {
  // A reset has moved the expiry at the service.
  if (expiresAt === undefined || lastResetAt !== undefined || untilMs(expiresAt) > 0) return undefined;
  return `expired at ${expiresAt}: set a later expiresAt, then \`pulumi up --refresh\` creates it again, without what was written to it`;
}

/** A branch that expires can have no children. A schema-only copy is not a child. */
export async function findExpiringParent(
  core: ProviderCore,
  declaration: BranchDeclaration,
): Promise<InputFailure[]> {
  const { projectId, parentId, initSource } = declaration.inputs;
  if (parentId === undefined || isUnknown([projectId, parentId, initSource])) return [];
  if (initSource === 'schema-only') return [];
  const expiresAt = findExpiry(core, parentId, await core.list(declaration, 'branches'));
  if (expiresAt === undefined) return [];
  const reason = `is a branch that expires at ${expiresAt}, so it can have no children: remove its expiresAt in an earlier \`pulumi up\``;
  return [{ property: 'parentId', reason }];
}
