import { difference, intersection, omit, union } from 'lodash';
import { ControlApiError, messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { situationInState, situationOfFound, situationOfNew } from '../lifecycle/beginning';
import { checkDeclaration } from '../lifecycle/check-declaration';
import { createOnce, type Existing } from '../lifecycle/create-once';
import { deleteResource } from '../lifecycle/delete-resource';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import { asReported, type ProviderCore } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import { UnsettledError } from '../lifecycle/resource-errors';
import type { CheckedDeclaration, Declared, UncheckedDeclaration } from '../lifecycle/resource-identity';
import type { ResourceDiff, ResourceLifecycle } from '../lifecycle/resource-lifecycle';
import { isUnsettled } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { type NamedItem, parseNamedId, toNamedId } from '../operations/service-project';
import {
  type NamedWork,
  secretOf,
  startRun,
  toChange,
  toFlow,
  toOutputs,
  toRefreshed,
} from './named-resource';
import type { NamedInputs, NamedOutputs, NamedType, PriorNamed } from './named-type';

/** Check, diff, create, read, update and delete of what has a name within a branch. */
export class NamedLifecycle<Inputs extends NamedInputs>
  implements ResourceLifecycle<Inputs, NamedOutputs<Inputs>>
{
  readonly core: ProviderCore;
  readonly type: ResourceType;
  readonly #named: NamedType<Inputs>;
  readonly #claims: ResourceClaims;

  constructor(core: ProviderCore, named: NamedType<Inputs>) {
    this.core = core;
    this.#named = named;
    this.#claims = core.claims[named.kind];
    this.type = named.type;
  }

  async check(
    olds: UncheckedDeclaration | undefined,
    news: UncheckedDeclaration,
  ): Promise<CheckedDeclaration<Inputs>> {
    const checked = checkDeclaration<Inputs>(this.type, olds, news, this.#claims);
    const questions = [
      () => this.core.findUnknownBranch<'branchId'>(checked, 'branchId'),
      () => this.#findExistingFailures(checked),
    ];
    return this.core.judge(checked, olds ? [] : questions);
  }

  /** Reports under the resource what the change does. */
  async diff(id: string, prior: PriorNamed<Inputs>, news: Declared<Inputs>): Promise<ResourceDiff> {
    return this.core.presentably([asReported(prior), news], async () => {
      const { arguments: table, sent, change, reset } = this.#named;
      const changes = table.findChanges(prior, news.inputs);
      const replaces = intersection(changes, table.replacing);
      const isReset = this.#isReset(prior);
      const hasChanges = changes.length > 0 || isUnsettled(prior.outputs) || isReset;
      if (this.#claims.isRefreshed(id, prior, news)) return { hasChanges, changes, replaces };
      this.#claims.noteDiff(id, prior, news, { replaces, hasChanges });
      if (replaces.length > 0) return { hasChanges, changes, replaces };
      if (change !== undefined && changes.includes(sent)) {
        const unless = isUnknown(news.inputs[sent]) ? ', unless the value stays the same' : '';
        await this.core.warn(news, [`${change}${unless}: a change of ${sent}`]);
      }
      if (isReset) await this.core.warn(news, [reset]);
      return { hasChanges, changes, replaces };
    });
  }

  async create(news: Declared<Inputs>, deadline: Deadline) {
    const create = () => this.#make(news, deadline);
    return this.#claims.noteFailure(news.resource.urn, this.core.presentably([news], create));
  }

  async read(id: string, prior: PriorNamed<Inputs>, declared: 'in state' | 'as found' = 'in state') {
    if (declared === 'in state') this.#claims.noteRead(id, prior);
    return this.core.presentably([asReported(prior)], async () => {
      const at = parseNamedId(id);
      const project = this.core.projects.project(at.projectId);
      const list = project.named(this.#named.kind, at.branchId);
      const item = await list.findPatiently(id, project.readLagMs, project.sharedRead);
      if (!item) return undefined;
      // One that is only looked up has no outputs yet.
      if (declared === 'in state' && prior.outputs.createdAt !== undefined)
        return toRefreshed(this.#named, item, prior);
      const inputs = { ...at, ...this.#named.arguments.read(item) } as Inputs; // What it requires is readable.
      const shown = await this.#named.secret?.read(project.api, at);
      return { inputs, outputs: toOutputs(this.#named, item, inputs, shown) };
    });
  }

  async update(
    id: string,
    prior: PriorNamed<Inputs>,
    news: Declared<Inputs>,
    deadline: Deadline,
  ): Promise<NamedOutputs<Inputs>> {
    const { outputs } = prior;
    const { arguments: table, kind, secret } = this.#named;
    const changes = difference(table.findChanges(prior, news.inputs), table.settings);
    const isReset = this.#isReset(prior);
    if (changes.length === 0 && !isUnsettled(outputs) && !isReset)
      return table.withSettings(outputs, news.inputs);
    return this.core.presentably([asReported(prior), news], async () => {
      const started = this.core.startWork(news, deadline, [asReported(prior)]);
      const found = isReset ? await started.project.named(kind, outputs.branchId).find(id) : undefined;
      if (isReset && !found) return (await this.#make(news, deadline)).outputs;
      const drift = found ? table.findDrift(found, news.inputs) : [];
      const before = isReset && secret ? (omit(outputs, secret.name) as NamedOutputs<Inputs>) : outputs;
      const work: NamedWork<Inputs> = { ...started, action: 'update', kind, id };
      const situation = situationInState(toFlow(this.#named), news.inputs, outputs);
      const updated = await startRun(this.#named, work, situation, before).run(union(changes, drift));
      return this.#withSecret(work, news, updated);
    });
  }

  async delete(id: string, prior: PriorNamed<Inputs>, deadline: Deadline): Promise<void> {
    const declaration = asReported(prior);
    const { kind, refusal = '' } = this.#named;
    await this.core.presentably([declaration], async () => {
      const { urn } = prior.resource;
      const keeper = this.#claims.keeperOf(id, urn);
      if (keeper !== undefined) return this.core.reportKept(`${kind} ${id}`, urn, keeper);
      const { project, progress } = this.core.startWork(declaration, deadline);
      const send = () =>
        project.api.deleteNamed(kind, prior.outputs, deadline).catch((error: unknown) => {
          if (!(error instanceof ControlApiError && error.status === 422)) throw error;
          throw new Error(`${error.message}. ${refusal}`.trim(), { cause: error });
        });
      const list = project.named(kind, prior.outputs.branchId);
      await this.#claims.noteLeaving(
        id,
        deleteResource({ project, kind, id, list, send, deadline, progress }),
      );
    });
  }

  /** Whether this run resets its branch, which then has what another one has. */
  #isReset({ outputs }: PriorNamed<Inputs>): boolean {
    return this.core.claims.branch.item(outputs.branchId).reset !== undefined;
  }

  async #make(news: Declared<Inputs>, deadline: Deadline) {
    const { inputs } = news;
    const { kind, arguments: table } = this.#named;
    const id = toNamedId(inputs);
    const work: NamedWork<Inputs> = { ...this.core.startWork(news, deadline), action: 'create', kind, id };
    const { project } = work;
    const attributes = table.toCreateAttributes(inputs, inputs.name);
    const creation = await createOnce<NamedItem>({
      work,
      list: project.named(kind, inputs.branchId),
      findExisting: (items) => this.#findExisting(items, inputs),
      findOwn: (items, isOutcomeUnknown) =>
        isOutcomeUnknown ? items.find((item) => item.id === id) : undefined,
      refusesSecond: true,
      explainConflict: () => {},
      send: () =>
        project.api.createNamed(kind, inputs, attributes, deadline).then(toChange(this.#named, work)),
    });
    this.#claims.claimCreated(id, news);
    const flow = toFlow(this.#named);
    const situation =
      creation.kind === 'new'
        ? situationOfNew(flow, inputs, creation.item, creation.operations)
        : situationOfFound(flow, inputs, creation.item, creation.kind, creation.writes);
    const outputs = await startRun(this.#named, work, situation).run([]);
    return { id, outputs: await this.#withSecret(work, news, outputs) };
  }

  /** @throws UnsettledError when it can't be read: the state keeps the resource, and the next run reads it again */
  async #withSecret(
    { project, inputs, deadline, id }: NamedWork<Inputs>,
    declaration: Declared<Inputs>,
    outputs: NamedOutputs<Inputs>,
  ): Promise<NamedOutputs<Inputs>> {
    const { secret } = this.#named;
    if (!secret || secretOf(this.#named, outputs) !== undefined) return outputs;
    try {
      const shown = await secret.read(project.api, inputs, deadline);
      if (shown !== undefined) return { ...outputs, [secret.name]: shown };
    } catch (error) {
      const left = { __ledger: { ...outputs.__ledger, past: 'uncertain' } };
      throw new UnsettledError(messageOf(error), id, { ...outputs, ...left }, { cause: error });
    }
    await this.core.warn(declaration, [secret.absence]);
    return outputs;
  }

  /** @throws Error when it exists, and must not be taken over */
  #findExisting(items: readonly NamedItem[], inputs: Inputs): Existing<NamedItem> | undefined {
    const item = items.find(({ id }) => id === toNamedId(inputs));
    if (!item) return undefined;
    if (inputs.adopt) return { kind: 'adopted', item };
    throw new Error(`create of ${this.#named.kind} "${inputs.name}": ${this.#describeTaken(item)}`);
  }

  /** Why the create would stop. A replacement deletes the old one first. */
  async #findExistingFailures(declaration: Declared<Inputs>): Promise<InputFailure[]> {
    const { inputs, resource } = declaration;
    const { projectId, branchId, name } = inputs;
    if (isUnknown([projectId, branchId, name])) return [];
    const { kind, arguments: table } = this.#named;
    const project = this.core.projects.project(projectId);
    const items = await this.core.glimpse(declaration, project, `the ${kind}s`, () =>
      project.named(kind, branchId).fresh(),
    );
    const existing = items?.find(({ id }) => id === toNamedId(inputs));
    if (!existing || this.#claims.resource(resource.urn).idInState === existing.id) return [];
    if (inputs.adopt !== true) return [{ property: 'name', reason: this.#describeTaken(existing) }];
    if (resource.urn !== undefined) this.#claims.claimAdoption(existing.id, resource.urn);
    const changed = table.findDrift(existing, inputs).map((argument) => `its ${argument}`);
    const what = changed.length > 0 ? changed.join(' and ') : 'nothing on it';
    await this.core.warn(declaration, [
      `adopt takes over ${kind} ${existing.id} (since ${existing.created_at}) and changes ${what}`,
    ]);
    return [];
  }

  #describeTaken({ branch_id, created_at }: NamedItem): string {
    const { kind } = this.#named;
    return `is the name of a ${kind} that branch ${branch_id} has already (since ${created_at}): a branch starts with the ${kind}s of its parent. To take it over, set adopt: true (also if a killed \`pulumi up\` created it); to create a new one, choose another name`;
  }
}
