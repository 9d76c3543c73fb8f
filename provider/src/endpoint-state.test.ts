import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../tests/fixtures/endpoint';
import { operationOf } from '../../tests/fixtures/operation';
import { argumentTable, type ChangeEffect } from './argument-table';
import { type EndpointInputs, type InputName, unknownValue } from './endpoint-inputs';
import {
  deriveInputName,
  findChanges,
  findDeviations,
  isAsWanted,
  isUnsettled,
  toAttributes,
  toCreateAttributes,
  toInputs,
  toOutputs,
  withSettings,
} from './endpoint-state';

/** A program that gives nothing but what it must. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

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
  it('nothing is no change', () => {
    expect(findChanges(toOutputs(endpointOf(), declared), declared)).toEqual([]);
  });

  it('every argument stands in this table', () => {
    expect(changes.map(([name]) => name).sort()).toEqual(Object.keys(argumentTable).sort());
  });

  it.each(changes)('%s has the effect %s and is all that is sent', (name, effect, value, attributes) => {
    const wanted = { ...declared, [name]: value };
    const found = findChanges(toOutputs(endpointOf(), declared), wanted);
    expect(found).toEqual([name]);
    expect(argumentTable[name].effect).toBe(effect);
    expect(toAttributes(found, wanted)).toEqual(attributes);
  });

  it.each(changes)('%s to a value that is not known yet is a change', (name) => {
    const outputs = toOutputs(endpointOf(), declared);
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

  it('is a change when it is a setting of the provider itself', () => {
    const { allowRestart: _, ...wanted } = declared;
    expect(findChanges(toOutputs(endpointOf(), declared), wanted)).toEqual(['allowRestart']);
  });

  it('is left alone when the program never gave it', () => {
    const { pgSettings: _, ...wanted } = declared;
    expect(findChanges(toOutputs(endpointOf(), wanted), wanted)).toEqual([]);
  });

  it('is left alone when the state does not say what the program gave', () => {
    const { __declared: _, ...outputs } = toOutputs(endpointOf(), declared);
    expect(findChanges(outputs, least)).toEqual([]);
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
    const outputs = toOutputs(endpointOf(), least);
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

  it('hold the operations that have not succeeded, and of each only what finds it again', () => {
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

  it('hold the arguments that have not come to pass', () => {
    const outputs = toOutputs(endpointOf(), declared, [], ['autoscalingLimitMaxCu']);
    expect(outputs.__unapplied).toEqual(['autoscalingLimitMaxCu']);
  });

  it('hold nothing of that when every operation has succeeded', () => {
    const outputs = toOutputs(endpointOf(), declared, [operationOf({ status: 'finished' })]);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect(outputs).not.toHaveProperty('__unapplied');
  });
});

describe('an earlier run', () => {
  it('has left nothing when everything has succeeded', () => {
    expect(isUnsettled(toOutputs(endpointOf(), declared))).toBe(false);
  });

  it('has left something while an operation has not succeeded', () => {
    expect(isUnsettled(toOutputs(endpointOf(), declared, [operationOf()]))).toBe(true);
  });

  it('has left something while an argument has not come to pass', () => {
    expect(isUnsettled(toOutputs(endpointOf(), declared, [], ['name']))).toBe(true);
  });
});

describe('inputs after a read', () => {
  it('hold the live value of what the program declares, and nothing else', () => {
    const wanted = { ...least, suspendTimeoutSeconds: 300 };
    const live = endpointOf({ suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 4 });
    expect(toInputs(live, toOutputs(endpointOf(), wanted))).toEqual({ ...wanted, suspendTimeoutSeconds: 60 });
  });

  it('derive the restart mark from the live size', () => {
    const live = endpointOf({ autoscaling_limit_max_cu: 4 });
    expect(toInputs(live, toOutputs(endpointOf(), declared)).restartOnChange).toBe('size 0.25 to 4 CU');
  });

  it('keep what the engine and the resource have put there', () => {
    const own = { __urn: 'urn:pulumi:prod::shop::api', __provider: 'code' };
    expect(toInputs(endpointOf(), toOutputs(endpointOf(), { ...least, ...own }))).toEqual({
      ...least,
      ...own,
    });
  });

  it('of an endpoint that is only looked up hold its project', () => {
    const { __declared: _, ...outputs } = toOutputs(endpointOf(), declared);
    expect(toInputs(endpointOf(), outputs)).toEqual({ projectId: 'p-1' });
  });
});

it('a create sends everything that is declared', () => {
  expect(toCreateAttributes({ projectId: 'p-1', branchId: 'br-1', type: 'read_only', name: 'x' })).toEqual({
    branch_id: 'br-1',
    type: 'read_only',
    name: 'x',
  });
});

describe('what the service holds', () => {
  it('deviates where it is otherwise than declared', () => {
    expect(findDeviations(endpointOf({ autoscaling_limit_max_cu: 2, disabled: true }), declared)).toEqual([
      'autoscalingLimitMaxCu',
      'disabled',
    ]);
  });

  it('never deviates in what the program leaves to the service', () => {
    expect(findDeviations(endpointOf({ suspend_timeout_seconds: 60, disabled: true }), least)).toEqual([]);
  });

  it('is as wanted in what the program leaves out and the service keeps', () => {
    expect(isAsWanted(endpointOf({ name: 'web' }), least, 'name')).toBe(true);
  });

  it.each([
    [false, true],
    [true, false],
  ])('with disabled: %s is as wanted by a program that no longer gives it: %s', (disabled, isWanted) => {
    expect(isAsWanted(endpointOf({ disabled }), least, 'disabled')).toBe(isWanted);
  });
});

describe("a change of nothing but the provider's own settings", () => {
  it('puts those that are given, takes out the others, and leaves what the service holds', () => {
    const before = toOutputs(endpointOf(), { ...least, allowRestart: false, timeouts: { create: 60 } });
    const wanted = { ...least, timeouts: { create: 90 } };
    expect(withSettings(before, wanted)).toEqual(toOutputs(endpointOf(), wanted));
  });
});

describe('the name that a program does not give', () => {
  const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';
  const nameOf = (change: object = {}) => deriveInputName({ ...least, __urn: urn, ...change });

  it('is another one when the endpoint is replaced, so that the new one is not taken for the old', () => {
    expect(nameOf({ projectId: 'p-2' })).not.toBe(nameOf());
  });

  it('is the same when the endpoint stays', () => {
    expect(nameOf({ branchId: 'br-2', disabled: true })).toBe(nameOf());
  });

  it('is made of the resource, and of nothing when that is not known', () => {
    expect(nameOf()).toMatch(/^shop-prod-api-/);
    expect(deriveInputName(least)).toBeUndefined();
  });
});
