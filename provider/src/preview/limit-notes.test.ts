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

it('describeLimits notes that max_connections follows the minimum size and does not grow', () => {
  expect(limitsOf({ autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4 })).toEqual([
    'max_connections is 225, set by the minimum of 0.5 CU; it stays the same when the compute scales up to 4 CU',
  ]);
});

it('describeLimits notes that the plan may refuse an autosuspend delay below a minute', () => {
  expect(limitsOf({ suspendTimeoutSeconds: 59 })).toEqual([
    "suspendTimeoutSeconds is 59: the service's plan may refuse less than 60 s",
  ]);
});

it.each([
  ['a fixed size', { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 }],
  [
    'a size that is unknown until the update',
    { autoscalingLimitMinCu: unknownValue, autoscalingLimitMaxCu: 2 },
  ],
  ['a size that the table does not list', { autoscalingLimitMinCu: 9, autoscalingLimitMaxCu: 12 }],
  ['a change of the maximum alone', { autoscalingLimitMaxCu: 8 }],
  ['an autosuspend delay of a minute', { suspendTimeoutSeconds: 60 }],
  ['the default autosuspend delay', { suspendTimeoutSeconds: 0 }],
  ['no autosuspend', { suspendTimeoutSeconds: -1 }],
])('describeLimits notes nothing about %s', (_, change) => {
  expect(limitsOf(change)).toEqual([]);
});
