import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { operationOf } from '../../../tests/support/operation';
import { argumentTable, type ChangeEffect } from './argument-table';
import { type EndpointInputs, type InputName, unknownValue } from './endpoint-inputs';
import {
  deriveInputName,
  findChanges,
  findDeviations,
  isAsWanted,
  isUnsettled,
  markSecrets,
  toAttributes,
  toCreateAttributes,
  toInputs,
  toOutputs,
  withSettings,
} from './endpoint-outputs';

/** A program that declares nothing but what it must. */
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

describe('findChanges', () => {
  it('finds nothing when the program declares what is in state', () => {
    expect(findChanges(toOutputs(endpointOf(), declared), declared)).toEqual([]);
  });

  it('is tested with every argument', () => {
    expect(changes.map(([name]) => name).sort()).toEqual(Object.keys(argumentTable).sort());
  });

  it.each(changes)(
    'finds a change of %s, whose effect is %s, and nothing else is sent',
    (name, effect, value, attributes) => {
      const wanted = { ...declared, [name]: value };
      const found = findChanges(toOutputs(endpointOf(), declared), wanted);
      expect(found).toEqual([name]);
      expect(argumentTable[name].effect).toBe(effect);
      expect(toAttributes(found, wanted)).toEqual(attributes);
    },
  );

  it.each(changes)('finds a change of %s to a value that is not known yet', (name) => {
    const outputs = toOutputs(endpointOf(), declared);
    expect(findChanges(outputs, { ...declared, [name]: unknownValue })).toEqual([name]);
  });

  it('finds a change of a Postgres setting to another spelling of the same value', () => {
    const wanted = { ...declared, pgSettings: { work_mem: '4096kB' } };
    expect(findChanges(toOutputs(endpointOf(), declared), wanted)).toEqual(['pgSettings']);
  });
});

describe('an argument that the program no longer declares', () => {
  it.each([
    ['suspendTimeoutSeconds', { suspend_timeout_seconds: 0 }],
    ['pgSettings', { settings: { pg_settings: {} } }],
  ] as const)('resets %s to the default of the service', (name, attributes) => {
    const { [name]: _, ...wanted } = declared;
    const found = findChanges(toOutputs(endpointOf(), declared), wanted);
    expect(toAttributes(found, wanted)).toEqual(attributes);
  });

  it.each(['disabled', 'poolerEnabled'] as const)('resets %s to false', (name) => {
    const on = { ...declared, [name]: true };
    const { [name]: _, ...wanted } = declared;
    const outputs = toOutputs(endpointOf({ disabled: true, pooler_enabled: true }), on);
    expect(Object.values(toAttributes(findChanges(outputs, wanted), wanted))).toContain(false);
  });

  it.each(['autoscalingLimitMinCu', 'name', 'poolerMode', 'passwordlessAccess', 'regionId'] as const)(
    'leaves %s as the endpoint has it',
    (name) => {
      const { [name]: _, ...wanted } = declared;
      expect(findChanges(toOutputs(endpointOf(), declared), wanted)).toEqual([]);
    },
  );

  it('is a change when it is a setting of the provider itself', () => {
    const { allowRestart: _, ...wanted } = declared;
    expect(findChanges(toOutputs(endpointOf(), declared), wanted)).toEqual(['allowRestart']);
  });

  it('changes nothing when the program never declared it', () => {
    const { pgSettings: _, ...wanted } = declared;
    expect(findChanges(toOutputs(endpointOf(), wanted), wanted)).toEqual([]);
  });

  it('changes nothing when the state does not hold what the program declared', () => {
    const { __declared: _, ...outputs } = toOutputs(endpointOf(), declared);
    expect(findChanges(outputs, least)).toEqual([]);
  });
});

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
      __declared: ['projectId', 'branchId', 'type'],
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

describe('toInputs', () => {
  it('holds the live values of what the program declares, and nothing else', () => {
    const wanted = { ...least, suspendTimeoutSeconds: 300 };
    const live = endpointOf({ suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 4 });
    expect(toInputs(live, toOutputs(endpointOf(), wanted))).toEqual({ ...wanted, suspendTimeoutSeconds: 60 });
  });

  it('derives the restart mark from the live size', () => {
    const live = endpointOf({ autoscaling_limit_max_cu: 4 });
    expect(toInputs(live, toOutputs(endpointOf(), declared)).restartOnChange).toBe('size 0.25 to 4 CU');
  });

  it('keeps what the engine and the resource have put there', () => {
    const own = {
      __urn: 'urn:pulumi:prod::shop::api',
      __provider: 'code',
      __organization: 'acme',
      __createsBeforeDelete: true,
      __replaces: 'shop-prod-api-1a2b3c4d',
      __secrets: ['pgSettings'],
    };
    expect(toInputs(endpointOf(), toOutputs(endpointOf(), { ...least, ...own }))).toEqual({
      ...least,
      ...own,
    });
  });

  it('keeps the words of the program for Postgres settings that the service spells differently', () => {
    const live = endpointOf({ settings: { pg_settings: { work_mem: '4096kB', log_timezone: 'UTC' } } });
    expect(toInputs(live, toOutputs(endpointOf(), declared)).pgSettings).toEqual({ work_mem: '4MB' });
  });

  it('shows Postgres settings that have drifted', () => {
    const live = endpointOf({ settings: { pg_settings: { work_mem: '8MB' } } });
    expect(toInputs(live, toOutputs(endpointOf(), declared)).pgSettings).toEqual({ work_mem: '8MB' });
  });

  it('holds the project of an endpoint that is only looked up', () => {
    const { __declared: _, ...outputs } = toOutputs(endpointOf(), declared);
    expect(toInputs(endpointOf(), outputs)).toEqual({ projectId: 'p-1' });
  });
});

