import { difference, intersection, union } from 'lodash';
import type { Operation } from '../control-api/wire-types';
import { isFailed, isUnfinished, outcomeOf } from '../operations/operation-outcome';

/**
 * How far an argument has come on its way to the service.
 * - `asked`: the program asks for it, and nothing of it has been sent. It is never stored: the next diff asks again.
 * - `due`: to be sent, whether or not a diff asks for it: an earlier request has failed, or its outcome is unknown.
 * - `untraced`: accepted, but the service had the value already: an earlier request has started what applies it, and may have failed.
 * - `sent`: accepted by the service in this run.
 * - `last`: sent after everything else: the name of a create, because until then the derived name proves whose the resource is.
 */
export type Stage = 'asked' | 'due' | 'untraced' | 'sent' | 'last';

/**
 * What the service owes to the program.
 * - `config`: an applied configuration.
 * - `stop`, `move`, `restart`: a suspension, and why. A stop is void once the program enables the endpoint. A move leaves the
 *   compute idle. A restart owes a start, from the moment when its suspension had an effect.
 * - `start`: a start of the compute.
 * - `data`, `schema`: what a new branch starts with.
 */
export const debts = ['config', 'stop', 'move', 'restart', 'start', 'data', 'schema'] as const;
export type Owed = (typeof debts)[number];

/** What an operation pays when it succeeds. Other actions pay nothing; they are only waited for. */
const payments: Readonly<Record<string, readonly Owed[]>> = {
  apply_config: ['config'],
  suspend_compute: ['stop', 'move', 'restart'],
  start_compute: ['start'],
  create_branch: ['data'],
  apply_schema_from_branch: ['schema'],
};
const suspensionReasons = paymentOf('suspend_compute');
/** What the creation of a branch owes. Only a ready branch shows that it has both. */
export const creationDebts = ['data', 'schema'] as const;

/** What the service still owes to the program. Between two runs, the state holds it. */
export interface Ledger {
  readonly stages: Readonly<Record<string, Stage | undefined>>;
  readonly owed: readonly Owed[];
  /** The newest operation of each action that was to pay a debt, and has not. */
  readonly operations: readonly Operation[];
  /** The ledger accounts for every operation created up to this time of the service. Milliseconds; 0: not known. */
  readonly since: number;
}

export const emptyLedger: Ledger = { stages: {}, owed: [], operations: [], since: 0 };

type WithAction = Pick<Operation, 'action'>;

export function paymentOf(action: string): readonly Owed[] {
  return payments[action] ?? [];
}

export function isSuspension({ action }: WithAction): boolean {
  return action === 'suspend_compute';
}

export function isStart({ action }: WithAction): boolean {
  return action === 'start_compute';
}

export function isConfig({ action }: WithAction): boolean {
  return action === 'apply_config';
}

/** Whether it gives a new branch its data or its schema. */
export function isCreation({ action }: WithAction): boolean {
  return intersection(creationDebts, paymentOf(action)).length > 0;
}

/** Whether it has not succeeded, and so has paid nothing. */
export function isUnpaid(operation: Operation): boolean {
  return outcomeOf(operation) !== 'succeeded';
}

export function namesAt({ stages }: Ledger, ...wanted: readonly Stage[]): string[] {
  return Object.keys(stages).filter((name) => wanted.some((stage) => stages[name] === stage));
}

export function moveTo(ledger: Ledger, stage: Stage | undefined, names: readonly string[]): Ledger {
  const moved = Object.fromEntries(names.map((name) => [name, stage]));
  return { ...ledger, stages: { ...ledger.stages, ...moved } };
}

/** Adds what the program asks for. An argument that is due, untraced or sent last keeps its stage. */
export function ask(ledger: Ledger, names: readonly string[]): Ledger {
  return moveTo(ledger, 'asked', difference(names, namesAt(ledger, 'due', 'untraced', 'last')));
}

export function owe(ledger: Ledger, ...owed: readonly Owed[]): Ledger {
  return { ...ledger, owed: union(ledger.owed, owed) };
}

/** What these operations are to pay. A suspension alone does not show its reason, so it adds no debt. */
export function oweFor(ledger: Ledger, started: readonly Operation[]): Ledger {
  return owe(
    ledger,
    ...(started.some(isConfig) ? (['config'] as const) : []),
    ...(started.some(isStart) ? (['start'] as const) : []),
    ...started.filter(isCreation).flatMap(({ action }) => paymentOf(action)),
  );
}

