import { compact, find } from 'lodash';
import type { Branch, BranchRestore } from '../control-api/wire-types';
import { childIds, listChildren } from '../lifecycle/children';
import { describeUncertain } from '../lifecycle/data-loss';
import { isSameInstant, isUnknown, unknownValue } from '../lifecycle/input-values';
import { isCreation } from '../lifecycle/ledger';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { ItemRecord } from '../lifecycle/record-types';
import { checkReset } from '../lifecycle/reset-guards';
import { foreseeGone } from '../lifecycle/resource-errors';
import { isFailed } from '../operations/operation-outcome';
import { listOperationsSince } from '../operations/operation-pages';
import { isSchemaOnly } from './branch-arguments';
import type { BranchDeclaration, BranchInputs } from './branch-inputs';
import type { PriorBranch } from './branch-state';

/** Why a protected branch can't be reset. */
export const protectedReason =
  'it is protected. Set protected: false on it, in this `pulumi up` or an earlier one (`pulumi up --refresh` if another client has protected it); after the reset, it can be protected again';

/** The body of the request. @param branch as the service shows it */
export function toRestore(inputs: BranchInputs, branch: Branch | undefined): BranchRestore {
  const { timestamp, lsn } = inputs.restoreFrom ?? {};
  return {
    source_branch_id: findSource(inputs, branch) ?? '',
    ...(timestamp !== undefined && { source_timestamp: timestamp }),
    ...(lsn !== undefined && { source_lsn: lsn }),
    ...(inputs.preserveUnderName !== undefined && { preserve_under_name: inputs.preserveUnderName }),
  };
}

/** Where the data comes from: after a reset that has preserved the data, the parent at the service is the preserved branch. */
function findSource({ restoreFrom, parentId }: BranchInputs, branch: Branch | undefined): string | undefined {
  const parent = branch && isSchemaOnly(branch) ? undefined : (parentId ?? branch?.parent_id);
  return restoreFrom?.branchId ?? parent;
}

/**
 * Reports what the change of `resetTriggers` does to a branch in state, and returns whether it deletes data.
 * @throws Error when the branch can't be reset, or `allowDataLoss` does not permit it
 */
export async function reportReset(
  core: ProviderCore,
  id: string,
  changes: readonly string[],
  { outputs }: PriorBranch,
  declaration: BranchDeclaration,
): Promise<boolean> {
  const { inputs } = declaration;
  const { allowDataLoss, preserveUnderName, resetTriggers } = inputs;
  const deletesData = preserveUnderName === undefined;
  const all = await core.list(declaration, 'branches');
  const branch = all.find((each) => each.id === id);
  const what = describeReset(id, inputs, branch, all);
  const isForbidden = deletesData && allowDataLoss !== true;
  if (isUnknown(resetTriggers)) {
    await core.warn(declaration, [describeUncertain(what, isForbidden)]);
    return deletesData;
  }
  if (isForbidden)
    throw new Error(
      `allowDataLoss is not true, and this ${what}. Nothing was changed. To continue, set allowDataLoss: true, or preserveUnderName to keep the data in another branch; to keep the data where it is, leave resetTriggers as it was.`,
    );
  if (branch === undefined && (await isGone(core, id, inputs))) {
    await core.warn(declaration, [foreseeGone('branch', id)]);
    return false;
  }
  const resetAt = branch?.last_reset_at;
  const isKnownReset = resetAt === undefined || isSameInstant(resetAt, outputs.lastResetAt);
  if (!isKnownReset && !(await mayHaveFailed(core, id, resetAt, declaration))) {
    const since = `branch ${id} was reset at ${resetAt}, by a run that failed or by another client: \`pulumi up\` counts it as the one of this change of resetTriggers, and does not repeat it`;
    noteAhead(core, id, { reset: 'found', resetAt });
    await core.warn(declaration, [since]);
    return false;
  }
  const source = inputs.restoreFrom?.branchId;
  const isKnown = source === undefined || isUnknown(source) || core.claims.branch.item(source).isCreated;
  if (branch && !isKnown && !all.some((each) => each.id === source))
    throw new Error(`restoreFrom: ${source} is not a branch of the project. Nothing was changed.`);
  const { timestamp, lsn } = inputs.restoreFrom ?? {};
  const from = timestamp === undefined && lsn === undefined ? findSource(inputs, branch) : undefined;
  noteAhead(core, id, { reset: 'expected', source: isUnknown(from) ? undefined : from });
  try {
    await checkReset(core, declaration, id);
    const reason = branch && findResetObstacle(core, branch, changes, declaration, all);
    if (reason !== undefined) throw new Error(`a reset of branch ${id}: ${reason}. Nothing was changed.`);
  } catch (error) {
    core.claims.branch.noteItem(id, { reset: undefined });
    throw error;
  }
  await core.warn(declaration, [what]);
  return deletesData;
}

/** Whether it has expired, or another client has deleted it. A list may not show yet what another run has created. */
async function isGone(core: ProviderCore, id: string, { projectId }: BranchInputs): Promise<boolean> {
  if (core.isOutOfReach(projectId)) return false;
  const { branches, readLagMs } = core.projects.project(projectId);
  return (await branches.findPatiently(id, readLagMs)) === undefined;
}

/**
 * From now on, the roles and databases of the branch wait for the reset.
 * @throws Error when the engine has already asked about one of them: that one would not wait
 */
