import { compact, difference, intersection } from 'lodash';
import { toNamedId } from '../control-api/named-api';
import type { NamedKind } from '../control-api/wire-types';
import { orForced } from '../lifecycle/forced-replacement';
import { type InputFailure, isUnknown } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import { foreseeGone } from '../lifecycle/resource-errors';
import type { Declared, Properties } from '../lifecycle/resource-identity';
import { isUnfinished } from '../operations/operation-outcome';
import type { NamedItem } from '../operations/service-project';
import { describeTaken } from './named-create';
import { isOf, isReset } from './named-resource';
import type { NamedInputs, NamedType, PriorNamed } from './named-type';

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

/**
 * If a run has ended between a reset of the branch and the update of what was on it, this run does that: what the state has from
 * before the reset is not what the branch has now.
 */
export async function noteLeftReset<Inputs extends NamedInputs>(
  core: ProviderCore,
  kind: NamedKind,
  id: string,
  prior: PriorNamed<Inputs>,
): Promise<void> {
  const { branchId, createdAt, __number } = prior.outputs;
  const { branch } = core.claims;
  const { reset, lastResetAt } = branch.item(branchId);
  if (reset !== undefined || lastResetAt === undefined) return;
  // After a create whose response was lost, the state has no time.
  if (!createdAt || Date.parse(createdAt) > Date.parse(lastResetAt)) return;
  // An interrupted replacement may have deleted the branch.
  const items = await glimpseNamed(core, kind, prior).catch(() => undefined);
  const found = items?.find((item) => item.id === id || isOf(prior.outputs)(item));
  if (items && (found?.created_at !== createdAt || found.number !== __number))
    branch.noteItem(branchId, { reset: 'done', resetAt: lastResetAt });
}

