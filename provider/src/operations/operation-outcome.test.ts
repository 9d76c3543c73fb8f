import { expect, it } from 'vitest';
import { describeOperation, isFailed, isUnfinished, outcomeOf, statusLabel } from './operation-outcome';

it.each([
  ['scheduling', 'unfinished', 'Scheduling'],
  ['running', 'unfinished', 'In progress'],
  ['cancelling', 'unfinished', 'Cancelling'],
  ['finished', 'succeeded', 'OK'],
  ['skipped', 'succeeded', 'Skipped'],
  ['failed', 'failed', 'Error'],
  ['error', 'failed', 'Error'],
  ['cancelled', 'failed', 'Cancelled'],
  ['paused', 'unfinished', 'paused'],
  ['constructor', 'unfinished', 'constructor'],
])('status %s has the outcome %s and the label %s', (status, outcome, label) => {
  expect([outcomeOf({ status }), statusLabel(status)]).toEqual([outcome, label]);
  expect([isFailed({ status }), isUnfinished({ status })]).toEqual([
    outcome === 'failed',
    outcome === 'unfinished',
  ]);
});

it('describeOperation includes the error message of the service', () => {
  const operation = { id: 'op-1', action: 'start_compute', status: 'failed', error: 'no capacity' };
  expect(describeOperation(operation)).toBe('start_compute op-1 failed: no capacity');
});
