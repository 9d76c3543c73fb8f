import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { failedOf } from '../../../tests/support/operation';
import { toOutputs } from '../endpoint/endpoint-state';
import { DynamicPartialStateError, PresentableError } from './host-errors';

describe('a PresentableError', () => {
  it('does not repeat its message where the host prints it', () => {
    const error = new PresentableError('the service is gone');
    // The format in which the host of dynamic providers reports errors of check, diff, read and delete.
    expect(`${error}: ${error.stack}`).toBe('pulumi-postgres-compute: failed, as shown with the resource');
    expect(error.message).toBe('the service is gone');
  });

  it('has no cause, which crash output would print unredacted', () => {
    expect(new PresentableError('the service is gone')).not.toHaveProperty('cause');
  });
});

it('a DynamicPartialStateError carries the id and outputs for the state', () => {
  const outputs = toOutputs(endpointOf(), declared, { unsettledOperations: [failedOf('start_compute')] });
  const error = new DynamicPartialStateError('op-1 failed', 'ep-1', outputs);
  expect([error.id, error.properties, error.reasons]).toEqual(['ep-1', outputs, ['op-1 failed']]);
  expect(error.message).toBe('op-1 failed');
});
