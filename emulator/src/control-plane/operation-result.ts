import type { OperationEffect } from '../faults/faults';
import type { Operation } from '../records/wire-types';

/** What an operation shows of how it ended. */
export interface OperationResult {
  readonly status: string;
  readonly error?: string;
  readonly failures: number;
}

export const FINISHED: OperationResult = { status: 'finished', failures: 0 };

export function cancelled(error: string): OperationResult {
  return { status: 'cancelled', error, failures: 0 };
}

export function failed(error: string): OperationResult {
  return { status: 'failed', error, failures: 1 };
}

export function failedByFault(
  { action }: Operation,
  { status = 'failed', error = `${action} failed because of an injected fault` }: FailureEffect,
): OperationResult {
  return { status, error, failures: 1 };
}

type FailureEffect = Extract<OperationEffect, { kind: 'operation-fails' }>;
