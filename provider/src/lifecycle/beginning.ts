import { partition } from 'lodash';
import type { Operation } from '../control-api/wire-types';
import type { ArgumentTable } from './argument-table';
import type { Creation } from './create-once';
import { evolve } from './evolve';
import { emptyLedger, type Ledger, moveTo } from './ledger';
import type { Resource } from './resource';
import type { Unsettled } from './resource-state';
import { type Item, newSituation, type Rules, type Situation } from './situation';
import { readLedger } from './stored-ledger';

/** What the flow needs to know of a type of resource: its arguments, and its rules. */
export interface Flow<Inputs extends object, Shown extends Item> extends Rules {
  readonly arguments: ArgumentTable<Inputs, Shown, object, string>;
  /** Whether only the resource shows what has become of an operation. */
  readonly isBlind: boolean;
  /** Whether operations of earlier runs may still change an existing resource that is taken over. */
  readonly mayHavePast: (item: Shown, origin: 'own' | 'adopted') => boolean;
}

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
  const { kind, item } = creation;
  return kind === 'new'
    ? situationOfNew(flow, inputs, item, creation.operations)
    : situationOfFound(flow, inputs, item, kind, creation.writes);
}

/** The situation after the response to a create: all that the program gives is sent, but for its name and what comes last. */
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
  const begun = evolve(created, { kind: 'accepted', names: [], started, isRepeated: false }, flow);
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
  origin: 'own' | 'adopted',
  writes: Situation['writes'],
): Situation {
  const isOwn = origin === 'own';
  const past = flow.mayHavePast(item, origin) ? 'uncertain' : 'closed';
  const ledger = isOwn ? nameLast(inputs, item) : emptyLedger;
  const found: Situation = { ...newSituation(inputs, flow.isBlind), origin, past, ledger, item, writes };
  const names = flow.arguments.findTakeOverChanges(item, inputs, isOwn);
  return evolve(found, { kind: 'asked', names }, flow);
}

/** The part of a resource that follows from its arguments. @param before the outputs in state, if it is there */
export function describeArguments<Inputs extends object, Shown extends Item, Outputs extends Inputs>(
  { arguments: table, effectsOf, repeatable, isRecorded }: Flow<Inputs, Shown>,
  inputs: Inputs,
  before: Outputs | undefined,
) {
  return {
    effectsOf,
    repeatable,
    isRecorded,
    before,
    findDrift: (item, names) => table.findDrift(item, inputs, names),
    isResettable: table.isResettable,
    isAsBefore: (item, name) => !before || table.isReported(item, before, name),
  } satisfies Partial<Resource<Shown, Outputs>>;
}

/** The ledger of a resource that its create has given a derived name: its own name comes last. */
function nameLast({ name }: Named, item: Item): Ledger {
  return moveTo(emptyLedger, 'last', name !== undefined && name !== item.name ? ['name'] : []);
}