function noteAhead({ claims }: ProviderCore, id: string, reset: ItemRecord): void {
  const isFirst = claims.branch.item(id).reset === undefined;
  const [early] = [claims.role, claims.database].flatMap((each) => each.urnsWith({ branchId: id }));
  if (isFirst && early)
    throw new Error(
      `the reset of branch ${id} replaces what ${early} stands for, which does not wait for it. Nothing was changed. Set branchId there to the output of the branch resource instead of the id as text.`,
    );
  claims.branch.noteItem(id, { source: undefined, resetAt: undefined, ...reset });
}

/** Whether the reset of that time has failed, or its operation can't be read: `up` may then send another one. */
async function mayHaveFailed(
  core: ProviderCore,
  id: string,
  resetAt: string,
  declaration: BranchDeclaration,
): Promise<boolean> {
  const project = core.projects.project(declaration.inputs.projectId);
  const since = () => Date.parse(resetAt);
  const read = () => listOperationsSince(project.api, project.id, since);
  const operations = await core.glimpse(declaration, project, 'the operations', read);
  const newest = operations?.find((each) => each.branch_id === id && isCreation(each));
  return operations === undefined || (newest !== undefined && isFailed(newest));
}

/** In one sentence, which names the branches. */
function describeReset(
  id: string,
  inputs: BranchInputs,
  branch: Branch | undefined,
  all: readonly Branch[],
): string {
  const { preserveUnderName, restoreFrom = {} } = inputs;
  const name = branch ? ` ("${branch.name}")` : '';
  const from = findSource(inputs, branch) ?? 'its parent';
  // The name of another branch may be a secret of the program, which the engine need not have passed.
  const named = all.find((each) => each.id === from && each.default);
  const source = isUnknown(from)
    ? 'a branch that is not known yet'
    : `${from}${named ? ` ("${named.name}")` : ''}`;
  const [at] = compact([restoreFrom.timestamp, restoreFrom.lsn]);
  const point =
    at === undefined
      ? 'the present data'
      : `the data as of ${isUnknown(at) ? 'a point that is not known yet' : at}`;
  const children = childIds(all, id);
  const moved = children.length > 0 ? ` with its children (${listChildren(children)})` : '';
  const kept =
    preserveUnderName === unknownValue ? 'a branch that is named later' : `branch "${preserveUnderName}"`;
  const which = `branch ${id}${name}`;
  const drops = 'drops the connections of its endpoints';
  const does =
    preserveUnderName === undefined
      ? `deletes the data of ${which}, ${drops}, and resets it to ${point} of ${source}`
      : `resets ${which} to ${point} of ${source}, ${drops}, and leaves its own data in ${kept}${moved}, which is in no state, so that the next reset needs another preserveUnderName`;
  return `${does}: a change of resetTriggers`;
}

/** When a branch expires: as the program declares it, or as the service shows it. */
export function findExpiry({ claims }: ProviderCore, id: string, all: readonly Branch[]): unknown {
  const expiresAt = claims.branch.recordOf(id).declared?.inputs.expiresAt ?? find(all, { id })?.expires_at;
  return expiresAt === unknownValue ? 'a time that is not known yet' : expiresAt;
}

/** Why the service would refuse. */
function findResetObstacle(
  core: ProviderCore,
  branch: Branch,
  changes: readonly string[],
  { inputs, resource: { urn } }: BranchDeclaration,
  all: readonly Branch[],
): string | undefined {
  const { id, parent_id = id } = branch;
  const { preserveUnderName, restoreFrom = {} } = inputs;
  const isUnprotected = changes.includes('protected') && inputs.protected !== true;
  if (inputs.protected === true || (branch.protected && !isUnprotected)) return protectedReason;
  const source = findSource(inputs, branch);
  if (source === undefined) return 'it has no parent. Set restoreFrom: { branchId }';
  if (source === id && restoreFrom.timestamp === undefined && restoreFrom.lsn === undefined)
    return 'it is its own source. Set the timestamp or the lsn of restoreFrom';
  const children = childIds(all, id);
  if (preserveUnderName === undefined && (source === id || children.length > 0)) {
    const why = source === id ? 'it is its own source' : `it has children: ${listChildren(children)}`;
    return `${why}. Set preserveUnderName, the name of a new branch for the previous data${source === id ? '' : ', which gets the children'}`;
  }
  // Without a parent, or with the previous data as its parent, it does not become a child of its source.
  const isChild = ![id, source].includes(parent_id) && preserveUnderName === undefined;
  const expiresAt = isChild && findExpiry(core, source, all);
  if (expiresAt)
    return `its source, ${source}, expires at ${expiresAt}, so it can have no children. Remove that expiresAt in an earlier \`pulumi up\`, or set preserveUnderName`;
  const holder = all.find(({ name }) => name === preserveUnderName);
  if (holder)
    return `preserveUnderName is "${holder.name}", and the project already has a branch of that name, ${holder.id} (created ${holder.created_at}): each reset that keeps the data needs a new name`;
  if (preserveUnderName === undefined || isUnknown(preserveUnderName) || urn === undefined) return undefined;
  const other = core.claims.branch.claimName(inputs.projectId, preserveUnderName, urn);
  return other && `preserveUnderName is "${preserveUnderName}", and ${other} is to use that name as well`;
}
