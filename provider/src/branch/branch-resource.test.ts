import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { branchFlow, isBecomingReady } from './branch-resource';

describe('isBecomingReady', () => {
  it.each([
    ['init', true],
    ['ready', false],
    // Its data is there, whatever it is on its way to.
    ['archived', false],
    ['resetting', false],
  ])('of a branch in state %s is %s', (current_state, expected) => {
    expect(isBecomingReady({ current_state })).toBe(expected);
  });
});

describe('branchFlow.isRecorded', () => {
  const branch = { id: 'br-1', created_at: '', current_state: 'ready' };

  it.each([
    ['of the branch', { branch_id: 'br-1' }, true],
    ['of its endpoint', { branch_id: 'br-1', endpoint_id: 'ep-1' }, false],
    ['of the branch that keeps its data', { branch_id: 'br-2' }, false],
    ['in state, without ids', {}, true],
  ])('of an operation %s', (_which, ids, expected) => {
    const operation = { ...operationOf({ action: 'create_branch' }), endpoint_id: undefined, ...ids };
    expect(branchFlow.isRecorded(operation, branch)).toBe(expected);
  });
});
