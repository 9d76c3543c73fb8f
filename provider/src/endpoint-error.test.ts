import { describe, expect, it } from 'vitest';
import { operationOf } from '../../tests/fixtures/operation';
import { describeSettlement, PresentableError } from './endpoint-error';

describe('what did not end well', () => {
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

  it('names the operations that are unfinished, how long it waited, and how to wait longer', () => {
    const operations = [
      operationOf({ id: 'op-1', action: 'apply_config', status: 'finished' }),
      operationOf({ id: 'op-2' }),
    ];
    expect(describeSettlement('create', 'ep-1', { outcome: 'timed out', operations }, 61_400)).toBe(
      'create of endpoint ep-1: still waiting for start_compute op-2 running after 61 s. ' +
        'The endpoint is kept in state; the next `pulumi up` continues to wait. `timeouts` sets how long that may take.',
    );
  });
});

it('a failure as the engine prints it is one sentence, and no stack', () => {
  const error = new PresentableError('the service is gone');
  // How the host of dynamic providers words what check, diff, read and delete throw.
  expect(`${error}: ${error.stack}`).toBe('pulumi-postgres-compute: the service is gone');
});
