import * as z from 'zod';
import type { Operation } from '../control-api/wire-types';
import {
  debts,
  emptyLedger,
  isStart,
  isSuspension,
  type Ledger,
  moveTo,
  namesAt,
  type Owed,
  record,
} from './ledger';
import type { Unsettled } from './resource-state';
import type { Situation } from './situation';

// Names only, never a value: that may be a secret.
const storedShape = z.strictObject({
  /** The arguments that the next update sends, whether or not the program changes them. */
  due: z.array(z.string()).optional(),
  owed: z.array(z.enum(debts)).optional(),
  /** Up to when this accounts for operations, by the clock of the service. ISO 8601. */
  since: z.iso.datetime().optional(),
  /** A run was cut off before it had seen all operations of earlier runs. */
  past: z.literal('uncertain').optional(),
});

const operationsShape = z.array(z.object({ id: z.string(), action: z.string(), status: z.string() }));

type StoredLedger = Readonly<z.infer<typeof storedShape>>;

type Past = Pick<Situation, 'ledger' | 'since' | 'past'>;

/** The outputs that show what earlier runs have left. */
type Left = Unsettled & { readonly disabled?: boolean | undefined };

/**
 * What earlier runs have left.
 * @throws Error when the state holds something that this release does not know
 */
export function readLedger(outputs: Left, isKnown: (name: string) => boolean): Past {
  const { due = [], owed = [], since = '', past } = parse(outputs);
  const unknown = due.filter((name) => !isKnown(name));
  if (unknown.length > 0) throw unreadable(`the arguments ${unknown.join(', ')} are not known`);
  const unsettledOperations = parseOperations(outputs.unsettledOperations);
  const times = { project_id: '', failures_count: 0, created_at: '', updated_at: '' };
  const operations = unsettledOperations.map((each): Operation => ({ ...times, ...each }));
  const sinceAt = Date.parse(since) || 0;
  const named = moveTo({ ...emptyLedger, owed, since: sinceAt }, 'due', due);
  const isOpen = owed.length > 0 || operations.length > 0;
  return {
    ledger: record(named, operations),
    since: sinceAt,
    past: past ?? (isOpen ? 'recorded' : 'closed'),
  };
}

function parse(outputs: Left): StoredLedger {
  const { __ledger } = outputs;
  if (__ledger === undefined) return parseVersion1(outputs);
  const { data, error } = storedShape.safeParse(__ledger);
  if (data) return data;
  throw unreadable(describeIssues(error));
}

function parseOperations(stored: unknown) {
  const { data, error } = operationsShape.safeParse(stored ?? []);
  if (error) throw unreadable(`unsettledOperations: ${describeIssues(error)}`);
  return data;
}

function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}

function unreadable(what: string): Error {
  return new Error(
    `the state holds a __ledger that this release can't read (${what}). Nothing was changed. Use the release that wrote the state, or a later one.`,
  );
}

/** Version 1 had names alone: what is owed follows from them and from the operations. It is never written again. */
function parseVersion1({ __unapplied = [], unsettledOperations = [], disabled }: Left): StoredLedger {
  const hasStart = unsettledOperations.some(isStart);
  const reason = hasStart ? 'restart' : disabled ? 'stop' : 'move';
  const owed: Owed[] = [
    ...(unsettledOperations.some(isSuspension) ? [reason as Owed] : []),
    ...(hasStart ? (['start'] as const) : []),
    ...(__unapplied.includes('restartTriggers') ? (['restart', 'start'] as const) : []),
    ...(unsettledOperations.some(({ action }) => action === 'apply_config') ? (['config'] as const) : []),
    ...(unsettledOperations.some(({ action }) => action === 'create_branch') ? (['data'] as const) : []),
  ];
  const due = __unapplied.filter((name) => !['adopt', 'restartTriggers'].includes(name));
  const isUncertain = __unapplied.length > 0 && unsettledOperations.length === 0;
  return { due, owed, ...(isUncertain && { past: 'uncertain' as const }) };
}

/** The outputs that hold what a run leaves. Absent, not undefined, where nothing is left: the engine refuses undefined values. */
export function writeLedger(ledger: Ledger, past?: 'uncertain'): Unsettled {
  const { owed, operations, since } = ledger;
  const due = namesAt(ledger, 'due', 'untraced');
  const stored: StoredLedger = {
    ...(due.length > 0 && { due }),
    ...(owed.length > 0 && { owed: [...owed] }),
    ...(since > 0 && { since: new Date(since).toISOString() }),
    ...(past && { past }),
  };
  return {
    ...(operations.length > 0 && {
      unsettledOperations: operations.map(({ id, action, status }) => ({ id, action, status })),
    }),
    ...(Object.keys(stored).length > 0 && { __ledger: stored }),
  };
}

/**
 * What a failed run leaves.
 * @param resendable further arguments to send again: after a failure the engine keeps the old inputs, so removing one of these would
 *   not reset it
 */
export function writeFailedLedger(
  { ledger, past, writes }: Situation,
  resendable: readonly string[],
): Unsettled {
  const isUncertain = past === 'uncertain' || writes === 'unknown';
  return writeLedger(moveTo(ledger, 'due', resendable), isUncertain ? 'uncertain' : undefined);
}