it('toCreateAttributes sends everything that is declared', () => {
  expect(toCreateAttributes({ projectId: 'p-1', branchId: 'br-1', type: 'read_only', name: 'x' })).toEqual({
    branch_id: 'br-1',
    type: 'read_only',
    name: 'x',
  });
});

describe('findDeviations', () => {
  it('finds the arguments that the service reports differently than declared', () => {
    expect(findDeviations(endpointOf({ autoscaling_limit_max_cu: 2, disabled: true }), declared)).toEqual([
      'autoscalingLimitMaxCu',
      'disabled',
    ]);
  });

  it('finds nothing in what the program leaves to the service', () => {
    expect(findDeviations(endpointOf({ suspend_timeout_seconds: 60, disabled: true }), least)).toEqual([]);
  });

  it('finds no deviation in another spelling of a Postgres setting, or in one that the service adds', () => {
    const live = endpointOf({ settings: { pg_settings: { WORK_MEM: '4096kB', log_timezone: 'UTC' } } });
    expect(findDeviations(live, declared)).toEqual([]);
  });

  it.each([{ work_mem: '8MB' }, {}])('finds Postgres settings that differ: %j', (reported) => {
    const live = endpointOf({ settings: { pg_settings: reported } });
    expect(findDeviations(live, declared)).toEqual(['pgSettings']);
  });
});

describe('isAsWanted', () => {
  it('is true of what the program leaves out and the service keeps', () => {
    expect(isAsWanted(endpointOf({ name: 'web' }), least, 'name')).toBe(true);
  });

  it.each([
    [false, true],
    [true, false],
  ])(
    'of an endpoint with disabled: %s, which the program no longer declares, is %s',
    (disabled, expected) => {
      expect(isAsWanted(endpointOf({ disabled }), least, 'disabled')).toBe(expected);
    },
  );
});

describe('markSecrets', () => {
  it('marks the named inputs as the engine does, and leaves the others as they are', () => {
    const inputs = { ...least, name: 'canary', __secrets: ['name'] };
    expect(markSecrets(inputs, ['name'])).toEqual({
      ...inputs,
      name: { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270', value: 'canary' },
    });
  });

  it('marks nothing without a name', () => {
    expect(markSecrets(declared, [])).toEqual(declared);
  });
});

describe('withSettings', () => {
  it("sets the provider's own settings that are declared, removes the others, and keeps the rest", () => {
    const before = toOutputs(endpointOf(), { ...least, allowRestart: false, timeouts: { create: 60 } });
    const wanted = { ...least, timeouts: { create: 90 } };
    expect(withSettings(before, wanted)).toEqual(toOutputs(endpointOf(), wanted));
  });
});

it('withSettings removes the restart mark of a size that the program no longer declares', () => {
  const before = toOutputs(endpointOf(), { ...declared, restartOnChange: 'size 0.25 to 1 CU' });
  expect(withSettings(before, least)).not.toHaveProperty('restartOnChange');
});

describe('deriveInputName', () => {
  const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';
  const nameOf = (change: object = {}) => deriveInputName({ ...least, __urn: urn, ...change });

  it('derives another name when the endpoint is replaced, so that the new one is not taken for the old', () => {
    expect(nameOf({ projectId: 'p-2' })).not.toBe(nameOf());
  });

  it('derives the same name while the endpoint stays', () => {
    expect(nameOf({ branchId: 'br-2', disabled: true })).toBe(nameOf());
  });

  it('derives different names in different organizations, and for an endpoint that replaces another', () => {
    const names = [
      nameOf(),
      nameOf({ __organization: 'acme' }),
      nameOf({ __organization: 'umbrella' }),
      nameOf({ __replaces: 'shop-prod-api-1a2b3c4d' }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('derives the name from the resource', () => {
    expect(nameOf()).toMatch(/^shop-prod-api-/);
  });

  it('derives no name of a resource that is not known', () => {
    expect(deriveInputName(least)).toBeUndefined();
  });

  it('derives a name that is unknown while a replacing value is unknown', () => {
    expect(nameOf({ projectId: unknownValue })).toBe(unknownValue);
  });
});
