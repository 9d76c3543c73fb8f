import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import type { Endpoint } from '../control-api/wire-types';
import { unknownValue } from '../lifecycle/input-values';
import { type ChangeEffect, endpointArguments } from './endpoint-arguments';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import { toOutputs } from './endpoint-state';

const table = endpointArguments;

/** A program that declares only the required arguments. */
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

/** The state after a program that declares these inputs. */
const inState = (inputs: EndpointInputs, live: Partial<Endpoint> = {}) => ({
  inputs,
  outputs: toOutputs(endpointOf(live), inputs),
});

const changes: [InputName, ChangeEffect, unknown, unknown][] = [
  ['projectId', 'replace', 'p-2', {}],
  ['type', 'replace', 'read_only', { type: 'read_only' }],
  ['regionId', 'replace', 'other', { region_id: 'other' }],
  ['provisioner', 'replace', 'k8s-neonvm', { provisioner: 'k8s-neonvm' }],
  ['branchId', 'move', 'br-2', { branch_id: 'br-2' }],
  ['autoscalingLimitMinCu', 'restart', 0.5, { autoscaling_limit_min_cu: 0.5 }],
  ['autoscalingLimitMaxCu', 'restart', 2, { autoscaling_limit_max_cu: 2 }],
  ['pgSettings', 'update', {}, { settings: { pg_settings: {} } }],
  [
    'preloadLibraries',
    'restart',
    { enabledLibraries: ['pgaudit'] },
    { settings: { preload_libraries: { use_defaults: true, enabled_libraries: ['pgaudit'] } } },
  ],
  ['poolerEnabled', 'update', true, { pooler_enabled: true }],
  ['poolerMode', 'update', 'session', { pooler_mode: 'session' }],
  ['name', 'update', 'web', { name: 'web' }],
  ['suspendTimeoutSeconds', 'update', 600, { suspend_timeout_seconds: 600 }],
  ['passwordlessAccess', 'update', false, { passwordless_access: false }],
  ['disabled', 'stop', true, { disabled: true }],
  ['restartTriggers', 'restart', { release: '2' }, {}],
  ['adopt', 'none', true, {}],
  ['allowRestart', 'none', false, {}],
  ['allowUnlistedSize', 'none', true, {}],
  ['waitForOperations', 'none', false, {}],
];

describe('findChanges', () => {
  it('finds nothing when the program declares what is in state', () => {
    expect(table.findChanges(inState(declared), declared)).toEqual([]);
  });

  it('has a test case for every argument', () => {
    expect(changes.map(([name]) => name).sort()).toEqual([...table.names].sort());
  });

  it.each(changes)(
    'finds a change of %s, with effect %s, and sends nothing else',
    (name, effect, value, attributes) => {
      const desired = { ...declared, [name]: value };
      const found = table.findChanges(inState(declared), desired);
      expect(found).toEqual([name]);
      expect(table.row(name).effect).toBe(effect);
      expect(table.toAttributes(found, desired)).toEqual(attributes);
    },
  );

  it.each(changes)('finds a change of %s to a value that is unknown until the update', (name) => {
    expect(table.findChanges(inState(declared), { ...declared, [name]: unknownValue })).toEqual([name]);
  });

  it('sends both parts of settings', () => {
    const desired = { ...declared, pgSettings: {}, preloadLibraries: { useDefaults: false } };
    const settings = { pg_settings: {}, preload_libraries: { use_defaults: false, enabled_libraries: [] } };
    expect(table.toAttributes(table.findChanges(inState(declared), desired), desired)).toEqual({ settings });
  });

  it('finds no change in the order of libraries', () => {
    const enabled = (...enabledLibraries: string[]) => ({
      ...declared,
      preloadLibraries: { enabledLibraries },
    });
    const preload_libraries = { use_defaults: true, enabled_libraries: ['a', 'b'] };
    const settings = { ...endpointOf().settings, preload_libraries };
    expect(table.findChanges(inState(enabled('a', 'b'), { settings }), enabled('b', 'a'))).toEqual([]);
    expect(table.findChanges(inState(enabled('a', 'b'), { settings }), enabled('a'))).toEqual([
      'preloadLibraries',
    ]);
  });

  it('finds libraries that the state of an earlier release lacks', () => {
    const { preloadLibraries: _, ...outputs } = inState(declared).outputs;
    const desired = { ...declared, preloadLibraries: { enabledLibraries: ['pgaudit'] } };
    expect(table.findChanges({ inputs: declared, outputs }, desired)).toEqual(['preloadLibraries']);
  });

  it('finds another spelling of a Postgres setting as a change', () => {
    const desired = { ...declared, pgSettings: { work_mem: '4096kB' } };
    expect(table.findChanges(inState(declared), desired)).toEqual(['pgSettings']);
  });
});

