import { describe, expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { failedOf } from '../../../tests/support/operation';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { unknownValue } from '../lifecycle/input-values';
import { isDisruptive } from './change-impact';

// The types do not include unknown values.
const inputsOf = (change: Partial<Record<keyof EndpointInputs, unknown>>) =>
  ({ ...declared, ...change }) as EndpointInputs;

describe('isDisruptive', () => {
  it.each([
    ['projectId', true],
    ['branchId', true],
    ['autoscalingLimitMinCu', true],
    ['restartTriggers', true],
    ['name', false],
    ['pgSettings', false],
    ['waitForOperations', false],
  ] as const)('for a change of %s is %s', (name, expected) => {
    expect(isDisruptive([name], declared)).toBe(expected);
  });

  it.each([
    [true, true],
    // No client is connected to a disabled endpoint.
    [false, false],
    [unknownValue, true],
  ])('for a change of disabled to %s is %s', (value, expected) => {
    expect(isDisruptive(['disabled'], inputsOf({ disabled: value }))).toBe(expected);
  });

  it('is true for a failed suspension, which is retried, and for no other failed operation', () => {
    expect(isDisruptive([], declared, [failedOf('start_compute'), failedOf('suspend_compute')])).toBe(true);
    expect(isDisruptive([], declared, [failedOf('start_compute'), failedOf('apply_config')])).toBe(false);
  });

  it('is false for a failed suspension of a stop that is taken back', () => {
    const inputs = inputsOf({ disabled: false });
    expect(isDisruptive(['disabled'], inputs, [failedOf('suspend_compute')])).toBe(false);
  });

  it('is false without changes and failed operations', () => {
    expect(isDisruptive([], declared)).toBe(false);
  });
});
