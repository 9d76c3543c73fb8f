import { expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import type { EndpointInputs, InputName } from '../endpoint/endpoint-inputs';
import { unknownValue } from '../lifecycle/input-values';
import { describeLimits } from './limit-notes';

function limitsOf(change: Partial<Record<InputName, unknown>>): string[] {
  // The types do not include unknown values.
  const inputs = { ...declared, suspendTimeoutSeconds: 300, ...change } as EndpointInputs;
  return describeLimits(Object.keys(change) as InputName[], inputs);
}

it('describeLimits notes a plan that may refuse delays below a minute', () => {
  expect(limitsOf({ suspendTimeoutSeconds: 59 })).toEqual([
    "suspendTimeoutSeconds is 59: the service's plan may refuse less than 60 s",
  ]);
});

it.each([
  ['a size', { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 }],
  ['a delay that is unknown until the update', { suspendTimeoutSeconds: unknownValue }],
  ['an autosuspend delay of a minute', { suspendTimeoutSeconds: 60 }],
  ['the default autosuspend delay', { suspendTimeoutSeconds: 0 }],
  ['no autosuspend', { suspendTimeoutSeconds: -1 }],
])('describeLimits notes nothing about %s', (_, change) => {
  expect(limitsOf(change)).toEqual([]);
});
