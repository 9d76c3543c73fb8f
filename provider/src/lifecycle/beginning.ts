import { partition } from 'lodash';
import type { Operation } from '../control-api/wire-types';
import type { Creation } from './create-once';
import { evolve } from './evolve';
import { emptyLedger, type Ledger, moveTo } from './ledger';
import type { Flow } from './resource';
import type { Unsettled } from './resource-state';
import { type Item, newSituation, type Situation, type TakenOver } from './situation';
import { readLedger } from './stored-ledger';

type Named = { readonly name?: string | undefined };

/** The situation of an update. @throws Error when the state holds something that this release does not know */
export function situationInState<Inputs extends object, Shown extends Item>(
  flow: Flow<Inputs, Shown>,
  inputs: Inputs,
  before: Unsettled & { readonly disabled?: boolean | undefined },
): Situation {
  return { ...newSituation(inputs, flow.isBlind), ...readLedger(before, flow.arguments.has) };
}

/** The situation once a create has its id. */
export function situationOfCreation<Inputs extends Named, Shown extends Item>(
  flow: Flow<Inputs, Shown>,
  inputs: Inputs,
  creation: Creation<Shown>,
): Situation {
  const { origin, item } = creation;
  return origin === 'new'
    ? situationOfNew(flow, inputs, item, creation.operations)
    : situationOfFound(flow, inputs, item, origin, creation.writes);
}

/** The situation after the response to a create, which has sent all that the program gives, except the name and what is set last. */
export function situationOfNew<Inputs extends Named, Shown extends Item>(
  flow: Flow<Inputs, Shown>,
  inputs: Inputs,
  item: Shown,
  started: readonly Operation[],
): Situation {
  const table = flow.arguments;
  const [last, others] = partition(table.findGiven(inputs), table.isSetLast);
  const names = others.filter((name) => name !== 'name' && table.isWritable(name));
  const ledger = moveTo(nameLast(inputs, item), 'sent', names);
  const created: Situation = {
    ...newSituation(inputs, flow.isBlind),
    origin: 'new',
    ledger,
    writes: 'accepted',
    item,
  };
  const begun = evolve(created, { kind: 'accepted', names: [], started }, flow);
  return evolve(begun, { kind: 'asked', names: table.findDrift(item, inputs, last) }, flow);
}

/**
 * The situation when a list shows a resource to take over.
 * @param origin `own`: an earlier create of this resource has made it, so what the program leaves out is reset
 * @param writes `unknown`: this run has created it by a request whose response was lost
 */
export function situationOfFound<Inputs extends Named, Shown extends Item>(
  flow: Flow<Inputs, Shown>,
  inputs: Inputs,
  item: Shown,
  origin: TakenOver,
  writes: Situation['writes'],
): Situation {
  const past = flow.mayHavePast(item, origin) ? 'uncertain' : 'closed';
  const ledger = origin === 'own' ? nameLast(inputs, item) : emptyLedger;
  const found: Situation = { ...newSituation(inputs, flow.isBlind), origin, past, ledger, item, writes };
  const names = flow.arguments.findTakeOverChanges(item, inputs, origin);
  return evolve(found, { kind: 'asked', names }, flow);
}

/** The ledger of a resource that was created under its derived name: the declared name is sent last. */
function nameLast({ name }: Named, item: Item): Ledger {
  return moveTo(emptyLedger, 'last', name !== undefined && name !== item.name ? ['name'] : []);
}
