import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished, outcomeOf } from './operation-outcome';
import { type OperationState, toOperationStates } from './operation-state';
import type { WaitResult } from './wait-for-operations';

/** Waiting that did not end in success: an operation failed, or was unfinished when the time was up. */
export class OperationWaitError extends Error {
  override readonly name = 'OperationWaitError';
  /** `timed out` when operations were unfinished when the time was up. */
  readonly outcome: 'failed' | 'timed out';
  /** Every operation that was waited for, as last seen. */
  readonly operations: readonly OperationState[];

  /** @internal */
  constructor(
    outcome: 'failed' | 'timed out',
    operations: readonly Operation[],
    waitedMs: number,
    redact: Redact,
  ) {
    super(toPrintable(redact(describe(outcome, operations, waitedMs))));
    this.outcome = outcome;
    this.operations = toOperationStates(operations, redact);
  }
}

/** @throws OperationWaitError unless every operation has succeeded */
export function requireSuccess(
  { outcome, operations }: WaitResult,
  waitedMs: number,
  redact: Redact,
): readonly Operation[] {
  if (outcome === 'succeeded') return operations;
  throw new OperationWaitError(outcome, operations, waitedMs, redact);
}

function describe(
  outcome: 'failed' | 'timed out',
  operations: readonly Operation[],
  waitedMs: number,
): string {
  if (outcome === 'failed') {
    const failed = operations.filter((operation) => outcomeOf(operation) === 'failed');
    return `Not every operation succeeded: ${failed.map(describeOperation).join(', ')}.`;
  }
  const seconds = Math.round(waitedMs / 1000);
  return `Still unfinished after ${seconds} s: ${operations.filter(isUnfinished).map(describeOperation).join(', ')}.`;
}