/** Why the create would fail, judged by what the service has now. A replacement deletes the old one first. */
export async function findExistingFailures<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  declaration: Declared<Inputs>,
): Promise<InputFailure[]> {
  const { inputs, resource } = declaration;
  const { kind, arguments: table, creation, forced, loss } = named;
  const claims = core.claims[kind];
  const items = await glimpseNamed(core, kind, declaration);
  const existing = items?.find(({ name }) => name === inputs.name);
  // Of a branch that the program creates, adopt takes over only what a killed run has left.
  const isNew = isUnknown(inputs.branchId) || core.claims.branch.item(inputs.branchId).isCreated;
  const missed = `adopt finds no ${kind} "${inputs.name}": \`pulumi up\` creates one`;
  if (items && !existing && !isNew && !isUnknown(inputs.name))
    await core.warn(declaration, compact([inputs.adopt && missed, creation]));
  const isCopied = existing?.branch_id !== inputs.branchId;
  // A branch that another resource takes over keeps what is on it.
  const isThere = !isCopied || core.claims.branch.item(existing?.branch_id ?? '').adopter !== undefined;
  if (!existing || (isThere && claims.resource(resource.urn).idInState === existing.id)) return [];
  const copied = isThere
    ? undefined
    : `a ${kind} that the branch starts with, as branch ${existing.branch_id} has it`;
  if (inputs.adopt !== true) return [{ property: 'name', reason: describeTaken(named, existing, copied) }];
  const isTaking = resource.urn !== undefined && !isCopied;
  const taken = isTaking ? claims.claimAdoption(existing.id, resource.urn) : undefined;
  if (taken !== undefined) return [{ property: 'adopt', reason: taken }];
  const changed = difference(table.findDrift(existing, inputs), table.replacing).map((each) => `its ${each}`);
  const what = changed.length > 0 ? changed.join(' and ') : 'nothing on it';
  const which = copied ?? `${kind} ${existing.id}`;
  const isRefused = loss !== undefined && !(inputs as Properties).allowDataLoss;
  const takeOver = `adopt takes over ${which} (created ${existing.created_at}) and changes ${what}`;
  await core.warn(declaration, [
    isCopied || isRefused ? takeOver : orForced(declaration, takeOver, `that ${kind}, ${forced}`),
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
  const reason = `is not a role of ${branch}. Where this program creates the role, use the output name of its resource`;
  return [{ property, reason }];
}

/** @throws Error when the service would refuse the update */
export async function checkUpdate<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  changes: readonly string[],
  { outputs }: PriorNamed<Inputs>,
  news: Declared<Inputs>,
): Promise<void> {
  const { kind, role = '' } = named;
  const { name } = news.inputs;
  const [unknown] = changes.includes(role) ? await findUnknownRole(core, named, news) : [];
  if (unknown) throw new Error(`${unknown.property} ${unknown.reason}. Nothing was changed.`);
  if (!changes.includes('name')) return;
  const holder = (await glimpseNamed(core, kind, news))?.find((item) => item.name === name);
  if (holder && !isOf(outputs)(holder))
    throw new Error(
      `name "${name}" belongs to another ${kind} of branch ${holder.branch_id} (created ${holder.created_at}). Nothing was changed. Rename or delete that one in an earlier \`pulumi up\` or at the service, or choose another name. To manage that one instead, run \`pulumi state delete\` on this resource, and set adopt: true.`,
    );
}

/** The arguments that the update will send: those that change, and what an earlier one has left. */
export function findSent<Inputs extends NamedInputs>(
  { sent }: Pick<NamedType<Inputs>, 'sent'>,
  changes: readonly string[],
  { outputs }: PriorNamed<Inputs>,
): string[] {
  const { due = [], owed = [] } = outputs.__ledger ?? {};
  const repeated = [...due, ...(owed.includes('config') ? sent.slice(0, 1) : [])];
  return intersection(sent, [...changes, ...repeated]);
}

/** What the preview reports about the update. */
export function describeUpdate<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  changes: readonly string[],
  prior: PriorNamed<Inputs>,
  { inputs }: Declared<Inputs>,
): string[] {
  const isAwaited = prior.outputs.unsettledOperations?.some(isUnfinished);
  return findSent(named, changes, prior).flatMap((name) => {
    const text = named.changes?.[name];
    if (text === undefined) return [];
    if (!changes.includes(name))
      return [
        isAwaited
          ? `${text}, unless the earlier one, for which \`pulumi up\` waits first, succeeds`
          : `${text}: an earlier one was not applied`,
      ];
    const unless = isUnknown(inputs[name as keyof Inputs]) ? ', unless the value stays the same' : '';
    return [`${text}${unless}: a change of ${name}`];
  });
}

/** Why it is not there to be updated, and what `up` does then; empty if it is. */
export async function describeLost<Inputs extends NamedInputs>(
  core: ProviderCore,
  { kind, again }: NamedType<Inputs>,
  id: string,
  changes: readonly string[],
  prior: PriorNamed<Inputs>,
  news: Declared<Inputs>,
): Promise<string[]> {
  const andAgain = `\`pulumi up\` creates this one again, ${again}`;
  if (isReset(core, prior)) {
    const { reset, resetAt } = core.claims.branch.item(prior.outputs.branchId);
    // Others may have dropped it since.
    if (reset === 'done' && resetAt !== undefined)
      return [
        `its branch was reset at ${resetAt}, and no longer has this ${kind}: ${andAgain}, unless the branch has another one of its name`,
      ];
    return [
      `the reset of its branch replaces the ${kind}s: ${andAgain}, unless the branch that the data comes from has it`,
    ];
  }
  const isUncertain = prior.outputs.__ledger?.past === 'uncertain';
  if (!isUncertain && changes.length === 0) return [];
  const items = await glimpseNamed(core, kind, news);
  const isThere = items?.some((item) => item.id === id || isOf(prior.outputs)(item)) ?? true;
  if (isThere) return [];
  return [isUncertain ? `its branch no longer has it: ${andAgain}` : foreseeGone(kind, id)];
}
