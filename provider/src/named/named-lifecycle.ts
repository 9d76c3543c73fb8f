import { intersection, omit, union, without } from 'lodash';
import { isAnswered } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { parseNamedId } from '../control-api/named-api';
import { rereadUntil } from '../control-api/read-lag';
import { situationInState } from '../lifecycle/beginning';
import { findOtherProject, findReplacementFailures, findUnknownBranch } from '../lifecycle/create-failures';
import { describeUncertain, findUnjudgedLoss, judgeLoss } from '../lifecycle/data-loss';
import { deleteGuarded, foreseeBase } from '../lifecycle/delete-facts';
import { isUnknown } from '../lifecycle/input-values';
import { asReported, type ProviderCore } from '../lifecycle/provider-core';
import { UnsettledError } from '../lifecycle/resource-errors';
import type { CheckedDeclaration, Declared } from '../lifecycle/resource-identity';
import { type Difference, ResourceLifecycle } from '../lifecycle/resource-lifecycle';
import { isInState } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import type { ServiceProject } from '../operations/service-project';
import { createNamed } from './named-create';
import {
  checkUpdate,
  describeLost,
  describeUpdate,
  findExistingFailures,
  findSent,
  findUnknownRole,
  noteLeftReset,
} from './named-preview';
import {
  isOf,
  isReset,
  leaveUncertain,
  type NamedWork,
  pathOf,
  startRun,
  toFlow,
  withPassword,
} from './named-resource';
import { toFoundNamed, toRefreshed } from './named-state';
import {
  type NamedInputs,
  type NamedOutputs,
  type NamedType,
  type PriorNamed,
  toUnknown,
} from './named-type';

/** How often to check whether a reset has ended. Milliseconds. */
const resetPauseMs = 100;

export class NamedLifecycle<Inputs extends NamedInputs> extends ResourceLifecycle<
  Inputs,
  NamedOutputs<Inputs>