describe('an argument that the program no longer declares', () => {
  it.each([
    ['suspendTimeoutSeconds', { suspend_timeout_seconds: 0 }],
    ['pgSettings', { settings: { pg_settings: {} } }],
    ['preloadLibraries', { settings: { preload_libraries: { use_defaults: true, enabled_libraries: [] } } }],
  ] as const)('resets %s to the default of the service', (name, attributes) => {
    const { [name]: _, ...desired } = declared;
    const found = table.findChanges(inState(declared), desired);
    expect(table.toAttributes(found, desired)).toEqual(attributes);
  });

  it.each(['disabled', 'poolerEnabled'] as const)('resets %s to false', (name) => {
    const on = { ...declared, [name]: true };
    const { [name]: _, ...desired } = declared;
    const before = inState(on, { disabled: true, pooler_enabled: true });
    expect(Object.values(table.toAttributes(table.findChanges(before, desired), desired))).toContain(false);
  });

  it.each(['autoscalingLimitMinCu', 'name', 'poolerMode', 'passwordlessAccess', 'regionId'] as const)(
    'leaves %s of the endpoint unchanged',
    (name) => {
      const { [name]: _, ...desired } = declared;
      expect(table.findChanges(inState(declared), desired)).toEqual([]);
    },
  );

  it('is a change when it is a setting of the provider itself', () => {
    const { allowRestart: _, ...desired } = declared;
    expect(table.findChanges(inState(declared), desired)).toEqual(['allowRestart']);
  });

  it('changes nothing when the program never declared it', () => {
    const { pgSettings: _, ...desired } = declared;
    expect(table.findChanges(inState(desired), desired)).toEqual([]);
  });
});

describe('withReported', () => {
  it('returns the live values of the declared arguments, and nothing else', () => {
    const desired = { ...least, suspendTimeoutSeconds: 300 };
    const live = endpointOf({ suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 4 });
    expect(table.withReported(live, desired)).toEqual({ ...desired, suspendTimeoutSeconds: 60 });
  });

  it("keeps the provider's own settings, which the service does not report", () => {
    expect(table.withReported(endpointOf(), { ...least, allowRestart: false })).toEqual({
      ...least,
      allowRestart: false,
    });
  });
});

it('toCreateAttributes returns what is declared, under the given name', () => {
  const inputs: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_only', name: 'x' };
  expect(table.toCreateAttributes(inputs, 'y')).toEqual({ branch_id: 'br-1', type: 'read_only', name: 'y' });
});

describe('findDrift', () => {
  it('finds the arguments that the service reports differently than declared', () => {
    expect(table.findDrift(endpointOf({ autoscaling_limit_max_cu: 2, disabled: true }), declared)).toEqual([
      'autoscalingLimitMaxCu',
      'disabled',
    ]);
  });

  it('ignores arguments that the program does not declare', () => {
    expect(table.findDrift(endpointOf({ suspend_timeout_seconds: 60, disabled: true }), least)).toEqual([]);
  });

  it('ignores Postgres settings that the service adds', () => {
    const live = endpointOf({ settings: { pg_settings: { work_mem: '4MB', log_timezone: 'UTC' } } });
    expect(table.findDrift(live, declared)).toEqual([]);
  });

  it.each([{ work_mem: '4096kB' }, { work_mem: '8MB' }, {}])(
    'finds Postgres settings that differ: %j',
    (reported) => {
      const live = endpointOf({ settings: { pg_settings: reported } });
      expect(table.findDrift(live, declared)).toEqual(['pgSettings']);
    },
  );
});

describe('findDrift of arguments that the program does not declare', () => {
  it('ignores what the service keeps', () => {
    expect(table.findDrift(endpointOf({ name: 'web' }), least, ['name'])).toEqual([]);
  });

  it.each([
    [false, []],
    [true, ['disabled']],
  ])('with disabled: %s finds %j', (disabled, expected) => {
    expect(table.findDrift(endpointOf({ disabled }), least, ['disabled'])).toEqual(expected);
  });
});
