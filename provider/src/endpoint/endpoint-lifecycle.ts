import { omit, some } from 'lodash';
import type { Deadline } from '../control-api/deadline';
import { situationInState } from '../lifecycle/beginning';
import { findReplacementFailures, findUnknownBranch } from '../lifecycle/create-failures';
import { deleteGuarded, foreseeBase, foreseeDelete } from '../lifecycle/delete-facts';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import { asReported, type ProviderCore } from '../lifecycle/provider-core';
import { checkReset } from '../lifecycle/reset-guards';
import type { CheckedDeclaration } from '../lifecycle/resource-identity';
import { type Difference, ResourceLifecycle, type Wanted } from '../lifecycle/resource-lifecycle';
import { unsettledOutputs } from '../lifecycle/resource-state';
import type { ServiceProject } from '../operations/service-project';
import { endpointArguments } from './endpoint-arguments';
import { createEndpoint } from './endpoint-create';
import type { Declaration, EndpointInputs, InputName } from './endpoint-inputs';
import {
  checkFollow,
  checkMove,
  checkRetained,
  checkUnprotected,
  findObstacle,
  findRivals,
} from './endpoint-obstacles';
import { EndpointPreview } from './endpoint-preview';
import { endpointFlow, startRun } from './endpoint-resource';
import { type EndpointOutputs, type PriorState, toFound } from './endpoint-state';
import { endpointType } from './endpoint-type';
import { derivedNamesOf, describeDuplicates } from './existing-endpoint';

export class EndpointLifecycle extends ResourceLifecycle<EndpointInputs, EndpointOutputs> {
  readonly type = endpointType;
  readonly #preview: EndpointPreview;

  constructor(core: ProviderCore) {
    super(core, 'endpoint', endpointArguments);
    this.#preview = new EndpointPreview(core);
    this.claims.findObstacle = (news, id) => findObstacle(core, news as Declaration, id); // As checked.
  }

  protected askOfCreation(checked: CheckedDeclaration<EndpointInputs>) {
    const { urn, createsBeforeDelete } = checked.resource;
    const find = (replaced: string | undefined) => findObstacle(this.core, checked, replaced);
    return [
      () => findUnknownBranch(this.core, checked, 'branchId'),
      () => this.#claimDerivedName(checked),
      () => this.#preview.findUnjudgedReplacement(checked),
      () => (createsBeforeDelete ? [] : findReplacementFailures(this.claims, urn, find)),
      () => this.#preview.reportCreation(checked),
      () => findRivals(checked, this.claims),
    ];
  }

  protected async report(
    id: string,
    difference: Difference<InputName>,
    prior: PriorState,
    news: Declaration,
  ) {
    const { changes, replaces, base } = difference;
    const isReplacing = replaces.length > 0;
    const isAskedEarly = this.claims.isAskedEarly(news);
    const leaves = isReplacing ? !news.resource.createsBeforeDelete : !isAskedEarly;
    if (leaves && changes.includes('branchId')) this.claims.noteItem(id, { mover: news.resource.urn });
    this.claims.noteDiff(id, prior, news, difference);
    if (base !== undefined) checkRetained(id, prior);
    await foreseeBase(this.core, news, prior.outputs.projectId, base);
    if (!isReplacing) {
      checkFollow(this.core, id, prior, news);
      await this.#checkBranch(id, changes, news);
    } else if (base === undefined) await checkUnprotected(this.core, id, prior, news);
    await checkReset(this.core, news, prior.outputs.branchId);
    // It is deleted with its branch, or diff is called again.
    if (isAskedEarly && !isReplacing && isUnknown(news.inputs.branchId)) return {};
    const outputs = isAskedEarly ? omit(prior.outputs, unsettledOutputs) : prior.outputs;
    const before = { ...prior, outputs };
    const { restarts } = await this.#preview.reportChange(id, difference, before, news);
    const { latest } = this.core.projects.project(outputs.projectId).endpoints;
    // A create in place of one that is replaced, or is gone, takes over what it finds.
    if (!isReplacing && some(latest, { id })) await this.#reportDuplicates(id, news);
    return { restarts };
  }

  protected async make(news: Declaration, deadline: Deadline) {
    const created = await createEndpoint(this.core.startWork(news, deadline), this.claims);
    await this.#reportDuplicates(created.id, news);
    return created;
  }

  protected async find(id: string, prior: PriorState, declared: Wanted) {
    const { endpoints, readLagMs, sharedRead } = this.core.projects.project(prior.inputs.projectId);
    const endpoint = await endpoints.findPatiently(id, readLagMs, sharedRead);
    return endpoint && toFound(endpoint, prior, declared, endpoints.latest);
  }

  protected async change(
    id: string,
    prior: PriorState,
    news: Declaration,
    deadline: Deadline,
    changes: readonly string[],
  ): Promise<EndpointOutputs> {
    const { outputs } = prior;
    const started = this.core.startWork(news, deadline, [asReported(prior)]);
    const work = { ...started, action: 'update', kind: 'endpoint', id } as const;
    const run = startRun(work, situationInState(endpointFlow, news.inputs, outputs), outputs);
    const updated = await run.run(changes);
    await this.#reportDuplicates(id, news);
    return updated;
  }

  protected remove(id: string, prior: PriorState, deadline: Deadline): Promise<void> {
    const send = ({ api, id: projectId }: ServiceProject) => api.deleteEndpoint(projectId, id, deadline);
    return deleteGuarded({ core: this.core, kind: 'endpoint', id, prior, deadline, send });
  }

  /** Reports duplicates that the latest list shows. */
  async #reportDuplicates(id: string, declaration: Declaration): Promise<void> {
    const { projectId } = declaration.inputs;
    if (isUnknown(projectId)) return;
    const { endpoints } = this.core.projects.project(projectId);
    const unclaimed = endpoints.latest.filter(
      (other) => (this.claims.item(other.id).holder ?? this.claims.ownerOf(other.id)) === undefined,
    );
    const sentences = describeDuplicates(declaration, unclaimed, id);
    await this.core.warn(declaration, sentences);
  }

  /** A create would mistake an existing endpoint with its derived name for its own orphan. */
  #claimDerivedName(checked: CheckedDeclaration<EndpointInputs>): InputFailure[] {
    const { urn } = checked.resource;
    const { projectId } = checked.inputs;
    const [derived] = derivedNamesOf(checked);
    if (urn === undefined || derived === undefined || isUnknown([projectId, derived])) return [];
    const holder = this.claims.claimName(projectId, derived, urn);
    if (holder === undefined) return [];
    const reason = `can't be applied yet: a create first uses the derived name ${derived}, which ${holder} already has. Give this resource another Pulumi name`;
    return [{ property: 'name', reason }];
  }

  /** @throws Error when the endpoint can't move to its branch, or stays on one that this run replaces */
  async #checkBranch(id: string, changes: readonly InputName[], declaration: Declaration): Promise<void> {
    const { projectId, branchId } = declaration.inputs;
    if (isUnknown([projectId, branchId])) return;
    if (changes.includes('branchId')) {
      const [unknown] = await findUnknownBranch(this.core, declaration, 'branchId');
      if (unknown) throw new Error(`branchId ${unknown.reason}. Nothing was changed.`);
      return checkMove(this.core, id, declaration);
    }
    if (this.core.claims.branch.item(branchId).foreseen === undefined) return;
    await foreseeDelete(this.core, declaration, this.core.projects.project(projectId), branchId);
  }
}
