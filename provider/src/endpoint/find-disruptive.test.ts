import { describe, expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { unknownValue } from '../lifecycle/input-values';
import { findDisruptive } from './change-impact';

describe('findDisruptive', () => {
  it.each([
    ['projectId', true],
    ['branchId', true],
    ['autoscalingLimitMinCu', true],
    ['restartTriggers', true],
    ['name', false],
    ['pgSettings', false],
    ['waitForOperations', false],
  ] as const)('of a change of %s is %s', (name, expected) => {
    expect(findDisruptive([name], declared).length > 0).toBe(expected);
  });

  it.each([
    [true, true],
    // No client is connected to a disabled endpoint.
    [false, false],
    [unknownValue, true],
  ])('of a change of disabled to %s is %s', (value, expected) => {
    expect(findDisruptive(['disabled'], { ...declared, disabled: value as boolean }).length > 0).toBe(
      expected,
    );
  });
});
