import { expect, it } from 'vitest';
import { declared } from '../../../tests/support/endpoint';
import { type EndpointInputs, type InputName, unknownValue } from '../endpoint/endpoint-inputs';
import { describeLimits } from './limit-notes';

function limitsOf(change: Partial<Record<InputName, unknown>>): string[] {
  // Unknown values stand where the types want the real ones.
  const inputs = { ...declared, suspendTimeoutSeconds: 300, ...change } as EndpointInputs;
  return describeLimits(Object.keys(change) as InputName[], inputs);
}

it('max_connections stays that of the minimum while the compute grows', () => {
  expect(limitsOf({ autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 4 })).toEqual([
    'max_connections is 225, set from the minimum of 0.5 CU; it does not grow up to 4 CU',
  ]);
});

it('an autosuspend delay below a minute may be refused by the plan', () => {
  expect(limitsOf({ suspendTimeoutSeconds: 59 })).toEqual([
    "suspendTimeoutSeconds is 59: the service's plan may refuse less than 60 s",
  ]);
});

it.each([
  ['of a fixed size', { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 }],
  ['of a size that is not known yet', { autoscalingLimitMinCu: unknownValue, autoscalingLimitMaxCu: 2 }],
  ['of a size that the table does not list', { autoscalingLimitMinCu: 9, autoscalingLimitMaxCu: 12 }],
  ['of a change of the maximum alone', { autoscalingLimitMaxCu: 8 }],
  ['of a delay of a minute', { suspendTimeoutSeconds: 60 }],
  ['of the default delay', { suspendTimeoutSeconds: 0 }],
  ['of no autosuspend', { suspendTimeoutSeconds: -1 }],
])('says nothing %s', (_, change) => {
  expect(limitsOf(change)).toEqual([]);
});
