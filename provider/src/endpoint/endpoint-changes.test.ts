import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import type { Endpoint } from '../control-api/wire-types';
import { argumentTable, type ChangeEffect } from './argument-effects';
import { findDrift, matchesDesired, withReported } from './drift';
import { findChanges, toAttributes, toCreateAttributes } from './endpoint-changes';
import { type EndpointInputs, type InputName, unknownValue } from './endpoint-inputs';
import { toOutputs } from './endpoint-outputs';

/** A program that declares nothing but what it must. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

/** What state holds after a program that declares these. */
const inState = (inputs: EndpointInputs, live: Partial<Endpoint> = {}) => ({
  inputs,
  outputs: toOutputs(endpointOf(live), inputs),
});

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
    expect(findChanges(inState(declared), declared)).toEqual([]);
  });

  it('is tested with every argument', () => {
    expect(changes.map(([name]) => name).sort()).toEqual(Object.keys(argumentTable).sort());
  });

  it.each(changes)(
    'finds a change of %s, whose effect is %s, and nothing else is sent',
    (name, effect, value, attributes) => {
      const wanted = { ...declared, [name]: value };
      const found = findChanges(inState(declared), wanted);
      expect(found).toEqual([name]);
      expect(argumentTable[name].effect).toBe(effect);
      expect(toAttributes(found, wanted)).toEqual(attributes);
    },
  );

  it.each(changes)('finds a change of %s to a value that is not known yet', (name) => {
    expect(findChanges(inState(declared), { ...declared, [name]: unknownValue })).toEqual([name]);
  });

  it('finds a change of a Postgres setting to another spelling of the same value', () => {
    const wanted = { ...declared, pgSettings: { work_mem: '4096kB' } };
    expect(findChanges(inState(declared), wanted)).toEqual(['pgSettings']);
  });
});

describe('an argument that the program no longer declares', () => {
  it.each([
    ['suspendTimeoutSeconds', { suspend_timeout_seconds: 0 }],
    ['pgSettings', { settings: { pg_settings: {} } }],
  ] as const)('resets %s to the default of the service', (name, attributes) => {
    const { [name]: _, ...wanted } = declared;
    const found = findChanges(inState(declared), wanted);
    expect(toAttributes(found, wanted)).toEqual(attributes);
  });

  it.each(['disabled', 'poolerEnabled'] as const)('resets %s to false', (name) => {
    const on = { ...declared, [name]: true };
    const { [name]: _, ...wanted } = declared;
    const before = inState(on, { disabled: true, pooler_enabled: true });
    expect(Object.values(toAttributes(findChanges(before, wanted), wanted))).toContain(false);
  });

  it.each(['autoscalingLimitMinCu', 'name', 'poolerMode', 'passwordlessAccess', 'regionId'] as const)(
    'leaves %s as the endpoint has it',
    (name) => {
      const { [name]: _, ...wanted } = declared;
      expect(findChanges(inState(declared), wanted)).toEqual([]);
    },
  );

  it('is a change when it is a setting of the provider itself', () => {
    const { allowRestart: _, ...wanted } = declared;
    expect(findChanges(inState(declared), wanted)).toEqual(['allowRestart']);
  });

  it('changes nothing when the program never declared it', () => {
    const { pgSettings: _, ...wanted } = declared;
    expect(findChanges(inState(wanted), wanted)).toEqual([]);
  });
});

describe('withReported', () => {
  it('holds the live values of what the program declares, and nothing else', () => {
    const desired = { ...least, suspendTimeoutSeconds: 300 };
    const live = endpointOf({ suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 4 });
    expect(withReported(live, desired)).toEqual({ ...desired, suspendTimeoutSeconds: 60 });
  });

  it('keeps the spelling of the program for Postgres settings that the service spells differently', () => {
    const live = endpointOf({ settings: { pg_settings: { work_mem: '4096kB', log_timezone: 'UTC' } } });
    expect(withReported(live, declared).pgSettings).toEqual({ work_mem: '4MB' });
  });

  it('shows Postgres settings that have drifted', () => {
    const live = endpointOf({ settings: { pg_settings: { work_mem: '8MB' } } });
    expect(withReported(live, declared).pgSettings).toEqual({ work_mem: '8MB' });
  });

  it("keeps the provider's own settings, which the service does not report", () => {
    expect(withReported(endpointOf(), { ...least, allowRestart: false })).toEqual({
      ...least,
      allowRestart: false,
    });
  });
});

it('toCreateAttributes sends everything that is declared', () => {
  expect(toCreateAttributes({ projectId: 'p-1', branchId: 'br-1', type: 'read_only', name: 'x' })).toEqual({
    branch_id: 'br-1',
    type: 'read_only',
    name: 'x',
  });
});

describe('findDrift', () => {
  it('finds the arguments that the service reports differently than declared', () => {
    expect(findDrift(endpointOf({ autoscaling_limit_max_cu: 2, disabled: true }), declared)).toEqual([
      'autoscalingLimitMaxCu',
      'disabled',
    ]);
  });

  it('finds nothing in what the program leaves to the service', () => {
    expect(findDrift(endpointOf({ suspend_timeout_seconds: 60, disabled: true }), least)).toEqual([]);
  });

  it('finds no drift in another spelling of a Postgres setting, or in one that the service adds', () => {
    const live = endpointOf({ settings: { pg_settings: { WORK_MEM: '4096kB', log_timezone: 'UTC' } } });
    expect(findDrift(live, declared)).toEqual([]);
  });

  it.each([{ work_mem: '8MB' }, {}])('finds Postgres settings that differ: %j', (reported) => {
    const live = endpointOf({ settings: { pg_settings: reported } });
    expect(findDrift(live, declared)).toEqual(['pgSettings']);
  });
});

describe('matchesDesired', () => {
  it('is true of what the program leaves out and the service keeps', () => {
    expect(matchesDesired(endpointOf({ name: 'web' }), least, 'name')).toBe(true);
  });

  it.each([
    [false, true],
    [true, false],
  ])(
    'of an endpoint with disabled: %s, which the program no longer declares, is %s',
    (disabled, expected) => {
      expect(matchesDesired(endpointOf({ disabled }), least, 'disabled')).toBe(expected);
    },
  );
});
