import { isEmpty, some, union } from 'lodash';
import { messageOf } from '../control-api/control-api-error';
import type { Endpoint } from '../control-api/wire-types';
import { situationInState } from '../lifecycle/beginning';
import type { Existing } from '../lifecycle/create-once';
import { evolve } from '../lifecycle/evolve';
import { orForced, replacedByOption } from '../lifecycle/forced-replacement';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import { mayDrop } from '../lifecycle/plan';
import type { ProviderCore } from '../lifecycle/provider-core';
import { describeOrder, foreseeGone, ifRenamed } from '../lifecycle/resource-errors';
import { describeNamed } from '../lifecycle/resource-identity';
import type { Difference } from '../lifecycle/resource-lifecycle';
import { isUnsettled } from '../lifecycle/resource-state';
import { isUp } from '../lifecycle/situation';
import {
  type ChangeImpact,
  describeImpact,
  describeRefusal,
  describeUnsettled,
  findDisruptive,
  noImpact,
} from './change-impact';
import type { Declaration, EndpointInputs, InputName } from './endpoint-inputs';
import { endpointFlow } from './endpoint-resource';
import type { PriorState } from './endpoint-state';
import { describeAmbiguity, findBranchEndpoint, findExisting, findOwn } from './existing-endpoint';
import { assessTakeOver, planLive } from './live-plan';

const replacedWithBranch = 'its branch is replaced';

/** The engine calls diff for what is replaced with a branch before it passes the program. */
const inEarlierUpdate =
  'Because its branch is replaced, allowRestart: true counts only if an earlier `pulumi up` has applied it.';

/**
 * Reports under the resource what is going to happen, and stops what `allowRestart` forbids, before anything is changed.
 */
export class EndpointPreview {
  readonly #core: ProviderCore;

  constructor(core: ProviderCore) {
    this.#core = core;
  }

