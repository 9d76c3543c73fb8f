import { intersection, omit, pick } from 'lodash';
import { isNotFound, messageOf } from '../control-api/control-api-error';
import { parseNamedId, toNamedId } from '../control-api/named-api';
import { rereadUntil } from '../control-api/read-lag';
import type { NamedChange } from '../control-api/wire-types';
import { isConfig } from '../lifecycle/ledger';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { Change, Flow, Resource, ResourceWork } from '../lifecycle/resource';
import { UnsettledError } from '../lifecycle/resource-errors';
import { isInState } from '../lifecycle/resource-state';
import { Run } from '../lifecycle/run';
import type { Situation } from '../lifecycle/situation';
import { type NamedItem, toNamedItem } from '../operations/service-project';
import { toOutputs } from './named-state';
import type { NamedInputs, NamedOutputs, NamedType, PriorNamed } from './named-type';

/** What a create or an update works on. */
export interface NamedWork<Inputs extends NamedInputs> extends ResourceWork<Inputs> {
  readonly kind: NamedType<Inputs>['kind'];
  /** Its path, as the latest response has shown it. */
  id: string;
  /** Its password, if a response has shown one. */
  password?: string | undefined;
}

/** An update also repeats an apply_config that has failed. */
export function toFlow<Inputs extends NamedInputs>(named: NamedType<Inputs>): Flow<Inputs, NamedItem> {
  return {
    arguments: named.arguments,
    isBlind: false,
    // A lost response may have named its apply_config.
    mayHavePast: (_item, origin) => origin === 'own',
    effectsOf: (names) => (intersection(names, named.sent).length > 0 ? ['config'] : []),
    repeatable: () => named.sent.slice(0, 1),
    isRecorded: () => true,
  };
}

/** @param before the outputs in state, if it is there */
function toResource<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  work: NamedWork<Inputs>,
  before?: NamedOutputs<Inputs>,
): Resource<NamedItem, NamedOutputs<Inputs>> {
  const { inputs, project, deadline } = work;
  const { kind, sent, arguments: table } = named;
  const list = project.named(kind, inputs.branchId);
  return {
    flow: toFlow(named),
    work,
    before,
    list,
    // An apply_config names its branch, but no role or database, so any of them may be this one's.
    isOfResource: (operation) => operation.branch_id === inputs.branchId && isConfig(operation),
    update: (names) => {
      if (intersection(names, sent).length === 0) return undefined;
      const attributes = table.toAttributes(names, inputs);
      const send = () =>
        named.send(project.api, parseNamedId(work.id), attributes, deadline).then(toChange(work));
      // A request whose response was lost may have renamed it.
      const follow = async (error: unknown) => {
        if (!isNotFound(error) || before?.__number === undefined) throw error;
        const find = () => list.find(work.id, { isSame: isOf(before) });
        const isRenamed = (item: NamedItem | undefined) => item !== undefined && item.id !== work.id;
        const found = await rereadUntil(project.lag(deadline), find, isRenamed);
        if (!found || !isRenamed(found)) throw error;
        work.id = found.id;
        return send();
      };
      return () => send().catch(follow);
    },
    isReady: () => true,
    toOutputs: (item, left, asked) => {
      // What only the state knows stays as it was until it is sent.
      const open = asked.filter((name) => !table.isReadable(name));
      const known = { ...(omit(inputs, open) as Inputs), ...pick(before, open) }; // Those are optional.
      return toOutputs(named, item, known, work.password ?? before?.password, left);
    },
  };
}

/** Whether an item is the one in state, under any name. */
export function isOf({ __number }: Pick<NamedOutputs, '__number'>) {
  return ({ number }: NamedItem) => number !== undefined && number === __number;
}

/** Whether its branch is reset, by this run or by a killed one: the branch then has the roles and databases of another one. */
export function isReset({ claims }: ProviderCore, { outputs }: PriorNamed<NamedInputs>): boolean {
  const { reset, resetAt } = claims.branch.item(outputs.branchId);
  const isLater = resetAt !== undefined && Date.parse(outputs.createdAt) > Date.parse(resetAt);
  return reset !== undefined && !isLater;
}

/** Its current path: by the outputs in state, or the id that an import or a lookup gives. */
export function pathOf({ outputs }: PriorNamed<NamedInputs>, idInState: string): string {
  return isInState(outputs) ? toNamedId(outputs) : idInState;
}

/** Notes the password of the response, since later reads do not show it, and the path. */
export function toChange(work: NamedWork<NamedInputs>) {
  return ({ item: shown, operations }: NamedChange): Change<NamedItem> => {
    const item = toNamedItem(work.project.id, shown);
    work.password = item.password ?? work.password;
    work.id = item.id;
    return { item, operations };
  };
}

export function startRun<Inputs extends NamedInputs>(
  named: NamedType<Inputs>,
  work: NamedWork<Inputs>,
  situation: Situation,
  before?: NamedOutputs<Inputs>,
) {
  return new Run(toResource(named, work, before), situation);
}

/** The failure after which the next run checks whether the resource exists, and has its password. */
export function leaveUncertain(error: unknown, id: string, outputs: Partial<NamedOutputs>): UnsettledError {
  const __ledger = { ...outputs.__ledger, past: 'uncertain' };
  return new UnsettledError(messageOf(error), id, { ...outputs, __ledger }, { cause: error });
}

/**
 * Reads the password that no response has shown. Where the service does not show it, one in state counts.
 * @throws UnsettledError when it can't be read: the state keeps the resource, and the next run reads it again
 */
export async function withPassword<Inputs extends NamedInputs>(
  core: ProviderCore,
  named: NamedType<Inputs>,
  work: NamedWork<Inputs>,
  outputs: NamedOutputs<Inputs>,
): Promise<NamedOutputs<Inputs>> {
  const { password } = named;
  if (!password || work.password !== undefined) return outputs;
  try {
    const shown = (await password.read(work.project.api, work.inputs, work.deadline)) ?? outputs.password;
    if (shown !== undefined) return { ...outputs, password: shown };
  } catch (error) {
    throw leaveUncertain(error, work.id, outputs);
  }
  await core.warn(work, [password.absence]);
  return outputs;
}
