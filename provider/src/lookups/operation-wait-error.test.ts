import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { makeRedactor } from '../control-api/redaction';
import type { WaitResult } from '../operations/wait-for-operations';
import { OperationWaitError, requireSuccess } from './operation-wait-error';

const redact = makeRedactor(['canary-key']);

const finished = operationOf({ id: 'op-0', status: 'finished' });

/** The error for this result, after 61 s. */
function errorOf(result: WaitResult): unknown {
  try {
    return requireSuccess(result, 61_400, redact);
  } catch (error) {
    return error;
  }
}

describe('requireSuccess', () => {
  it('returns the operations if all succeeded', () => {
    const operations = [finished];
    expect(requireSuccess({ outcome: 'succeeded', operations }, 61_400, redact)).toBe(operations);
  });

  it('throws with the failed operations, and all of them as a property', () => {
    const operations = [finished, operationOf({ status: 'failed', error: 'no capacity' })];
    const error = errorOf({ outcome: 'failed', operations });
    expect(error).toBeInstanceOf(OperationWaitError);
    expect(error).toMatchObject({
      message: 'Not every operation succeeded: start_compute op-1 failed: no capacity.',
      outcome: 'failed',
      operations: [
        { id: 'op-0', status: 'finished' },
        { id: 'op-1', status: 'failed', error: 'no capacity' },
      ],
    });
  });

  it('throws with the unfinished operations and the time waited', () => {
    const operations = [finished, operationOf()];
    expect(errorOf({ outcome: 'timed out', operations })).toMatchObject({
      message: 'Still unfinished after 61 s: start_compute op-1 running.',
      outcome: 'timed out',
    });
  });

  it('says why the last poll failed', () => {
    const operations = [operationOf()];
    expect(errorOf({ outcome: 'timed out', operations, pollFailure: 'poll: 503' })).toMatchObject({
      message: 'Still unfinished after 61 s (the last poll failed: poll: 503): start_compute op-1 running.',
    });
  });

  it("redacts and escapes the service's error message", () => {
    const operations = [operationOf({ status: 'failed', error: 'bad canary-key\u001b[2J\n##[error]' })];
    expect(errorOf({ outcome: 'failed', operations })).toMatchObject({
      message: 'Not every operation succeeded: start_compute op-1 failed: bad ***\\u001b[2J \\u0023#[error].',
      operations: [{ error: 'bad ***\\u001b[2J \\u0023#[error]' }],
    });
  });
});
