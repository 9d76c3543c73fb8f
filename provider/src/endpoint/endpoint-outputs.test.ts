import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { operationOf } from '../../../tests/support/operation';
import type { EndpointInputs } from './endpoint-inputs';
import { isUnsettled, toOutputs } from './endpoint-outputs';

/** A program that declares nothing but what it must. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

describe('toOutputs', () => {
  it('leaves out what changes by itself', () => {
    const quiet = toOutputs(endpointOf(), declared);
    const busy = toOutputs(
      endpointOf({
        current_state: 'idle',
        pending_state: 'active',
        last_active: '2026-02-02T00:00:00Z',
        updated_at: 'x',
      }),
      declared,
    );
    expect(busy).toEqual(quiet);
  });

  it('holds what the service decided for what the program left out', () => {
    const outputs = toOutputs(endpointOf(), least);
    expect(outputs).toMatchObject({
      regionId: 'region',
      autoscalingLimitMaxCu: 1,
    });
  });

  it('holds no undefined value, which the engine refuses', () => {
    const { name: _, ...nameless } = endpointOf();
    expect(Object.values(toOutputs(nameless, declared))).not.toContain(undefined);
  });

  it('names the host for pooled connections', () => {
    expect(toOutputs(endpointOf(), declared).poolerHost).toBe('ep-1-pooler.region.example');
  });

  it('holds the operations that have not succeeded, and of each only what finds it again', () => {
    const operations = [
      operationOf({ status: 'finished' }),
      operationOf({ id: 'op-2', status: 'failed', error: 'no capacity' }),
      operationOf({ id: 'op-3' }),
    ];
    expect(toOutputs(endpointOf(), declared, operations).unsettledOperations).toEqual([
      { id: 'op-2', action: 'start_compute', status: 'failed' },
      { id: 'op-3', action: 'start_compute', status: 'running' },
    ]);
  });

  it('holds the arguments that were not applied', () => {
    const outputs = toOutputs(endpointOf(), declared, [], ['autoscalingLimitMaxCu']);
    expect(outputs.__unapplied).toEqual(['autoscalingLimitMaxCu']);
  });

  it('holds neither when every operation has succeeded', () => {
    const outputs = toOutputs(endpointOf(), declared, [operationOf({ status: 'finished' })]);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect(outputs).not.toHaveProperty('__unapplied');
  });
});

describe('toOutputs of Postgres settings', () => {
  const settingsOf = (reported: Record<string, string>, desired: Record<string, string>) =>
    toOutputs(endpointOf({ settings: { pg_settings: reported } }), { ...declared, pgSettings: desired })
      .pgSettings;

  it('holds the words of the program where the service reports the same settings', () => {
    const desired = { Work_Mem: '64MB', jit: 'on' };
    expect(settingsOf({ work_mem: '65536kB', jit: 'true', log_timezone: 'UTC' }, desired)).toBe(desired);
  });

  it('holds what the service reports where a setting differs', () => {
    const reported = { work_mem: '65536kB', jit: 'off' };
    expect(settingsOf(reported, { work_mem: '64MB', jit: 'on' })).toEqual(reported);
  });

  it('holds what the service reports where the program declares none', () => {
    const outputs = toOutputs(endpointOf({ settings: { pg_settings: { work_mem: '65536kB' } } }), least);
    expect(outputs.pgSettings).toEqual({ work_mem: '65536kB' });
  });
});

describe('isUnsettled', () => {
  it('is false when everything has succeeded', () => {
    expect(isUnsettled(toOutputs(endpointOf(), declared))).toBe(false);
  });

  it('is true while an operation has not succeeded', () => {
    expect(isUnsettled(toOutputs(endpointOf(), declared, [operationOf()]))).toBe(true);
  });

  it('is true while an argument was not applied', () => {
    expect(isUnsettled(toOutputs(endpointOf(), declared, [], ['name']))).toBe(true);
  });
});
