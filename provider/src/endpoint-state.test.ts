import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../tests/fixtures/endpoint';
import { argumentTable, type ChangeEffect } from './argument-table';
import { type InputName, unknownValue } from './endpoint-inputs';
import {
  findChanges,
  findDeviations,
  toAttributes,
  toCreateAttributes,
  toInputs,
  toOutputs,
} from './endpoint-state';

const changes: [InputName, ChangeEffect, unknown, unknown][] = [
  ['projectId', 'replace', 'p-2', {}],
  ['type', 'replace', 'read_only', { type: 'read_only' }],
  ['regionId', 'replace', 'other', { region_id: 'other' }],
  ['provisioner', 'replace', 'k8s-neonvm', { provisioner: 'k8s-neonvm' }],
  ['branchId', 'disconnect', 'br-2', { branch_id: 'br-2' }],
  ['autoscalingLimitMinCu', 'restart', 0.5, { autoscaling_limit_min_cu: 0.5 }],
  ['autoscalingLimitMaxCu', 'restart', 2, { autoscaling_limit_max_cu: 2 }],
  ['pgSettings', 'update', {}, { settings: { pg_settings: {} } }],
  ['poolerEnabled', 'update', true, { pooler_enabled: true }],
  ['poolerMode', 'update', 'session', { pooler_mode: 'session' }],
  ['name', 'update', 'web', { name: 'web' }],
  ['suspendTimeoutSeconds', 'update', 600, { suspend_timeout_seconds: 600 }],
  ['passwordlessAccess', 'update', false, { passwordless_access: false }],
  ['disabled', 'disconnect', true, { disabled: true }],
  ['restartTriggers', 'restart', { release: '2' }, {}],
  ['adopt', 'none', true, {}],
  ['allowRestart', 'none', false, {}],
  ['allowUnlistedSize', 'none', true, {}],
  ['waitForOperations', 'none', false, {}],
  ['timeouts', 'none', { create: 90 }, {}],
];

describe('a change of', () => {
  const outputs = toOutputs(endpointOf(), declared);

  it('nothing is no change', () => {
    expect(findChanges(outputs, declared)).toEqual([]);
  });

  it('every argument stands in this table', () => {
    expect(changes.map(([name]) => name).sort()).toEqual(Object.keys(argumentTable).sort());
  });

  it.each(changes)('%s has the effect %s and is all that is sent', (name, effect, value, attributes) => {
    const wanted = { ...declared, [name]: value };
    const found = findChanges(outputs, wanted);
    expect(found).toEqual([name]);
    expect(argumentTable[name].effect).toBe(effect);
    expect(toAttributes(found, wanted)).toEqual(attributes);
  });

  it.each(changes)('%s to a value that is not known yet is a change', (name) => {
    expect(findChanges(outputs, { ...declared, [name]: unknownValue })).toEqual([name]);
  });
});

describe('an argument that the program gives no longer', () => {
  it.each([
    ['suspendTimeoutSeconds', { suspend_timeout_seconds: 0 }],
    ['pgSettings', { settings: { pg_settings: {} } }],
  ] as const)('%s goes back to the default of the service', (name, attributes) => {
    const { [name]: _, ...wanted } = declared;
    const found = findChanges(toOutputs(endpointOf(), declared), wanted);
    expect(toAttributes(found, wanted)).toEqual(attributes);
  });

  it.each(['disabled', 'poolerEnabled'] as const)('%s goes back to false', (name) => {
    const on = { ...declared, [name]: true };
    const { [name]: _, ...wanted } = declared;
    const outputs = toOutputs(endpointOf({ disabled: true, pooler_enabled: true }), on);
    expect(Object.values(toAttributes(findChanges(outputs, wanted), wanted))).toContain(false);
  });

  it.each(['autoscalingLimitMinCu', 'name', 'poolerMode', 'passwordlessAccess', 'regionId'] as const)(
    '%s stays as the endpoint has it',
    (name) => {
      const { [name]: _, ...wanted } = declared;
      expect(findChanges(toOutputs(endpointOf(), declared), wanted)).toEqual([]);
    },
  );

  it('is left alone when the program never gave it', () => {
    const { pgSettings: _, ...wanted } = declared;
    expect(findChanges(toOutputs(endpointOf(), wanted), wanted)).toEqual([]);
  });
});

describe('outputs', () => {
  it('hold nothing that changes by itself', () => {
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

  it('hold what the service decided for what the program left out', () => {
    const outputs = toOutputs(endpointOf(), { projectId: 'p-1', branchId: 'br-1', type: 'read_write' });
    expect(outputs).toMatchObject({
      regionId: 'region',
      autoscalingLimitMaxCu: 1,
      __declared: ['projectId', 'branchId', 'type'],
    });
  });

  it('hold no undefined value, which the engine refuses', () => {
    const { name: _, ...nameless } = endpointOf();
    expect(Object.values(toOutputs(nameless, declared))).not.toContain(undefined);
  });

  it('name the host for pooled connections', () => {
    expect(toOutputs(endpointOf(), declared).poolerHost).toBe('ep-1-pooler.region.example');
  });
});

describe('inputs after a read', () => {
  it('hold the live value of what the program declares, and nothing else', () => {
    const wanted = {
      projectId: 'p-1',
      branchId: 'br-1',
      type: 'read_write',
      suspendTimeoutSeconds: 300,
    } as const;
    const live = endpointOf({ suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 4 });
    expect(toInputs(live, toOutputs(endpointOf(), wanted))).toEqual({ ...wanted, suspendTimeoutSeconds: 60 });
  });

  it('derive the restart mark from the live size', () => {
    const live = endpointOf({ autoscaling_limit_max_cu: 4 });
    expect(toInputs(live, toOutputs(endpointOf(), declared)).restartOnChange).toBe(
      'size 0.25 to 4 CU; triggers release=1',
    );
  });
});

it('a create sends everything that is declared', () => {
  expect(toCreateAttributes({ projectId: 'p-1', branchId: 'br-1', type: 'read_only', name: 'x' })).toEqual({
    branch_id: 'br-1',
    type: 'read_only',
    name: 'x',
  });
});

it('finds what the service holds otherwise than declared', () => {
  expect(findDeviations(endpointOf({ autoscaling_limit_max_cu: 2, disabled: true }), declared)).toEqual([
    'autoscalingLimitMaxCu',
    'disabled',
  ]);
});
