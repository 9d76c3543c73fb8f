import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { describeDeleteResult, describeWaitResult, type Subject } from './resource-errors';

const timeouts = '`timeouts`';

describe('describeWaitResult', () => {
  it('names only the failed operations, and how often each failed', () => {
    const operations = [
      operationOf({ id: 'op-1', action: 'apply_config', status: 'finished' }),
      operationOf({ id: 'op-2', status: 'failed', error: 'no capacity', failures_count: 3 }),
      operationOf({ id: 'op-3', action: 'apply_config', status: 'failed', failures_count: 1 }),
    ];
    expect(
      describeWaitResult(
        { action: 'update', kind: 'endpoint', id: 'ep-1' },
        { outcome: 'failed', operations },
        5_000,
        timeouts,
      ),
    ).toBe(
      'update of endpoint ep-1: operation start_compute op-2 failed: no capacity (3 failures), apply_config op-3 failed. ' +
        'The endpoint is kept in state; the next `pulumi up` does what is left.',
    );
  });

  it('says when a compute applies values, and that more may be left', () => {
    const operations = [operationOf({ action: 'apply_config', status: 'failed' })];
    const describeOf = (subject: Subject) =>
      describeWaitResult(subject, { outcome: 'failed', operations }, 5_000, timeouts);
    expect(describeOf({ action: 'update', kind: 'endpoint', id: 'ep-1' })).toMatch(
      /The endpoint is kept in state, and the compute applies the new values at the latest when it starts next; the next `pulumi up` does whatever else is left\.$/,
    );
    expect(describeOf({ action: 'update', kind: 'role', id: 'app' })).toMatch(/does what is left\.$/);
  });

  it.each([
    [61_400, '61 s'],
    [300, '0.3 s'],
  ])('names the operations unfinished after %d ms, and how to wait longer', (waitedMs, waited) => {
    const operations = [
      operationOf({ id: 'op-1', action: 'apply_config', status: 'finished' }),
      operationOf({ id: 'op-2' }),
    ];
    expect(
      describeWaitResult(
        { action: 'create', kind: 'endpoint', id: 'ep-1' },
        { outcome: 'timed out', operations },
        waitedMs,
        timeouts,
      ),
    ).toBe(
      `create of endpoint ep-1: still waiting for start_compute op-2 running after ${waited}. ` +
        'The endpoint is kept in state; the next `pulumi up` continues to wait. `timeouts` sets how long that may take.',
    );
  });

  it.each(['failed', 'timed out'] as const)('asks to repeat a delete that %s', (outcome) => {
    const operations = [operationOf({ status: outcome === 'failed' ? 'failed' : 'running' })];
    expect(
      describeDeleteResult(
        { action: 'delete', kind: 'endpoint', id: 'ep-1' },
        { outcome, operations },
        5_000,
      ),
    ).toMatch(/The endpoint is kept in state; run the command again\.$/);
  });
});
