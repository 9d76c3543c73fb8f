import { toNamedId } from '../control-api/named-api';
import { situationOfFound, situationOfNew } from '../lifecycle/beginning';
import { createOnce, type Existing } from '../lifecycle/create-once';
import { describeForced } from '../lifecycle/data-loss';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import type { ProviderCore, Work } from '../lifecycle/provider-core';
import type { Declared } from '../lifecycle/resource-identity';
import type { NamedItem } from '../operations/service-project';
import { type NamedWork, startRun, toChange, toFlow, withSecret } from './named-resource';
import type { NamedInputs, NamedOutputs, NamedType } from './named-type';

/**
 * Creates it, or takes over the existing one, and updates it to what is declared.
 * @throws UnsettledError when it exists, but not as declared: it is kept in state
 */
export async function createNamed<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  news: Declared<Inputs>,
  started: Work<Inputs>,
): Promise<{ readonly id: string; readonly outputs: NamedOutputs<Inputs> }> {
  const { kind, arguments: table } = named;
  const { project, inputs, deadline } = started;
  const id = toNamedId(inputs);
  const work: NamedWork<Inputs> = { ...started, action: 'create', kind, id };
  const attributes = table.toCreateAttributes(inputs, inputs.name);
  const creation = await createOnce<NamedItem>({
    work,
    list: project.named(kind, inputs.branchId),
    findExisting: (items) => findExisting(named, items, inputs),
    findOwn: (items, isOutcomeUnknown) =>
      isOutcomeUnknown ? items.find((item) => item.id === id) : undefined,
    refusesSecond: true,
    explainConflict: () => {},
    send: () => project.api.createNamed(kind, inputs, attributes, deadline).then(toChange(named, work)),
  });
  core.claims[kind].claimCreated(id, news);
  const flow = toFlow(named);
  const situation =
    creation.kind === 'new'
      ? situationOfNew(flow, inputs, creation.item, creation.operations)
      : situationOfFound(flow, inputs, creation.item, creation.kind, creation.writes);
  const outputs = await startRun(named, work, situation).run([]);
  return { id, outputs: await withSecret(core, named, work, news, outputs) };
}

/** @throws Error when it exists, and must not be taken over */
function findExisting<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  items: readonly NamedItem[],
  inputs: Inputs,
): Existing<NamedItem> | undefined {
  const item = items.find(({ id }) => id === toNamedId(inputs));
  if (!item) return undefined;
  if (inputs.adopt) return { kind: 'adopted', item };
  throw new Error(`create of ${named.kind} "${inputs.name}": ${describeTaken(named, item)}`);
}

/** Why the create would stop, by what the service has. A replacement deletes the old one first. */
export async function findExistingFailures<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  declaration: Declared<Inputs>,
): Promise<InputFailure[]> {
  const { inputs, resource } = declaration;
  const { projectId, branchId, name } = inputs;
  if (isUnknown([projectId, branchId, name])) return [];
  const { kind, arguments: table, loss } = named;
  const claims = core.claims[kind];
  const project = core.projects.project(projectId);
  const read = () => project.named(kind, branchId).fresh();
  const items = await core.glimpse(declaration, project, `the ${kind}s`, read);
  const existing = items?.find(({ id }) => id === toNamedId(inputs));
  if (!existing || claims.resource(resource.urn).idInState === existing.id) return [];
  if (inputs.adopt !== true) return [{ property: 'name', reason: describeTaken(named, existing) }];
  if (resource.urn !== undefined) claims.claimAdoption(existing.id, resource.urn);
  const changed = table.findDrift(existing, inputs).map((argument) => `its ${argument}`);
  const what = changed.length > 0 ? changed.join(' and ') : 'nothing on it';
  const takeOver = `adopt takes over ${kind} ${existing.id} (since ${existing.created_at}) and changes ${what}`;
  const forced = loss ? [describeForced(`that ${kind}, with its data`)] : [];
  await core.warn(declaration, [[takeOver, ...forced].join('. ')]);
  return [];
}

/** Why the create would fail: neither the branch nor the program has the role. */
export async function findUnknownRole<Inputs extends NamedInputs>(
  core: ProviderCore,
  { role: property }: NamedType<Inputs>,
  declaration: Declared<Inputs>,
): Promise<InputFailure[]> {
  const { inputs } = declaration;
  const { projectId, branchId } = inputs;
  if (property === undefined || isUnknown([projectId, branchId, inputs[property]])) return [];
  const name = inputs[property];
  const project = core.projects.project(projectId);
  const read = () => project.named('role', branchId).fresh();
  const roles = await core.glimpse(declaration, project, 'the roles', read);
  const isKnown = !roles || roles.some((role) => role.name === name);
  if (isKnown || core.claims.role.declares({ projectId, branchId, name })) return [];
  const reason = `is no role of branch ${branchId}. Where this program creates the role, use the output name of its resource`;
  return [{ property, reason }];
}

function describeTaken({ kind }: Pick<NamedType<never>, 'kind'>, { branch_id, created_at }: NamedItem) {
  return `is the name of a ${kind} that branch ${branch_id} has already (since ${created_at}): a branch starts with the ${kind}s of its parent. To take it over, set adopt: true (also if a killed \`pulumi up\` created it); to create a new one, choose another name`;
}
