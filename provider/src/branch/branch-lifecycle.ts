import { intersection } from 'lodash';
import { messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { Branch } from '../control-api/wire-types';
import { situationInState } from '../lifecycle/beginning';
import { findPermanence } from '../lifecycle/branch-facts';
import { findReplacementFailures, findUnknownBranch } from '../lifecycle/create-failures';
import type { Existing } from '../lifecycle/create-once';
import { findUnjudgedLoss, judgeLoss, type Loss } from '../lifecycle/data-loss';
import { deleteGuarded, foreseeBase, foreseeDelete } from '../lifecycle/delete-facts';
import { unlessMoved } from '../lifecycle/delete-guards';
import { orForced } from '../lifecycle/forced-replacement';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import { asReported, type ProviderCore } from '../lifecycle/provider-core';
import { checkDrops, checkReset } from '../lifecycle/reset-guards';
import { UnsettledError } from '../lifecycle/resource-errors';
import type { CheckedDeclaration } from '../lifecycle/resource-identity';
import { type Difference, ResourceLifecycle, type Wanted } from '../lifecycle/resource-lifecycle';
import type { ServiceProject } from '../operations/service-project';
import { branchArguments } from './branch-arguments';
import { createBranch, findExisting, noteSource } from './branch-create';
import type { BranchDeclaration, BranchInputs } from './branch-inputs';
import {
  checkExpiry,
  checkRename,
  describeExpired,
  findExpiringParent,
  findExpiryObstacle,
  findObstacle,
} from './branch-obstacles';
import { reportReset } from './branch-reset';
import { branchFlow, hasFailedToBecomeReady, startRun } from './branch-resource';
import { type BranchOutputs, type PriorBranch, toFound, withResets } from './branch-state';
import { branchType } from './branch-type';

export class BranchLifecycle extends ResourceLifecycle<BranchInputs, BranchOutputs> {
  readonly type = branchType;
  protected override readonly place = 'parentId';

  constructor(core: ProviderCore) {
    super(core, 'branch', branchArguments);
    this.claims.findObstacle = (news, id) => findObstacle(core, news as BranchDeclaration, id); // As checked.
  }

  protected askOfCreation(checked: CheckedDeclaration<BranchInputs>) {
    const { idInState } = this.claims.resource(checked.resource.urn);
    // The engine replaces it, also where diff has found only a reset (`replaceOnChanges`).
    if (idInState !== undefined) this.claims.noteItem(idInState, { reset: undefined });
    const find = (replaced: string | undefined) => findObstacle(this.core, checked, replaced);
    return [
      () => findUnjudgedLoss(this.core, branchLoss, checked),
      () => findExpiringParent(this.core, checked),
      () => findReplacementFailures(this.claims, checked.resource.urn, find),
      () => findUnknownBranch(this.core, checked, 'parentId'),
      () => this.#reportCreation(checked),
      () => noteSource(this.core, checked),
    ];
  }

  protected async report(id: string, difference: Difference, prior: PriorBranch, news: BranchDeclaration) {
    const { changes, base } = difference;
    const project = this.core.projects.project(prior.inputs.projectId);
    const hasNoData = await hasFailedToBecomeReady(project, id, prior.outputs);
    const isReplaced = difference.replaces.length > 0;
    const replaces = hasNoData && !isReplaced ? ['unsettledOperations'] : difference.replaces;
    this.claims.noteDiff(id, prior, news, { ...difference, replaces });
    const { protected: wasProtected, lastResetAt } = prior.outputs;
    this.claims.noteItem(id, { wasProtected: wasProtected === true, lastResetAt });
    await foreseeBase(this.core, news, prior.outputs.projectId, base);
    const deletesData =
      isReplaced && !hasNoData && (await this.#reportReplacement(id, replaces, prior, news));
    await checkReset(this.core, news, String(prior.outputs.parentId));
    const expired = describeExpired(prior.outputs);
    if (expired !== undefined) await this.core.warn(news, [expired]);
    const inPlace = replaces.length > 0 ? [] : changes;
    if (inPlace.includes('name')) await checkRename(this.core, id, news);
    if (intersection(inPlace, ['expiresAt', 'protected']).length > 0)
      await checkExpiry(this.core, id, changes, news);
    const isReset = inPlace.includes('resetTriggers');
    const losesData = isReset && (await reportReset(this.core, id, changes, prior, news));
    return { replaces, deletesData: deletesData || losesData };
  }

  protected make(news: BranchDeclaration, deadline: Deadline) {
    return createBranch(this.core.startWork(news, deadline), this.claims);
  }

  protected async find(id: string, prior: PriorBranch, declared: Wanted) {
    const { branches, readLagMs, sharedRead } = this.core.projects.project(prior.inputs.projectId);
    const branch = await branches.findPatiently(id, readLagMs, sharedRead);
    return branch && toFound(branch, prior, declared);
  }

  protected async change(
    id: string,
    prior: PriorBranch,
    news: BranchDeclaration,
    deadline: Deadline,
    changes: readonly string[],
  ): Promise<BranchOutputs> {
    const { outputs } = prior;
    const started = this.core.startWork(news, deadline, [asReported(prior)]);
    const work = { ...started, action: 'update', kind: 'branch', id } as const;
    const check = async () => checkDrops(this.core, id, await work.project.endpoints.fresh());
    const run = startRun(work, situationInState(branchFlow, news.inputs, outputs), outputs, check);
    const updated = run.run(changes);
    if (!changes.includes('resetTriggers')) return updated;
    // After a failed reset, roles and databases are not updated. The next run asks for the reset again, finds it, and updates them.
    return this.claims.noteReset(
      id,
      updated.catch((error: unknown) => {
        if (!(error instanceof UnsettledError)) throw error;
        const open = withResets(error.outputs as BranchOutputs, outputs); // Of this run.
        throw new UnsettledError(error.message, id, open, { cause: error.cause });
      }),
    );
  }

  protected remove(id: string, prior: PriorBranch, deadline: Deadline): Promise<void> {
    const send = ({ api, id: projectId }: ServiceProject) => api.deleteBranch(projectId, id, deadline);
    return deleteGuarded({ core: this.core, kind: 'branch', id, prior, deadline, send });
  }

  /** Returns whether it deletes data. */
  async #reportReplacement(
    id: string,
    replaces: readonly string[],
    prior: PriorBranch,
    news: BranchDeclaration,
  ): Promise<boolean> {
    const project = this.core.projects.project(prior.outputs.projectId);
    const find = () => project.branches.findPatiently(id, project.readLagMs, {}, performance.now());
    const loss = await judgeLoss(this.core, branchLoss, id, replaces, prior, news, find);
    const { isCertain, deletesData, warning } = loss;
    const goesToo = isCertain && deletesData ? await foreseeDelete(this.core, news, project, id) : [];
    await this.core.warn(news, [warning, ...goesToo]);
    return deletesData;
  }

  /** For a branch that is not in state yet. */
  async #reportCreation(declaration: BranchDeclaration): Promise<InputFailure[]> {
    const { inputs, resource } = declaration;
    // A replacement deletes the old branch first, which this can't foresee.
    if (this.claims.resource(resource.urn).inState || isUnknown([inputs.projectId, inputs.name])) return [];
    const branches = await this.core.list(declaration, 'branches');
    if (this.core.isOutOfReach(inputs.projectId)) return [];
    const adopted = branches.find((branch) => inputs.adopt && branch.name === inputs.name);
    const reason = adopted && findExpiryObstacle(adopted, inputs, branches);
    const property = inputs.expiresAt === undefined ? 'protected' : 'expiresAt';
    if (reason !== undefined) return [{ property, reason: `can't be set: ${reason}` }];
    const text = this.#describeCreation(declaration, branches);
    if (text !== undefined) await this.core.warn(declaration, [text]);
    return [];
  }

  #describeCreation(declaration: BranchDeclaration, branches: readonly Branch[]): string | undefined {
    try {
      const existing = findExisting(declaration, branches, this.claims);
      const { urn } = declaration.resource;
      if (existing?.origin === 'adopted' && urn !== undefined)
        this.claims.claimAdoption(existing.item.id, urn);
      return describeCreation(declaration, existing);
    } catch (error) {
      const { name } = declaration.inputs;
      const taken = branches.find((each) => each.name === name);
      const stays = taken && (isUndeletable(taken) || this.claims.findRenamed(taken.id));
      return stays ? messageOf(error) : orForced(declaration, messageOf(error), ifForced);
    }
  }
}

