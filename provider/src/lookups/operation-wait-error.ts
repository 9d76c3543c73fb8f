import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isFailed, isUnfinished } from '../operations/operation-outcome';
import { describePollFailure, type WaitResult } from '../operations/wait-for-operations';
import { type OperationState, toOperationStates } from './operation-state';

/** A wait that did not succeed: an operation failed, or was still unfinished at the deadline. */
export class OperationWaitError extends Error {
  override readonly name = 'OperationWaitError';
  /** `timed out` when no operation failed but some were unfinished at the deadline. */
  readonly outcome: 'failed' | 'timed out';
  /** Every operation that the call waited for, as last seen. */
  readonly operations: readonly OperationState[];

  /** @internal */
  constructor(message: string, outcome: 'failed' | 'timed out', operations: readonly OperationState[]) {
    super(message);
    this.outcome = outcome;
    this.operations = operations;
  }
}

/** @throws OperationWaitError unless every operation has succeeded @internal */
export function requireSuccess(
  { outcome, operations, pollFailure }: WaitResult,
  waitedMs: number,
  redact: Redact,
): readonly Operation[] {
  if (outcome === 'succeeded') return operations;
  // Only a provider process is interrupted so; there the resource reports its own error.
  const isFailure = outcome === 'failed';
  const culprits = operations.filter(isFailure ? isFailed : isUnfinished);
  const problem = isFailure
    ? 'Not every operation succeeded'
    : `Still unfinished after ${Math.round(waitedMs / 1000)} s${describePollFailure(pollFailure)}`;
  const message = `${problem}: ${culprits.map(describeOperation).join(', ')}.`;
  throw new OperationWaitError(
    toPrintable(redact(message)),
    isFailure ? 'failed' : 'timed out',
    toOperationStates(operations, redact),
  );
}
