import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import type { Endpoint } from '../control-api/wire-types';
import { readState } from '../dynamic/stored-properties';
import { declareEndpoint } from '../endpoint/declared-endpoint';
import { endpointArguments } from '../endpoint/endpoint-arguments';
import { findInputFailures } from '../endpoint/endpoint-inputs';
import type { PriorState } from '../endpoint/endpoint-state';
import { endpointType } from '../endpoint/endpoint-type';
import { isUnsettled } from '../lifecycle/resource-state';
import { foundEndpoint, toImportedResource } from './found-resource';

/** An endpoint as the service makes it when nothing is asked for: the default one of a branch. */
function plainEndpoint(change: Partial<Endpoint> = {}): Endpoint {
  const { name: _, ...endpoint } = endpointOf({
    autoscaling_limit_max_cu: 0.25,
    suspend_timeout_seconds: 0,
    settings: { pg_settings: {} },
    ...change,
  });
  return { ...endpoint, ...(change.name !== undefined && { name: change.name }) };
}

const plain = {
  projectId: 'p-1',
  branchId: 'br-1',
  type: 'read_write',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 0.25,
};

const variants: [string, Partial<Endpoint>, object][] = [
  ['only location, type and sizes for an endpoint with default settings', {}, {}],
  ['the name of a named endpoint', { name: 'api' }, { name: 'api' }],
  ['no empty name', { name: '' }, {}],
  [
    'an autosuspend delay other than the default',
    { suspend_timeout_seconds: -1 },
    { suspendTimeoutSeconds: -1 },
  ],
  ['an enabled pooler', { pooler_enabled: true }, { poolerEnabled: true }],
  ['a pooler mode other than the default', { pooler_mode: 'session' }, { poolerMode: 'session' }],
  [
    'existing Postgres settings',
    { settings: { pg_settings: { work_mem: '8MB' } } },
    { pgSettings: { work_mem: '8MB' } },
  ],
  ['no Postgres settings if the service reports none', { settings: {} }, {}],
  ['that the endpoint is disabled', { disabled: true }, { disabled: true }],
  ['that passwordless access is off', { passwordless_access: false }, { passwordlessAccess: false }],
  [
    'that the size is not listed',
    { autoscaling_limit_min_cu: 12, autoscaling_limit_max_cu: 16 },
    { autoscalingLimitMinCu: 12, autoscalingLimitMaxCu: 16, allowUnlistedSize: true },
  ],
];

describe('declareEndpoint', () => {
  it.each(variants)('declares %s', (_, change, difference) => {
    expect(declareEndpoint(plainEndpoint(change), true)).toEqual({ ...plain, ...difference });
  });

  it('declares no name that several endpoints share', () => {
    expect(declareEndpoint(plainEndpoint({ name: 'api' }), false)).toEqual(plain);
  });
});

describe('toImportedResource', () => {
  it.each(variants)('writes a state without a diff to a program that declares %s', (_, change) => {
    const endpoint = plainEndpoint(change);
    const declared = declareEndpoint(endpoint, true);
    const { outputs } = toImportedResource(foundEndpoint(endpoint, 'api', declared));
    expect(findInputFailures({ ...declared })).toEqual([]);
    const state = readState(endpointType, outputs) as unknown as PriorState; // Of an endpoint.
    expect(endpointArguments.findChanges(state, declared)).toEqual([]);
    expect(isUnsettled(state.outputs)).toBe(false);
  });

  it('stores the provider in the inputs and in the outputs', () => {
    const endpoint = plainEndpoint();
    const { inputs, outputs } = toImportedResource(
      foundEndpoint(endpoint, 'api', declareEndpoint(endpoint, true)),
    );
    expect(inputs.__provider).toMatch(/pulumi-postgres-compute\/runtime/);
    expect(outputs.__provider).toBe(inputs.__provider);
  });

  it('stores the size, so that a later size change shows as a restart', () => {
    const endpoint = plainEndpoint();
    const { inputs } = toImportedResource(foundEndpoint(endpoint, 'api', declareEndpoint(endpoint, true)));
    expect(inputs.restartOnChange).toBe('size 0.25 CU');
  });
});
