import type { Operation } from '../control-api/wire-types';
import { emptyLedger, type Ledger, type Owed } from './ledger';
import type { Properties } from './resource-identity';

/** What the flow reads of an endpoint or a branch, as the service sends it. */
export interface Item {
  readonly id: string;
  readonly name?: string | undefined;
  readonly created_at: string;
  readonly updated_at?: string | undefined;
  readonly current_state: string;
  readonly pending_state?: string | undefined;
  readonly disabled?: boolean | undefined;
}

/** A compute that is starting counts as active. A disabled endpoint has an active one only after a failed stop. */
export function isUp({ current_state: state, pending_state: next = state, disabled }: Item): boolean {
  return disabled ? state === 'active' && next === 'active' : state === 'active' || next === 'active';
}

/** Where a run has the resource from: from the state, by creating it, as an earlier create of its own, or by adopting it. */
export type Origin = 'in state' | 'new' | TakenOver;
export type TakenOver = 'own' | 'adopted';

/** Everything that a create or an update knows: one immutable value. `decide` reads it, and `evolve` makes the next one. */
export interface Situation {
  /** What the program declares. */
  readonly inputs: Properties;
  readonly origin: Origin;
  /** Up to this time of the service, the state accounts for operations. Milliseconds; 0: not known. */
  readonly since: number;
  readonly ledger: Ledger;
  /** The operations that this run has started, as last seen: it fails with them, and with no others. */
  readonly own: readonly Operation[];
  /** Earlier runs left: nothing; what the state records; or possibly more (a kill or a lost response). */
  readonly past: 'closed' | 'recorded' | 'uncertain';
  /** Whether this run has written something. `unknown`: the response to the last write was lost. */
  readonly writes: 'none' | 'accepted' | 'unknown';
  /** The newest view of the resource, by a read or a response. */
  readonly item: Item | undefined;
  /** Whether a read since the last write agrees with what was sent. */
  readonly view: 'open' | 'agreed' | 'differs';
  /** Whether an operation may have ended unseen, so that only the resource shows the outcome. */
  readonly isBlind: boolean;
}

/** Before anything is known of the resource. */
export function newSituation(inputs: object, isBlind = false): Situation {
  return {
    inputs: { ...inputs },
    origin: 'in state',
    since: 0,
    ledger: emptyLedger,
    own: [],
    past: 'closed',
    writes: 'none',
    item: undefined,
    view: 'open',
    isBlind,
  };
}

/** Whether this run has started it. */
export function isOwn({ own }: Pick<Situation, 'own'>, { id }: Operation): boolean {
  return own.some((each) => each.id === id);
}

/** Whether the program waits for the operations of this run. */
export function isWaiting({ inputs }: Pick<Situation, 'inputs'>): boolean {
  return inputs.waitForOperations !== false;
}

/** Whether the program declares the endpoint as stopped. */
export function isStopped({ inputs }: Pick<Situation, 'inputs'>): boolean {
  return inputs.disabled === true;
}

/** Whether the program asks for a restart or a reset that nothing has been sent for. */
export function asksFor(
  triggers: 'restartTriggers' | 'resetTriggers',
  { ledger }: Pick<Situation, 'ledger'>,
): boolean {
  return ledger.stages[triggers] === 'asked';
}

/** What a run learns. Each kind is one fact. */
export type Event =
  | { readonly kind: 'asked'; readonly names: readonly string[] }
  /** A read, or the response to a write, shows the resource. */
  | { readonly kind: 'shown' | 'answered'; readonly item: Item }
  /** The outcome of a write is unknown. It may be sent again. */
  | { readonly kind: 'lost' }
  /** The step has failed with an error. */
  | { readonly kind: 'broken off'; readonly step: Step; readonly names: readonly string[] }
  | { readonly kind: 'progress'; readonly operations: readonly Operation[] }
  | {
      readonly kind: 'waited';
      readonly awaited: readonly Operation[];
      readonly operations: readonly Operation[];
    }
  /** The operations of earlier runs that the state does not account for, newest first. */
  | { readonly kind: 'observed'; readonly listed: readonly Operation[] }
  | {
      readonly kind: 'accepted';
      readonly names: readonly string[];
      readonly started: readonly Operation[];
    }
  /** What an earlier request for the untraced arguments has started. */
  | { readonly kind: 'traced'; readonly found: readonly Operation[] }
  | {
      readonly kind: 'controlled';
      readonly verb: 'suspend' | 'start';
      readonly found: readonly Operation[];
      /** Whether this run has started what was found. */
      readonly isOwn: boolean;
      /** Whether the compute is on its way to what was requested. */
      readonly isUnderWay: boolean;
    }
  | { readonly kind: 'read back'; readonly item: Item; readonly drift: readonly string[] };

export type Step =
  | 'fail'
  | 'wait'
  | 'observe'
  | 'trace'
  | 'send'
  | 'reset'
  | 'suspend'
  | 'start'
  | 'read back'
  | 'rename'
  | 'done';

/** What the flow needs to know of a type of resource to decide: pure, and the same for every run. */
export interface Rules {
  /** What sending these may owe. */
  readonly effectsOf: (names: readonly string[], inputs: Properties) => readonly Owed[];
  /** What to send again after a failed `apply_config`, although no value differs. */
  readonly repeatable: (inputs: Properties) => readonly string[];
  /** Whether the ledger records it. The run also waits for others that its requests start, and fails with them. */
  readonly isRecorded: (operation: Operation, item: Item | undefined) => boolean;
}

/** The time up to which the state accounts for operations, by the clock of the service. Without a record: the creation of the item. */
export function sinceOf({ since }: Situation, { created_at: createdAt }: Item): number {
  return since || Date.parse(createdAt) - 1;
}
