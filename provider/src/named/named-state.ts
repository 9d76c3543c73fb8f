import type { ControlApi } from '../control-api/control-api';
import { isAnswered } from '../control-api/control-api-error';
import { schemaVersion, type Unsettled } from '../lifecycle/resource-state';
import type { NamedItem } from '../operations/service-project';
import type { NamedInputs, NamedOutputs, NamedType, PriorNamed } from './named-type';

/**
 * The outputs after a create, update or read.
 * @param left what the next run resumes. @default nothing
 */
export function toOutputs<Inputs extends NamedInputs>(
  { arguments: table }: NamedType<Inputs>,
  item: NamedItem,
  inputs: Inputs,
  password: string | undefined,
  left: Unsettled = {},
): NamedOutputs<Inputs> {
  return {
    ...inputs,
    ...table.read(item, inputs),
    createdAt: item.created_at,
    ...(item.number !== undefined && { __number: item.number }),
    ...(password !== undefined && { password }),
    ...left,
    __schemaVersion: schemaVersion,
  };
}

/** As an import declares it. */
export function toFoundNamed<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  item: NamedItem,
  shown?: string,
) {
  const inputs = named.arguments.read(item) as Inputs; // What it requires is readable.
  return { inputs, outputs: toOutputs(named, item, inputs, shown) };
}

/**
 * As a refresh finds it. What only the state has stays, except the password of another role that now has the name, as after a reset. A
 * role that was imported from a file has none.
 */
export async function toRefreshed<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  item: NamedItem,
  { inputs, outputs }: PriorNamed<Inputs>,
  api: ControlApi,
) {
  const table = named.arguments;
  const now = table.withReported(item, inputs);
  const isOther = item.created_at !== outputs.createdAt;
  const known = isOther ? undefined : outputs.password;
  const reading = known === undefined ? named.password?.read(api, outputs) : undefined;
  const shown = known ?? (await reading?.catch(leaveOutForbidden));
  const toKnown = (inState: Inputs) => toOutputs(named, item, inState, shown);
  return { inputs: now, outputs: table.refresh(item, now, outputs, toKnown) };
}

/** A key that may list roles may lack the right to reveal passwords. */
function leaveOutForbidden(error: unknown): undefined {
  if (!isAnswered(error, 403)) throw error;
}
