import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { operationOf } from '../../../tests/support/operation';
import { describeSettlement, PresentableError, UnsettledEndpointError } from './endpoint-error';
import { toOutputs } from './endpoint-outputs';

describe('describeSettlement', () => {
  it('names the operations that failed, how often they did, and no other', () => {
    const operations = [
      operationOf({ id: 'op-1', action: 'apply_config', status: 'finished' }),
      operationOf({ id: 'op-2', status: 'failed', error: 'no capacity', failures_count: 3 }),
      operationOf({ id: 'op-3', action: 'suspend_compute', status: 'failed', failures_count: 1 }),
    ];
    expect(describeSettlement('update', 'ep-1', { outcome: 'failed', operations }, 5_000)).toBe(
      'update of endpoint ep-1: operation start_compute op-2 failed: no capacity (3 failures), suspend_compute op-3 failed. ' +
        'The endpoint is kept in state; the next `pulumi up` retries what failed.',
    );
  });

  it.each([
    [61_400, '61 s'],
    [300, '0.3 s'],
  ])('names the operations that are unfinished after %d ms, and how to wait longer', (waitedMs, waited) => {
    const operations = [
      operationOf({ id: 'op-1', action: 'apply_config', status: 'finished' }),
      operationOf({ id: 'op-2' }),
    ];
    expect(describeSettlement('create', 'ep-1', { outcome: 'timed out', operations }, waitedMs)).toBe(
      `create of endpoint ep-1: still waiting for start_compute op-2 running after ${waited}. ` +
        'The endpoint is kept in state; the next `pulumi up` continues to wait. `timeouts` sets how long that may take.',
    );
  });
});

describe('a PresentableError', () => {
  it('is one sentence as the engine prints it, without a stack', () => {
    const error = new PresentableError('the service is gone');
    // How the host of dynamic providers words what check, diff, read and delete throw.
    expect(`${error}: ${error.stack}`).toBe('pulumi-postgres-compute: the service is gone');
    expect(error.message).toBe('the service is gone');
  });

  it('has no cause, which crash output would print unredacted', () => {
    expect(new PresentableError('the service is gone')).not.toHaveProperty('cause');
  });
});

describe('an UnsettledEndpointError', () => {
  const outputs = toOutputs(endpointOf(), declared, [operationOf()]);
  const error = new UnsettledEndpointError('the key canary-key is wrong', 'ep-1', outputs, {
    cause: new Error('canary-key'),
  });

  it('carries the id and the outputs that the engine keeps in state', () => {
    expect([error.id, error.properties, error.reasons]).toEqual([
      'ep-1',
      outputs,
      ['the key canary-key is wrong'],
    ]);
  });

  it('carries them on in other words, and nothing of the former ones', () => {
    const redacted = error.withMessage('the key *** is wrong');
    expect(redacted).toBeInstanceOf(UnsettledEndpointError);
    expect([redacted.id, redacted.properties]).toEqual(['ep-1', outputs]);
    expect([redacted.message, redacted.reasons, redacted.stack, redacted.cause]).toEqual([
      'the key *** is wrong',
      ['the key *** is wrong'],
      'the key *** is wrong',
      undefined,
    ]);
  });
});
