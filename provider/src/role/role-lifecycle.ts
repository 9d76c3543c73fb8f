import { difference, intersection } from 'lodash';
import type { ControlApi } from '../control-api/control-api';
import { ControlApiError, messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import type { RolePath } from '../control-api/role-api';
import { situationInState, situationOfFound, situationOfNew } from '../lifecycle/beginning';
import { checkDeclaration } from '../lifecycle/check-declaration';
import { createOnce, type Existing } from '../lifecycle/create-once';
import { deleteResource } from '../lifecycle/delete-resource';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import { asReported, type ProviderCore } from '../lifecycle/provider-core';
import type { ResourceClaims } from '../lifecycle/resource-claims';
import { UnsettledError } from '../lifecycle/resource-errors';
import type { CheckedDeclaration, UncheckedDeclaration } from '../lifecycle/resource-identity';
import type { ResourceDiff, ResourceLifecycle } from '../lifecycle/resource-lifecycle';
import { isUnsettled } from '../lifecycle/resource-state';
import { parseRoleId, type RoleItem } from '../operations/service-project';
import type { PriorRole, RoleDeclaration, RoleInputs, RoleOutputs } from './role-inputs';
import { type RoleWork, roleArguments, roleFlow, startRun, toChange, toOutputs } from './role-resource';
import { roleType } from './role-type';

/** Check, diff, create, read, update and delete of a Role. */
export class RoleLifecycle implements ResourceLifecycle<RoleInputs, RoleOutputs> {
  readonly core: ProviderCore;
  readonly type = roleType;
  readonly #claims: ResourceClaims;

  constructor(core: ProviderCore) {
    this.core = core;
    this.#claims = core.claims.role;
  }

  async check(
    olds: UncheckedDeclaration | undefined,
    news: UncheckedDeclaration,
  ): Promise<CheckedDeclaration<RoleInputs>> {
    const checked = checkDeclaration<RoleInputs>(this.type, olds, news, this.#claims);
    const questions = [
      () => this.core.findUnknownBranch(checked, 'branchId'),
      () => this.#findExistingFailures(checked),
    ];
    return this.core.judge(checked, olds ? [] : questions);
  }

  /** Reports under the resource that connections drop. */
  async diff(id: string, prior: PriorRole, news: RoleDeclaration): Promise<ResourceDiff> {
    return this.core.presentably([asReported(prior), news], async () => {
      const changes = roleArguments.findChanges(prior, news.inputs);
      const replaces = intersection(changes, roleArguments.replacing);
      const isReset = this.#isReset(prior);
      const hasChanges = changes.length > 0 || isUnsettled(prior.outputs) || isReset;
      if (this.#claims.isRefreshed(id, prior, news)) return { hasChanges, changes, replaces };
      this.#claims.noteDiff(id, prior, news, { replaces, hasChanges });
      if (replaces.length === 0 && changes.includes('passwordTriggers')) {
        const unless = isUnknown(news.inputs.passwordTriggers) ? ', unless the value stays the same' : '';
        const drops = 'drops the connections of an active compute of its branch';
        await this.core.warn(news, [
          `gives the role a new password and ${drops}${unless}: a change of passwordTriggers`,
        ]);
      }
      if (replaces.length === 0 && isReset) await this.core.warn(news, [afterReset]);
      return { hasChanges, changes, replaces };
    });
  }

  async create(news: RoleDeclaration, deadline: Deadline) {
    const create = () => this.#make(news, deadline);
    return this.#claims.noteFailure(news.resource.urn, this.core.presentably([news], create));
  }

  async read(id: string, prior: PriorRole, declared: 'in state' | 'as found' = 'in state') {
    if (declared === 'in state') this.#claims.noteRead(id, prior);
    return this.core.presentably([asReported(prior)], async () => {
      const inputs = parseRoleId(id);
      const project = this.core.projects.project(inputs.projectId);
      const roles = project.roles(inputs.branchId);
      const role = await roles.findPatiently(id, project.readLagMs, project.sharedRead);
      if (!role) return undefined;
      // Nothing of a role changes by itself. One that is only looked up has no outputs yet.
      const isManaged = declared === 'in state' && prior.outputs.createdAt !== undefined;
      if (isManaged) return { inputs: prior.inputs, outputs: prior.outputs };
      const password = await revealPassword(project.api, inputs);
      return { inputs, outputs: toOutputs(role, inputs, password) };
    });
  }

  async update(
    id: string,
    prior: PriorRole,
    news: RoleDeclaration,
    deadline: Deadline,
  ): Promise<RoleOutputs> {
    const { outputs } = prior;
    const changes = difference(roleArguments.findChanges(prior, news.inputs), roleArguments.settings);
    const isReset = this.#isReset(prior);
    if (changes.length === 0 && !isUnsettled(outputs) && !isReset)
      return roleArguments.withSettings(outputs, news.inputs);
    return this.core.presentably([asReported(prior), news], async () => {
      const started = this.core.startWork(news, deadline, [asReported(prior)]);
      const { password, ...others } = outputs;
      const before = { ...others, ...(!isReset && password !== undefined && { password }) };
      if (isReset && !(await started.project.roles(outputs.branchId).find(id)))
        return (await this.#make(news, deadline)).outputs;
      const work: RoleWork = { ...started, action: 'update', roleId: id };
      const run = startRun(work, situationInState(roleFlow, news.inputs, outputs), before);
      return this.#withPassword(work, news, await run.run(changes));
    });
  }

  async delete(id: string, prior: PriorRole, deadline: Deadline): Promise<void> {
    const declaration = asReported(prior);
    await this.core.presentably([declaration], async () => {
      const { urn } = prior.resource;
      const keeper = this.#claims.keeperOf(id, urn);
      if (keeper !== undefined) return this.core.reportKept(`role ${id}`, urn, keeper);
      const { project, progress } = this.core.startWork(declaration, deadline);
      const send = () =>
        project.api.deleteRole(prior.outputs, deadline).catch((error: unknown) => {
          if (!(error instanceof ControlApiError && error.status === 422)) throw error;
          throw new Error(`${error.message}. ${whatOwnsIt}`, { cause: error });
        });
      const list = project.roles(prior.outputs.branchId);
      await this.#claims.noteLeaving(
        id,
        deleteResource({ project, kind: 'role', id, list, send, deadline, progress }),
      );
    });
  }

  /** Whether this run resets its branch, which then has the roles of another one. */
  #isReset({ outputs }: PriorRole): boolean {
    return this.core.claims.branch.item(outputs.branchId).reset !== undefined;
  }

  async #make(news: RoleDeclaration, deadline: Deadline) {
    const id = idOf(news.inputs);
    const work: RoleWork = { ...this.core.startWork(news, deadline), action: 'create', roleId: id };
    const { project, inputs } = work;
    const creation = await createOnce<RoleItem>({
      work,
      list: project.roles(inputs.branchId),
      findExisting: (roles) => findExisting(roles, inputs),
      findOwn: (roles, isOutcomeUnknown) =>
        isOutcomeUnknown ? roles.find((role) => role.id === id) : undefined,
      refusesSecond: true,
      explainConflict: () => {},
      send: () => project.api.createRole(inputs, deadline).then(toChange(work)),
    });
    this.#claims.claimCreated(id, news);
    const { kind, item } = creation;
    const situation =
      kind === 'new'
        ? situationOfNew(roleFlow, inputs, item, creation.operations)
        : situationOfFound(roleFlow, inputs, item, kind, creation.writes);
    const outputs = await startRun(work, situation).run([]);
    return { id, outputs: await this.#withPassword(work, news, outputs) };
  }

  /** @throws UnsettledError when it can't be read: the state keeps the role, and the next run reads it again */
  async #withPassword(
    work: RoleWork,
    declaration: RoleDeclaration,
    outputs: RoleOutputs,
  ): Promise<RoleOutputs> {
    if (outputs.password !== undefined) return outputs;
    try {
      const password = await revealPassword(work.project.api, work.inputs, work.deadline);
      if (password !== undefined) return { ...outputs, password };
    } catch (error) {
      const left = { __ledger: { ...outputs.__ledger, past: 'uncertain' } };
      throw new UnsettledError(messageOf(error), work.roleId, { ...outputs, ...left }, { cause: error });
    }
    await this.core.warn(declaration, [
      'has no output password: the project stores no passwords, and this role was not created here. A change of passwordTriggers gives it a new one',
    ]);
    return outputs;
  }

  /** Why the create would stop. A replacement deletes the old role first. */
  async #findExistingFailures(declaration: RoleDeclaration): Promise<InputFailure[]> {
    const { inputs, resource } = declaration;
    const { projectId, branchId, name } = inputs;
    if (isUnknown([projectId, branchId, name])) return [];
    const project = this.core.projects.project(projectId);
    const roles = await this.core.glimpse(declaration, project, 'the roles', () =>
      project.roles(branchId).fresh(),
    );
    const existing = roles?.find((role) => role.id === idOf(inputs));
    if (!existing || this.#claims.resource(resource.urn).idInState === existing.id) return [];
    if (inputs.adopt !== true) return [{ property: 'name', reason: describeTaken(existing) }];
    if (resource.urn !== undefined) this.#claims.claimAdoption(existing.id, resource.urn);
    await this.core.warn(declaration, [
      `adopt takes over role ${existing.id} (since ${existing.created_at}) and its password`,
    ]);
    return [];
  }
}

function idOf({ projectId, branchId, name }: RoleInputs): string {
  return `${projectId}/${branchId}/${name}`;
}

/** @throws Error when the role exists, and must not be taken over */
function findExisting(roles: readonly RoleItem[], inputs: RoleInputs): Existing<RoleItem> | undefined {
  const item = roles.find(({ id }) => id === idOf(inputs));
  if (!item) return undefined;
  if (inputs.adopt) return { kind: 'adopted', item };
  throw new Error(`create of role "${inputs.name}": ${describeTaken(item)}`);
}

function describeTaken({ branch_id, created_at }: RoleItem): string {
  return `is the name of a role that branch ${branch_id} has already (since ${created_at}): a branch starts with the roles of its parent. To take it over, set adopt: true (also if a killed \`pulumi up\` created it); to create a new one, choose another name`;
}

const afterReset =
  'the reset of its branch replaces the roles: `pulumi up` creates this one again with a new password, unless the branch that the data comes from has it';

const whatOwnsIt =
  'A role that owns databases stays: delete them in this program, or give them another owner, first. If it is to go with its branch, the resource option `deletedWith` names the branch.';

/** Undefined where the project stores no passwords, or the role has none. */
async function revealPassword(api: ControlApi, role: RolePath, deadline?: Deadline) {
  return api.revealPassword(role, deadline).catch((error: unknown) => {
    if (error instanceof ControlApiError && (error.status === 412 || error.status === 404)) return undefined;
    throw error;
  });
}