> {
  readonly type: ResourceType;
  readonly #named: NamedType<Inputs>;

  constructor(core: ProviderCore, named: NamedType<Inputs>) {
    super(core, named.kind, named.arguments);
    this.#named = named;
    this.type = { ...named.type, previewUpdate: this.#previewUpdate.bind(this) };
  }

  protected askOfCreation(checked: CheckedDeclaration<Inputs>) {
    const { loss, kind } = this.#named;
    const find = async () => findOtherProject(this.core, kind, 'branchId', checked);
    return [
      () => (loss ? findUnjudgedLoss(this.core, loss, checked) : []),
      () => findReplacementFailures(this.claims, checked.resource.urn, find),
      () => findUnknownBranch(this.core, checked, 'branchId'),
      () => findExistingFailures(this.core, this.#named, checked),
      () => findUnknownRole(this.core, this.#named, checked),
    ];
  }

  protected async report(
    idInState: string,
    difference: Difference,
    prior: PriorNamed<Inputs>,
    news: Declared<Inputs>,
  ) {
    const id = pathOf(prior, idInState);
    const { loss, kind, forced } = this.#named;
    const { changes, replaces, base } = difference;
    await noteLeftReset(this.core, kind, id, prior);
    const hasChanges = difference.hasChanges || this.isDue(prior);
    this.claims.noteDiff(id, prior, news, { ...difference, hasChanges });
    await foreseeBase(this.core, news, prior.outputs.projectId, base);
    if (replaces.length > 0) {
      if (!loss) {
        // Where diff is asked early, what the role depends on is certainly replaced or deleted.
        const isCertain =
          this.claims.isAskedEarly(news) ||
          replaces.some((name) => !isUnknown(news.inputs[name as keyof Inputs]));
        if (isCertain) return {};
        const what = `replaces ${kind} ${id}, ${forced}`;
        const text = this.core.claims.branch.isReplaced(prior.outputs.branchId)
          ? `${what}: its branch is replaced`
          : describeUncertain(`${what}: a change of ${replaces.join(' and ')}`, false);
        await this.core.warn(news, [text]);
        return {};
      }
      const { projectId, branchId } = prior.outputs;
      const { named, readLagMs } = this.core.projects.project(projectId);
      const isSame = isOf(prior.outputs);
      const find = () => named(kind, branchId).findPatiently(id, readLagMs, { isSame }, performance.now());
      const { warning, deletesData } = await judgeLoss(this.core, loss, id, replaces, prior, news, find);
      await this.core.warn(news, [warning]);
      return { deletesData };
    }
    await checkUpdate(this.core, this.#named, changes, prior, news);
    const { branchId } = prior.outputs;
    // Its role is replaced with the branch, and would be deleted first.
    const andRole = this.claims.isAskedEarly(news) ? ', and deleteBeforeReplace: false on its role' : '';
    if (this.core.claims.branch.isReplaced(branchId))
      throw new Error(
        `branch ${branchId} is replaced, which deletes this ${kind} with it. Nothing was changed. Set branchId to the id of the branch resource${andRole}: the ${kind} is then replaced with the branch.`,
      );
    const lost = await describeLost(this.core, this.#named, id, changes, prior, news);
    // A rename keeps no data that is lost.
    const sent = lost.length > 0 ? without(changes, 'name') : changes;
    await this.core.warn(news, [...describeUpdate(this.#named, sent, prior, news), ...lost]);
    return { hasChanges };
  }

  protected async make(news: Declared<Inputs>, deadline: Deadline) {
    return createNamed(this.core, this.#named, await this.#startWork(news, deadline));
  }

  protected async find(idInState: string, prior: PriorNamed<Inputs>) {
    const id = pathOf(prior, idInState);
    const at = parseNamedId(id);
    const project = this.core.projects.project(at.projectId);
    const list = project.named(this.#named.kind, at.branchId);
    const options = { ...project.sharedRead, isSame: isOf(prior.outputs) };
    const item = await list.findPatiently(id, project.readLagMs, options);
    if (!item) return undefined;
    if (isInState(prior.outputs)) return toRefreshed(this.#named, item, prior, project.api);
    return toFoundNamed(this.#named, item, await this.#named.password?.read(project.api, at));
  }

  protected async change(
    idInState: string,
    prior: PriorNamed<Inputs>,
    news: Declared<Inputs>,
    deadline: Deadline,
    changes: readonly string[],
  ): Promise<NamedOutputs<Inputs>> {
    const { outputs } = prior;
    const { arguments: table, kind } = this.#named;
    const id = pathOf(prior, idInState);
    const started = await this.#startWork(news, deadline, prior).catch((error: unknown) => {
      // Then it is not known whether the reset of the branch has replaced it.
      throw leaveUncertain(error, id, outputs);
    });
    const work: NamedWork<Inputs> = { ...started, action: 'update', kind, id };
    const mayBeGone = isReset(this.core, prior) || outputs.__ledger?.past === 'uncertain';
    // After a reset, a read may still show what the branch had before.
    const lag = mayBeGone ? work.project.lag(deadline) : deadline.within(0);
    const list = work.project.named(kind, news.inputs.branchId);
    // Others may have renamed it.
    const find = () => list.find(id, { isSame: isOf(outputs) });
    const found = await rereadUntil(lag, find, (each) => each === undefined);
    const isOther = isReset(this.core, prior) || (mayBeGone && found?.created_at !== outputs.createdAt);
    const kept = isOther ? (omit(outputs, 'password') as NamedOutputs<Inputs>) : outputs;
    if (mayBeGone && !found) return this.#makeAgain(id, kept, news, deadline);
    const drift = found && mayBeGone ? table.findDrift(found, news.inputs) : [];
    const before = { ...kept, ...(found?.number !== undefined && { __number: found.number }) };
    work.id = found?.id ?? id;
    const situation = situationInState(toFlow(this.#named), news.inputs, outputs);
    try {
      const updated = await startRun(this.#named, work, situation, before).run(union(changes, drift));
      const isKnown = !mayBeGone && updated.password !== undefined;
      return isKnown ? updated : await withPassword(this.core, this.#named, work, updated);
    } finally {
      this.claims.noteRenamed(news.resource.urn, id, work.id);
    }
  }

  protected async remove(idInState: string, prior: PriorNamed<Inputs>, deadline: Deadline): Promise<void> {
    // What has left the program is deleted after all updates, so no reset is still to come.
    if (!this.claims.isAskedEarly(prior)) await this.#afterReset(prior.outputs, deadline);
    const { core } = this;
    const { kind, refusal = '' } = this.#named;
    const id = pathOf(prior, idInState);
    const { base } = this.claims.recordOf(id);
    const { branch } = core.claims;
    const { branchId } = prior.outputs;
    const owner = branch.ownerOf(branchId);
    const isBranchGoing = branch.isReplaced(branchId) && !branch.isIncomplete(owner);
    // An interrupted replacement has left it, and perhaps its branch, which this run may then delete as well.
    const isLeftover = owner === undefined && this.claims.hasOther(id, prior.resource.urn);
    const send = ({ api }: ServiceProject, idNow: string) =>
      api.deleteNamed(kind, parseNamedId(idNow), deadline).catch(async (error: unknown) => {
        if (!isAnswered(error, 422)) throw error;
        // The role owns a database that the program does not declare. Both go with their branch, if this run deletes that next.
        if (kind !== 'role' || !(base !== undefined || isBranchGoing || isLeftover))
          throw new Error(`${error.message}. ${refusal}`.trim(), { cause: error });
        const stays = `role ${idNow} was not deleted, because it owns a database: the service deletes it with its branch`;
        await core.warn(asReported(prior), [stays]);
        return { operations: [] };
      });
    // Others may have renamed it, and given its name to another one.
    return deleteGuarded({ core, kind, id, prior, deadline, isSame: isOf(prior.outputs), send });
  }

  protected override isDue(prior: PriorNamed<Inputs>): boolean {
    return super.isDue(prior) || isReset(this.core, prior);
  }

  #previewUpdate(prior: PriorNamed<Inputs>, inputs: Inputs): object {
    const { arguments: table, password, further, unforeseen } = this.#named;
    const changes = table.findChanges(prior, inputs);
    const isRotated = password !== undefined && findSent(this.#named, changes, prior).length > 0;
    const lost = isReset(this.core, prior) ? further : isRotated ? ['password'] : [];
    return {
      ...table.previewUpdate(prior, inputs),
      ...toUnknown([...lost, ...intersection(unforeseen, changes)]),
    };
  }

  async #startWork(news: Declared<Inputs>, deadline: Deadline, prior?: PriorNamed<Inputs>) {
    await this.#afterReset(news.inputs, deadline);
    return this.core.startWork(news, deadline, prior && [asReported(prior)]);
  }

  /** Waits for a reset of its branch that this run sends or has found. Without a dependency, the engine does not wait. */
  async #afterReset({ branchId }: NamedInputs, deadline: Deadline): Promise<void> {
    const { branch } = this.core.claims;
    while (['expected', 'found'].includes(branch.item(branchId).reset ?? '')) {
      deadline.begin();
      if (deadline.hasPassed)
        throw new Error(
          `the reset of branch ${branchId}, which this run is to make or to wait for, has not ended.`,
        );
      await deadline.pause(resetPauseMs);
    }
  }

  /** Creates it again. @throws UnsettledError when that fails: without a pending change, no later diff would ask for it */
  async #makeAgain(id: string, before: NamedOutputs<Inputs>, news: Declared<Inputs>, deadline: Deadline) {
    try {
      return (await this.make(news, deadline)).outputs;
    } catch (error) {
      if (error instanceof UnsettledError) throw error;
      throw leaveUncertain(error, id, before);
    }
  }
}
