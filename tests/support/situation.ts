import type { Operation } from '../../provider/src/control-api/wire-types';
import { endpointFlow } from '../../provider/src/endpoint/endpoint-resource';
import { evolve } from '../../provider/src/lifecycle/evolve';
import { emptyLedger, type Ledger, type Owed, type Stage } from '../../provider/src/lifecycle/ledger';
import type { Event, Item, Rules, Situation } from '../../provider/src/lifecycle/situation';
import { newSituation } from '../../provider/src/lifecycle/situation';
import { operationOf } from './operation';

/** An endpoint as far as the flow reads it. */
export const activeItem: Item = {
  id: 'ep-1',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  current_state: 'active',
  disabled: false,
};

interface Left {
  readonly stages?: Readonly<Record<string, Stage>>;
  readonly owed?: readonly Owed[];
  readonly operations?: readonly Operation[];
}

export function ledgerOf({ stages = {}, owed = [], operations = [] }: Left): Ledger {
  return { ...emptyLedger, stages, owed, operations };
}

/** A run in which nothing is left to do, but for the change. */
export function situationOf(change: Partial<Omit<Situation, 'ledger'>> & Left = {}): Situation {
  const { stages, owed, operations, ...rest } = change;
  const ledger = ledgerOf({
    ...(stages && { stages }),
    ...(owed && { owed }),
    ...(operations && { operations }),
  });
  return { ...newSituation({}), view: 'agreed', item: activeItem, ...rest, ledger };
}

export const evolved = (situation: Situation, event: Event, rules: Rules = endpointFlow) =>
  evolve(situation, event, rules);

/** What is owed after the events. */
export const owedAfter = (situation: Situation, ...events: readonly Event[]) =>
  [...events.reduce((known, event) => evolved(known, event), situation).ledger.owed].sort();

export const suspension = (change: Partial<Operation> = {}) =>
  operationOf({ id: 'suspension', action: 'suspend_compute', ...change });
export const start = (change: Partial<Operation> = {}) => operationOf({ id: 'start', ...change });
export const config = (change: Partial<Operation> = {}) =>
  operationOf({ id: 'config', action: 'apply_config', ...change });
