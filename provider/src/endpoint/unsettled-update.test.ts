import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { failedOf } from '../../../tests/support/operation';
import { describeUnsettled } from './change-impact';
import { toOutputs } from './endpoint-state';

const outputs = toOutputs(endpointOf(), declared);

describe('describeUnsettled', () => {
  const unfinished = { action: 'apply_config', id: 'op-2', status: 'running' };

  it('names the operations that are unfinished', () => {
    const unsettledOperations = [
      { ...unfinished, id: 'op-1', status: 'finished' },
      unfinished,
      { ...unfinished, id: 'op-3', status: 'scheduling' },
    ];
    expect(describeUnsettled({ ...outputs, unsettledOperations })).toBe(
      'the last update did not finish: `pulumi up` resumes apply_config op-2 (running), apply_config op-3 (scheduling)',
    );
  });

  it('says that a suspension that is repeated drops connections', () => {
    const unsettledOperations = [{ ...unfinished, action: 'suspend_compute' }];
    expect(describeUnsettled({ ...outputs, unsettledOperations })).toMatch(/, which may drop connections$/);
  });

  it('names the operations that have failed', () => {
    expect(describeUnsettled({ ...outputs, unsettledOperations: [failedOf('start_compute')] })).toBe(
      'the last update did not finish: `pulumi up` resumes start_compute op-1 (failed)',
    );
  });

  it('says when values are applied after a failed apply_config', () => {
    const unsettledOperations = [failedOf('apply_config')];
    expect(describeUnsettled({ ...outputs, unsettledOperations })).toBe(
      'the last update did not finish, apply_config op-1 (failed): the compute applies the new values at the latest when it starts next',
    );
  });

  it('names what else is owed after a failed apply_config', () => {
    const unsettledOperations = [failedOf('apply_config')];
    expect(
      describeUnsettled({ ...outputs, unsettledOperations, __ledger: { owed: ['start', 'config'] } }),
    ).toBe('the last update did not finish: `pulumi up` resumes apply_config op-1 (failed), start');
  });

  it('names the arguments that were not applied', () => {
    expect(describeUnsettled({ ...outputs, __ledger: { due: ['name', 'branchId'] } })).toBe(
      'the last update did not finish: `pulumi up` resumes name, branchId',
    );
  });

  it('says that operations may be under way after an unknown outcome', () => {
    expect(describeUnsettled({ ...outputs, __ledger: { past: 'uncertain' } })).toBe(
      'the last update did not finish: `pulumi up` resumes the operations that it had started',
    );
  });

  it('names everything that is unfinished, failed or not applied', () => {
    const left = {
      unsettledOperations: [failedOf('start_compute'), unfinished],
      __ledger: { due: ['name'] },
    };
    expect(describeUnsettled({ ...outputs, ...left })).toBe(
      'the last update did not finish: `pulumi up` resumes name, start_compute op-1 (failed), apply_config op-2 (running)',
    );
  });
});
