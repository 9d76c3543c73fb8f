import { toNamedId } from '../control-api/named-api';
import { situationOfCreation } from '../lifecycle/beginning';
import { createOnce, type Existing } from '../lifecycle/create-once';
import type { ProviderCore, Work } from '../lifecycle/provider-core';
import { ifRenamed } from '../lifecycle/resource-errors';
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

export function describeTaken(
  { kind }: Pick<NamedType<never>, 'kind'>,
  item: NamedItem,
  holder = `a ${kind} that branch ${item.branch_id} already has`,
) {
  return `is the name of ${holder} (created ${item.created_at}). To take it over, set adopt: true (also if the branch has it from its parent, or from a killed \`pulumi up\`). To create a new one, choose another name. ${ifRenamed}. Before a forced replacement (--replace, taint), remove the resource in an earlier \`pulumi up\``;
}