/** Whether an operation under way is going to pay it. */
export function isUnderWay({ operations }: Pick<Ledger, 'operations'>, ...anyOf: readonly Owed[]): boolean {
  return operations.some(
    (each) => isUnfinished(each) && intersection(paymentOf(each.action), anyOf).length > 0,
  );
}

/** Whether it is owed, and nothing under way is going to pay it. */
export function isDue(ledger: Ledger, ...anyOf: readonly Owed[]): boolean {
  return !isUnderWay(ledger, ...anyOf) && intersection(ledger.owed, anyOf).length > 0;
}

/** The reasons for which the compute has to go down. */
export function findSuspensionReasons({ owed }: Pick<Ledger, 'owed'>, isStopped: boolean): readonly Owed[] {
  return reasonsAmong(owed).filter((reason) => reason !== 'stop' || isStopped);
}

/** The debts among these that a suspension pays. */
export function reasonsAmong(owed: readonly Owed[]): readonly Owed[] {
  return intersection(suspensionReasons, owed);
}

/** Removes these debts and the operations that were to pay them. An action that pays nothing stays until the read-back. */
export function pay(ledger: Ledger, ...paid: readonly Owed[]): Ledger {
  const owed = difference(ledger.owed, paid);
  const isNeeded = (operation: Operation) => {
    const payment = paymentOf(operation.action);
    const isOpen = intersection(owed, payment).length > 0;
    const isVoid = isSuspension(operation) && intersection(paid, payment).length > 0;
    return isOpen || payment.length === 0 || (isUnfinished(operation) && !isVoid);
  };
  return { ...ledger, owed, operations: ledger.operations.filter(isNeeded) };
}

/** Without the failed operations that pay nothing: nothing can repeat them. */
export function forgetUnpayable(ledger: Ledger): Ledger {
  const operations = ledger.operations.filter(
    (each) => isUnfinished(each) || paymentOf(each.action).length > 0,
  );
  return { ...ledger, operations };
}

export function paySuspension(ledger: Ledger): Ledger {
  return pay(ledger, ...suspensionReasons);
}

/** What the operations that have succeeded have paid. */
export function settle(ledger: Ledger, isStopped: boolean): Ledger {
  const suspendedAt = Math.max(0, ...ledger.operations.filter(isSuspension).map(timeOf));
  // A start older than the suspension does not count.
  const counts = (operation: Operation) => !isStart(operation) || timeOf(operation) >= suspendedAt;
  const done = ledger.operations.filter((each) => !isUnpaid(each) && counts(each));
  const paid = done.flatMap(({ action }) => paymentOf(action));
  const operations = ledger.operations.filter(isUnpaid);
  const left = pay({ ...ledger, operations }, ...paid);
  if (!isStopped) return left;
  // A change of size has restarted a compute whose stop had failed.
  if (paid.includes('start') && ledger.owed.includes('start')) return owe(left, 'stop');
  const isDown = findSuspensionReasons(left, isStopped).length === 0 && isDue(left, 'start');
  // A stopped compute that is down needs no start.
  return isDown && namesAt(left, 'asked', 'due').includes('disabled') === false ? pay(left, 'start') : left;
}

/** Adds operations. A newer one of the same action replaces the older. */
export function record(ledger: Ledger, seen: readonly Operation[]): Ledger {
  const newest = new Map(ledger.operations.map((operation) => [operation.action, operation]));
  for (const operation of seen) {
    const known = newest.get(operation.action);
    if (!known || known.id === operation.id || timeOf(operation) >= timeOf(known))
      newest.set(operation.action, operation);
  }
  return { ...ledger, operations: [...newest.values()] };
}

/** @param listed newest first */
export function newestOfEach(listed: readonly Operation[]): readonly Operation[] {
  return record(emptyLedger, [...listed].reverse()).operations;
}

/** An operation that only the state records has no time: it is older than any that the service shows. */
export function timeOf({ created_at }: Operation): number {
  return Date.parse(created_at) || 0;
}

/** Everything that is not settled: arguments, debts and operations. */
export function findLeft(ledger: Ledger): readonly string[] {
  const operations = ledger.operations.map(({ action, id }) => `${action} ${id}`);
  return [...namesAt(ledger, 'asked', 'due', 'untraced', 'last'), ...ledger.owed, ...operations];
}

export function hasFailed({ operations }: Ledger): boolean {
  return operations.some(isFailed);
}
