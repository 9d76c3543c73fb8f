import { intersection } from 'lodash';
import { isUnknown } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { Declared } from '../lifecycle/resource-identity';
import { findUnknownRole, glimpseNamed } from './named-create';
import { isOf } from './named-resource';
import type { NamedInputs, NamedType, PriorNamed } from './named-type';

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

/** The arguments that the update sends: those that change, and what an earlier one has left. */
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
  return findSent(named, changes, prior).flatMap((name) => {
    const text = named.changes?.[name];
    if (text === undefined) return [];
    const unless = isUnknown(inputs[name as keyof Inputs]) ? ', unless the value stays the same' : '';
    const why = changes.includes(name) ? `a change of ${name}` : 'an earlier one was not applied';
    return [`${text}${unless}: ${why}`];
  });
}
