import { difference } from 'lodash';
import { toNamedId } from '../control-api/named-api';
import type { NamedKind } from '../control-api/wire-types';
import { situationOfCreation } from '../lifecycle/beginning';
import { createOnce, type Existing } from '../lifecycle/create-once';
import { orForced } from '../lifecycle/data-loss';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import type { ProviderCore, Work } from '../lifecycle/provider-core';
import type { Declared } from '../lifecycle/resource-identity';
import { schemaVersion } from '../lifecycle/resource-state';
import type { Situation } from '../lifecycle/situation';
import type { NamedItem } from '../operations/service-project';
import { isLocked } from '../operations/wait-for-unlock';
import { leaveUncertain, type NamedWork, startRun, toChange, toFlow, withPassword } from './named-resource';
import type { NamedInputs, NamedOutputs, NamedType } from './named-type';

/**
 * Creates it, or takes over the existing one, and updates it to what is declared.
 * @throws UnsettledError when it exists, but not as declared: it is kept in state
 */
export async function createNamed<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  started: Work<Inputs>,
): Promise<{ readonly id: string; readonly outputs: NamedOutputs<Inputs> }> {
  const { kind, arguments: table } = named;
  const { project, inputs, deadline } = started;
  const id = toNamedId(inputs);
  const work: NamedWork<Inputs> = { ...started, action: 'create', kind, id };
  const attributes = table.toCreateAttributes(inputs, inputs.name);
  const list = project.named(kind, inputs.branchId);
  const creation = await createOnce<NamedItem>({
    work,
    list,
    findExisting: (items, writes) => findExisting(named, items, inputs, writes),
    refusesSecond: true,
    send: async () => {
      const created = project.api.createNamed(kind, inputs, attributes, deadline);
      // After a 423 nothing was created: a list that shows it is older than its delete.
      if (!(await created.then(() => false, isLocked))) list.show(id);
      return created.then(toChange(work));
    },
    keep: (error) => leaveUncertain(error, id, { ...inputs, __schemaVersion: schemaVersion }),
  });
  core.claims[kind].claimCreated(id, work);
  const situation = situationOfCreation(toFlow(named), inputs, creation);
  const outputs = await startRun(named, work, situation).run([]);
  return { id, outputs: await withPassword(core, named, work, outputs) };
}

/** @throws Error when it exists, and must not be taken over */
function findExisting<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  items: readonly NamedItem[],
  inputs: Inputs,
  writes: Situation['writes'],
): Existing<NamedItem> | undefined {
  const item = items.find(({ id }) => id === toNamedId(inputs));
  if (!item) return undefined;
  if (writes === 'unknown') return { origin: 'own', item };
  if (inputs.adopt) return { origin: 'adopted', item };
  throw new Error(`create of ${named.kind} "${inputs.name}": ${describeTaken(named, item)}`);
}

/**
 * The roles or databases of the branch. A branch that this run creates or resets starts with those of another one.
 * @returns undefined where a preview can't know
 */
export async function glimpseNamed(
  core: ProviderCore,
  kind: NamedKind,
  declaration: Declared<NamedInputs>,
): Promise<readonly NamedItem[] | undefined> {
  const { projectId, branchId } = declaration.inputs;
  const { branch } = core.claims;
  const { reset, source } = branch.item(branchId);
  const known = reset === 'expected' ? source : branchId;
  const place = isUnknown(branchId) ? branch.sourceIn(projectId) : known;
  if (place === undefined || isUnknown(projectId)) return undefined;
  const project = core.projects.project(projectId);
  return core.glimpse(declaration, project, `the ${kind}s`, () => project.named(kind, place).fresh());
}

/** Why the create would fail, judged by what the service has now. A replacement deletes the old one first. */
export async function findExistingFailures<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  declaration: Declared<Inputs>,
): Promise<InputFailure[]> {
  const { inputs, resource } = declaration;
  const { kind, arguments: table, loss } = named;
  const claims = core.claims[kind];
  const items = await glimpseNamed(core, kind, declaration);
  const existing = items?.find(({ name }) => name === inputs.name);
  // Of a branch that the program creates, adopt takes over only what a killed run has left.
  const isNew = isUnknown(inputs.branchId) || core.claims.branch.item(inputs.branchId).isCreated;
  if (items && !existing && inputs.adopt && !isNew && !isUnknown(inputs.name))
    await core.warn(declaration, [`adopt finds no ${kind} "${inputs.name}": \`pulumi up\` creates one`]);
  const isCopied = existing?.branch_id !== inputs.branchId;
  // A branch that another resource takes over keeps what is on it.
  const isThere = !isCopied || core.claims.branch.item(existing?.branch_id ?? '').adopter !== undefined;
  if (!existing || (isThere && claims.resource(resource.urn).idInState === existing.id)) return [];
  if (inputs.adopt !== true) return [{ property: 'name', reason: describeTaken(named, existing, isCopied) }];
  const isTaking = resource.urn !== undefined && !isCopied;
  const taken = isTaking ? claims.claimAdoption(existing.id, resource.urn) : undefined;
  if (taken !== undefined) return [{ property: 'adopt', reason: taken }];
  const changed = difference(table.findDrift(existing, inputs), table.replacing).map((each) => `its ${each}`);
  const what = changed.length > 0 ? changed.join(' and ') : 'nothing on it';
  const which = isCopied ? describeCopied(named, existing) : `${kind} ${existing.id}`;
  const takeOver = `adopt takes over ${which} (created ${existing.created_at}) and changes ${what}`;
  const isLost = loss && !isCopied;
  await core.warn(declaration, [
    isLost ? orForced(declaration, takeOver, `that ${kind}, with its data`) : takeOver,
  ]);
  return [];
}

/** Why the create would fail: neither the branch nor the program has the role. */
export async function findUnknownRole<Inputs extends NamedInputs>(
  core: ProviderCore,
  { role: property }: NamedType<Inputs>,
  declaration: Declared<Inputs>,
): Promise<InputFailure[]> {
  const { inputs } = declaration;
  if (property === undefined || isUnknown(inputs[property])) return [];
  const { projectId, branchId } = inputs;
  const name = String(inputs[property]);
  const id = toNamedId({ projectId, branchId, name });
  const roles = await glimpseNamed(core, 'role', declaration);
  const { role: claims } = core.claims;
  // A replacement by another name deletes it, and the list may be that of the branch which a reset copies.
  const stays = !claims.isReplaced(id) || claims.isLeft(id);
  const isKnown = !roles || (stays && roles.some((role) => role.name === name));
  if (isKnown || claims.urnsWith({ projectId, branchId, name }).length > 0) return [];
  const branch = isUnknown(branchId) ? 'the new branch' : `branch ${branchId}`;
  const reason = `is no role of ${branch}. Where this program creates the role, use the output name of its resource`;
  return [{ property, reason }];
}

/** What a branch that this run creates or takes over starts with. */
function describeCopied({ kind }: Pick<NamedType<never>, 'kind'>, { branch_id }: NamedItem) {
  return `a ${kind} that the branch starts with, as branch ${branch_id} has it`;
}

function describeTaken(named: Pick<NamedType<never>, 'kind'>, item: NamedItem, isCopied = false) {
  const { kind } = named;
  const holder = isCopied
    ? describeCopied(named, item)
    : `a ${kind} that branch ${item.branch_id} has already`;
  return `is the name of ${holder} (created ${item.created_at}): a branch starts with the ${kind}s of its parent. To take it over, set adopt: true (also if a killed \`pulumi up\` created it); to create a new one, choose another name. A forced replacement (--replace, taint) can't have it either: remove the resource in an earlier \`pulumi up\``;
}