const branchLoss: Loss = {
  kind: 'branch',
  place: 'parentId',
  describe: (which, isRetained, resource) =>
    isRetained
      ? `leaves ${which} at the service (retainOnDelete), and creates one with the data of its parent`
      : `deletes the data of ${which}, with its endpoints${unlessMoved(resource)}`,
};

const ifForced = 'the branch, with its data and endpoints';

/** Whether a delete is certainly refused. Children don't decide that: a forced replacement first deletes those of the program. */
const isUndeletable = (branch: Branch) => branch.protected || findPermanence(branch) !== undefined;

function describeCreation(declaration: BranchDeclaration, existing: Existing<Branch> | undefined) {
  const { inputs } = declaration;
  if (!existing)
    return inputs.adopt ? `adopt finds no branch "${inputs.name}": \`pulumi up\` creates one` : undefined;
  const { id, created_at } = existing.item;
  const which = `branch ${id} (created ${created_at})`;
  if (existing.origin === 'own')
    return `\`pulumi up\` continues an interrupted create of this resource: ${which}`;
  const changes = branchArguments.findDrift(existing.item, inputs);
  const what = changes.length > 0 ? `changes its ${changes.join(', ')}` : 'changes nothing on it';
  const takeOver = `adopt takes over ${which} and ${what}`;
  return isUndeletable(existing.item) ? takeOver : orForced(declaration, takeOver, ifForced);
}