  /** For an endpoint in state. Returns what the change means. @throws Error when `allowRestart` is false and connections drop */
  async reportChange(
    id: string,
    { changes, base }: Difference<InputName>,
    { outputs, resource: before }: PriorState,
    declaration: Declaration,
  ): Promise<ChangeImpact> {
    const { inputs, resource } = declaration;
    const was = { ...before, secretNames: union(before.secretNames, resource.secretNames) };
    const warnings: string[] = [];
    // What is not known yet may turn out to change nothing.
    const asked = changes.filter((name) => !isUnknown(inputs[name]));
    const inState = situationInState(endpointFlow, inputs, outputs);
    const situation = evolve(inState, { kind: 'asked', names: asked }, endpointFlow);
    let impact: ChangeImpact = noImpact;
    if (mayDrop(situation, endpointFlow) || findDisruptive(changes, inputs).length > 0) {
      const project = this.#core.projects.project(outputs.projectId);
      const plan = await planLive(this.#core, project, id, situation, declaration);
      const replacedBecause = base === undefined ? undefined : replacedWithBranch;
      if (plan === 'gone') warnings.push(foreseeGone('endpoint', id));
      else if (plan) impact = describeImpact({ ...plan, changes, inputs, was, replacedBecause });
      const whenEarly = base === undefined ? '' : ` ${inEarlierUpdate}`;
      if (this.#isForbidden(impact, inputs))
        throw new Error(this.#describeRefusal(id, impact, declaration) + whenEarly);
      warnings.push(...impact.sentences, ...this.#describeGate(impact, inputs));
    }
    if (isUnsettled(outputs)) warnings.push(describeUnsettled(outputs));
    await this.#core.warn(declaration, warnings);
    return impact;
  }

  /** For an endpoint that is not in state yet: new, or taken over. Returns why it must not be taken over. */
  async reportCreation(declaration: Declaration): Promise<InputFailure[]> {
    const { inputs } = declaration;
    const branches = isUnknown(inputs.branchId) ? this.#core.claims.branch.adopted : [inputs.branchId];
    const endpoints = inputs.adopt && branches.length === 0 ? undefined : await this.#list(declaration);
    if (!endpoints) return [];
    const notes: string[] = [];
    try {
      const mayFindOn = (id: string) =>
        inputs.adopt === true || some(findOwn(declaration, endpoints), { branch_id: id });
      const places = isUnknown(inputs.branchId) ? branches.filter(mayFindOn) : [];
      if (places.length > 0)
        notes.push(...places.flatMap((id) => this.#describeIfOn(id, declaration, endpoints)));
      else if (inputs.adopt === true) {
        const adoption = this.#describeAdoption(declaration, endpoints);
        if (adoption.failures.length > 0) return adoption.failures;
        notes.push(...adoption.warnings);
      } else if (!this.#isReplacing(declaration)) {
        notes.push(...this.#describeExisting(declaration, endpoints));
        if (notes.length === 0) return this.#findHolder(inputs, endpoints);
      }
    } catch (error) {
      // The create would stop, but the preview must not: a replacement may delete that endpoint first.
      notes.push(this.#toCondition(messageOf(error), declaration));
    }
    await this.#core.warn(declaration, notes);
    return [];
  }

  /** Why `allowRestart` forbids a replacement that no diff has judged by what the program declares now; otherwise a warning. */
  async findUnjudgedReplacement(declaration: Declaration): Promise<InputFailure[]> {
    const { inputs, resource } = declaration;
    const claims = this.#core.claims.endpoint;
    const by = claims.findUnjudged(resource.urn);
    const { inState, idInState } = claims.resource(resource.urn);
    const isAllowed = this.#core.allowsRestart(inputs);
    if (by === undefined || !inState || (isAllowed && by === 'base')) return [];
    const { inputs: before, resource: was } = inState as Declaration; // As an earlier check has passed it.
    const { endpoints } = this.#core.projects.project(before.projectId);
    const listed = isAllowed ? this.#core.list({ resource, inputs: before }, 'endpoints') : endpoints.fresh();
    // Without a diff, the engine has not passed the id.
    const isIt = ({ id, name, branch_id, type }: Endpoint) =>
      idInState === undefined
        ? branch_id === before.branchId && type === before.type && name === (before.name ?? name)
        : id === idInState;
    const live = (await listed).find((endpoint) => isIt(endpoint) && (isAllowed || isUp(endpoint)));
    if (!live) return [];
    const replacedBecause = by === 'base' ? replacedWithBranch : replacedByOption;
    const impact = describeImpact({ changes: [], live, steps: [], inputs, was, replacedBecause });
    if (!isAllowed && impact.drops)
      return [{ property: 'allowRestart', reason: this.#describeRefusal(live.id, impact, declaration) }];
    await this.#core.warn(declaration, impact.sentences);
    return [];
  }

  /** The endpoints of the project, if they are known: one list serves all that a preview creates. */
  async #list(declaration: Declaration): Promise<readonly Endpoint[] | undefined> {
    const { projectId, type, adopt } = declaration.inputs;
    // A name is taken whatever the type is; what adopt means depends on it.
    if (isUnknown(adopt ? [projectId, type] : projectId)) return undefined;
    const endpoints = await this.#core.list(declaration, 'endpoints');
    return this.#core.isOutOfReach(projectId) ? undefined : endpoints;
  }

  #describeAdoption(declaration: Declaration, endpoints: readonly Endpoint[]) {
    const { inputs } = declaration;
    const { urn } = declaration.resource;
    const ambiguity = describeAmbiguity(declaration, endpoints);
    if (ambiguity !== undefined)
      return { failures: [{ property: 'adopt', reason: ambiguity }], warnings: [] };
    const existing = findExisting(declaration, endpoints);
    if (!existing)
      return { failures: [], warnings: isUnknown(inputs.name) ? [] : [describeNothingToAdopt(inputs)] };
    const { item: adopted } = existing;
    const taken = urn === undefined ? undefined : this.#core.claims.endpoint.claimAdoption(adopted.id, urn);
    if (taken !== undefined) return { failures: [{ property: 'adopt', reason: taken }], warnings: [] };
    const { changes, impact } = assessTakeOver(existing, declaration);
    const reason = this.#describeRefusal(adopted.id, impact, declaration);
    const failures = this.#isForbidden(impact, inputs) ? [{ property: 'adopt', reason }] : [];
    const warnings = [
      ...impact.sentences,
      this.#toCondition(describeAdoption(adopted, changes), declaration),
      ...this.#describeGate(impact, inputs),
    ];
    return { failures, warnings };
  }

  /** What a take-over does if the branch, whose id the engine does not pass yet, is one that this update takes over itself. */
  #describeIfOn(branchId: string, declaration: Declaration, endpoints: readonly Endpoint[]): string[] {
    const assumed = { ...declaration, inputs: { ...declaration.inputs, branchId } };
    const existing = findExisting(assumed, endpoints);
    if (!existing) return [];
    const takeOver = `\`pulumi up\` takes over endpoint ${existing.item.id}`;
    return [
      `if this is on branch ${branchId}, which this update adopts, ${takeOver}`,
      ...this.#describeIf(takeOver, existing, assumed),
    ];
  }

  /** Warnings about the endpoint of its own that the create will find. @throws Error when the create will stop */
  #describeExisting(declaration: Declaration, endpoints: readonly Endpoint[]): string[] {
    const existing = findExisting(declaration, endpoints);
    if (!existing) return [];
    const takeOver = `\`pulumi up\` takes over endpoint ${describeEndpoint(existing.item)}, which has the name of this resource`;
    return [
      this.#toCondition(takeOver, declaration),
      ...this.#describeIf('`pulumi up` takes the endpoint over', existing, declaration),
    ];
  }

  /** What the take-over does, where it is not certain. */
  #describeIf(condition: string, existing: Existing<Endpoint>, declaration: Declaration): string[] {
    const { impact } = assessTakeOver(existing, declaration);
    const isForbidden = this.#isForbidden(impact, declaration.inputs);
    const refusal = isForbidden ? ['the create fails, because allowRestart is false'] : [];
    const consequences = [...impact.sentences.map((sentence) => `it ${sentence}`), ...refusal];
    const gate = this.#describeGate(impact, declaration.inputs);
    return [...consequences.map((consequence) => `if ${condition}, ${consequence}`), ...gate];
  }

  /** The read_write endpoint on the branch, unless a resource has it: its owner may take it off the branch first. */
  #findHolder(inputs: EndpointInputs, endpoints: readonly Endpoint[]): InputFailure[] {
    const holder = findBranchEndpoint(inputs, endpoints);
    const claims = this.#core.claims.endpoint;
    if (!holder || claims.ownerOf(holder.id) !== undefined || !isEmpty(claims.item(holder.id))) return [];
    const reason = `already has a read_write endpoint: ${describeEndpoint(holder)}. A branch can have only one; adopt: true takes it over, and is needed to replace it by force. ${ifRenamed}. ${describeOrder(holder.id, 'moves or replaces')}.`;
    return [{ property: 'branchId', reason }];
  }

  /** What a create does, and what it does as a forced replacement, where it may be one. */
  #toCondition(done: string, declaration: Declaration): string {
    return this.#mayBeForced(declaration) ? orForced(declaration, done, ifForced) : done;
  }

  #mayBeForced(declaration: Declaration): boolean {
    return !this.#isReplacing(declaration) && !declaration.resource.retainsOnDelete;
  }

  /** Whether the create replaces what the state has, as far as the engine has shown. */
  #isReplacing({ resource }: Declaration): boolean {
    return this.#core.claims.endpoint.resource(resource.urn).inState !== undefined;
  }

  #describeRefusal(id: string, impact: ChangeImpact, { inputs, resource }: Declaration): string {
    return describeRefusal(describeNamed(id, resource.urn), impact, inputs, this.#core.config.names);
  }

  #isForbidden({ drops }: ChangeImpact, inputs: EndpointInputs): boolean {
    return drops && !this.#core.allowsRestart(inputs);
  }

  /** A preview can't stop a change to a value that is not known yet; the update does. */
  #describeGate({ mayDrop }: ChangeImpact, inputs: EndpointInputs): string[] {
    if (mayDrop.length === 0 || this.#core.allowsRestart(inputs)) return [];
    return [`allowRestart is false: \`pulumi up\` stops if the new ${mayDrop.join(', ')} drops connections`];
  }
}

function describeAdoption(adopted: Endpoint, changes: readonly InputName[]): string {
  const what = changes.length > 0 ? `changes its ${changes.join(', ')}` : 'changes nothing on it';
  return `adopt takes over endpoint ${describeEndpoint(adopted)} and ${what}`;
}

function describeNothingToAdopt({ branchId, name }: EndpointInputs): string {
  const which = name === undefined ? 'endpoint' : `endpoint "${name}"`;
  return `adopt finds no ${which} to take over on branch ${branchId}: \`pulumi up\` creates one`;
}

/** Without its name, which may be a secret of an earlier program. */
function describeEndpoint({ id, created_at }: Endpoint): string {
  return `${id} (created ${created_at})`;
}

const ifForced = 'the endpoint, changes its host, drops connections';
