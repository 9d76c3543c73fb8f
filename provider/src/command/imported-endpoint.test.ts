import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import type { Endpoint } from '../control-api/wire-types';
import { readState } from '../dynamic/stored-properties';
import { findChanges } from '../endpoint/endpoint-changes';
import { findInputFailures } from '../endpoint/endpoint-inputs';
import { isUnsettled } from '../endpoint/endpoint-outputs';
import { declareEndpoint, toImportedResource } from './imported-endpoint';

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
  ['nothing but where it is, its type and its sizes when it is as the service made it', {}, {}],
  ['its name when it has one', { name: 'api' }, { name: 'api' }],
  ['no name when that is empty', { name: '' }, {}],
  [
    'the autosuspend delay when it is not the default',
    { suspend_timeout_seconds: -1 },
    { suspendTimeoutSeconds: -1 },
  ],
  ['the pooler when it is on', { pooler_enabled: true }, { poolerEnabled: true }],
  ['the pooler mode when it is another one', { pooler_mode: 'session' }, { poolerMode: 'session' }],
  [
    'the Postgres settings when there are any',
    { settings: { pg_settings: { work_mem: '8MB' } } },
    { pgSettings: { work_mem: '8MB' } },
  ],
  ['no Postgres settings when the service names none', { settings: {} }, {}],
  ['that it is disabled', { disabled: true }, { disabled: true }],
  ['that a password is needed', { passwordless_access: false }, { passwordlessAccess: false }],
  [
    'that the size is not in the table',
    { autoscaling_limit_min_cu: 12, autoscaling_limit_max_cu: 16 },
    { autoscalingLimitMinCu: 12, autoscalingLimitMaxCu: 16, allowUnlistedSize: true },
  ],
];

describe('the program declares', () => {
  it.each(variants)('%s', (_, change, difference) => {
    expect(declareEndpoint(plainEndpoint(change), true)).toEqual({ ...plain, ...difference });
  });

  it('no name that several endpoints have', () => {
    expect(declareEndpoint(plainEndpoint({ name: 'api' }), false)).toEqual(plain);
  });
});

describe('the imported state', () => {
  it.each(variants)('leaves no change for the program that declares %s', (_, change) => {
    const endpoint = plainEndpoint(change);
    const declared = declareEndpoint(endpoint, true);
    const { outputs } = toImportedResource(endpoint, 'api', declared);
    expect(findInputFailures({ ...declared })).toEqual([]);
    expect(findChanges(readState(outputs), declared)).toEqual([]);
    expect(isUnsettled(outputs)).toBe(false);
  });

  it('holds the provider twice: the engine reads it from the inputs, the host from the outputs', () => {
    const endpoint = plainEndpoint();
    const { inputs, outputs } = toImportedResource(endpoint, 'api', declareEndpoint(endpoint, true));
    expect(inputs.__provider).toMatch(/pulumi-postgres-compute\/runtime/);
    expect(outputs.__provider).toBe(inputs.__provider);
  });

  it('marks the size, so that a later change shows as a restart', () => {
    const endpoint = plainEndpoint();
    const { inputs } = toImportedResource(endpoint, 'api', declareEndpoint(endpoint, true));
    expect(inputs.restartOnChange).toBe('size 0.25 CU');
  });
});
