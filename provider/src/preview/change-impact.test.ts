import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { failedOf } from '../../../tests/support/operation';
import { dynamicSettingNames } from '../config/setting-names';
import { findChanges } from '../endpoint/endpoint-changes';
import type { EndpointInputs, InputName } from '../endpoint/endpoint-inputs';
import { endpointRules, planFor, situationInState } from '../endpoint/endpoint-situation';
import { toOutputs } from '../endpoint/endpoint-state';
import { evolve } from '../lifecycle/evolve';
import { isUnknown, unknownValue } from '../lifecycle/input-values';
import type { Unsettled } from '../lifecycle/resource-state';
import { describeImpact, describeRefusal, findDisruptive, type LiveEndpoint } from './change-impact';

const outputs = toOutputs(endpointOf(), declared);

type Change = Partial<Record<keyof EndpointInputs, unknown>>;

// The types do not include unknown values.
const inputsOf = (change: Change) => ({ ...declared, ...change }) as EndpointInputs;

function impactOf(change: Change, live: LiveEndpoint = endpointOf(), left: Unsettled = {}) {
  const inputs = inputsOf(change);
  const changes = findChanges({ inputs: declared, outputs }, inputs);
  return impactOfChanges(changes, inputs, live, left);
}

function impactOfChanges(
  changes: readonly InputName[],
  inputs: EndpointInputs,
  live: LiveEndpoint = endpointOf(),
  left: Unsettled = {},
  secretNames: readonly string[] = [],
) {
  const asked = { kind: 'asked', names: changes.filter((name) => !isUnknown(inputs[name])) } as const;
  const situation = evolve(situationInState(inputs, { ...outputs, ...left }), asked, endpointRules);
  const steps = typeof live === 'object' ? planFor(situation, live, inputs) : undefined;
  return describeImpact({ changes, steps, outputs, inputs, secretNames }, live);
}

const idle = endpointOf({ current_state: 'idle' });
const disabled = endpointOf({ current_state: 'idle', disabled: true });
const starting = endpointOf({ current_state: 'init', pending_state: 'active' });
const nothing = { sentences: [], drops: false, restarts: false, mayDrop: [] };

describe('the diagnostic of a change of size', () => {
  it('reports a restart that drops the connections of an active compute', () => {
    expect(impactOf({ autoscalingLimitMaxCu: 2 })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) restarts the compute and drops its connections (it is active now)',
      ],
      drops: true,
      restarts: true,
      mayDrop: [],
    });
  });

  it.each([
    ['idle', idle],
    ['disabled', disabled],
  ])('reports that no connections drop from a compute that is %s', (state, live) => {
    expect(impactOf({ autoscalingLimitMaxCu: 2 }, live)).toEqual({
      sentences: [
        `a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) takes effect when the compute starts next; there are no connections to drop (it is ${state} now)`,
      ],
      drops: false,
      restarts: false,
      mayDrop: [],
    });
  });

  it('treats a starting compute as active, because it is active when the change arrives', () => {
    const { sentences, drops } = impactOf({ autoscalingLimitMaxCu: 2 }, starting);
    expect(sentences[0]).toMatch(/restarts the compute and drops its connections \(it is starting now\)$/);
    expect(drops).toBe(true);
  });

  it('treats a compute whose state cannot be read as active', () => {
    const { sentences, drops } = impactOf({ autoscalingLimitMaxCu: 2 }, 'unreadable');
    expect(sentences[0]).toMatch(
      /restarts the compute and drops its connections \(its state could not be read\)$/,
    );
    expect(drops).toBe(true);
  });

  it('reports that a size that is unknown until the update may drop connections', () => {
    expect(impactOf({ autoscalingLimitMaxCu: unknownValue })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => a size not known yet) may restart the compute and drop its connections (it is active now)',
      ],
      drops: false,
      restarts: true,
      mayDrop: ['autoscalingLimitMaxCu'],
    });
  });

  it('reports one restart for changes of the size and the triggers', () => {
    const change = {
      autoscalingLimitMinCu: 0.5,
      autoscalingLimitMaxCu: 2,
      restartTriggers: { release: '2' },
    };
    expect(impactOf(change).sentences).toEqual([
      'a change of autoscalingLimitMinCu and autoscalingLimitMaxCu (0.25 to 1 CU => 0.5 to 2 CU) and restartTriggers restarts the compute and drops its connections (it is active now)',
    ]);
  });

  it('reports a restart when a size that the service already reports is applied again', () => {
    const failed = { unsettledOperations: [failedOf('suspend_compute')], __ledger: { owed: ['restart'] } };
    expect(impactOfChanges(['autoscalingLimitMaxCu'], declared, endpointOf(), failed).sentences).toEqual([
      'applying again autoscalingLimitMaxCu (0.25 to 1 CU) restarts the compute and drops its connections (it is active now)',
    ]);
  });

  it('reports no restart when a killed run has applied the size', () => {
    const live = endpointOf({ autoscaling_limit_max_cu: 2 });
    expect(impactOf({ autoscalingLimitMaxCu: 2 }, live)).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) is applied already: nothing restarts',
      ],
      drops: false,
      restarts: false,
      mayDrop: [],
    });
  });
});

describe('the diagnostic of a change', () => {
  it('is empty for an endpoint that no longer exists', () => {
    expect(impactOf({ autoscalingLimitMaxCu: 2 }, 'gone')).toEqual(nothing);
  });

  it('reports that a move to another branch drops connections', () => {
    expect(impactOf({ branchId: 'br-2' })).toEqual({
      sentences: ['a change of branchId moves the endpoint: its connections drop (it is active now)'],
      drops: true,
      restarts: false,
      mayDrop: [],
    });
  });

  it('reports that a move of an idle compute drops no connections', () => {
    expect(impactOf({ branchId: 'br-2' }, idle)).toEqual({
      sentences: [
        'a change of branchId moves the endpoint: there are no connections to drop (it is idle now)',
      ],
      drops: false,
      restarts: false,
      mayDrop: [],
    });
  });

  it('reports that a move to a branch that is unknown until the update may drop connections', () => {
    expect(impactOf({ branchId: unknownValue })).toEqual({
      sentences: ['a change of branchId may move the endpoint: its connections drop (it is active now)'],
      drops: false,
      restarts: false,
      mayDrop: ['branchId'],
    });
  });

  it('reports that disabling the endpoint drops connections', () => {
    expect(impactOf({ disabled: true })).toEqual({
      sentences: ['a change of disabled stops the compute: its connections drop (it is active now)'],
      drops: true,
      restarts: false,
      mayDrop: [],
    });
  });

  it('reports only the replacement when the endpoint is replaced', () => {
    expect(impactOf({ projectId: 'p-2', autoscalingLimitMaxCu: 2, branchId: 'br-2' })).toEqual({
      sentences: [
        'a change of projectId replaces the endpoint: its host name changes, and clients have to connect to the new one (it is active now)',
      ],
      drops: true,
      restarts: false,
      mayDrop: [],
    });
  });

  it('has one sentence for each effect', () => {
    expect(impactOf({ branchId: 'br-2', disabled: true, autoscalingLimitMaxCu: 2 }).sentences).toEqual([
      expect.stringContaining('a change of autoscalingLimitMaxCu'),
      expect.stringContaining('a change of branchId'),
      expect.stringContaining('a change of disabled'),
    ]);
  });

  it.each([
    ['restartTriggers', { release: 'canary' }],
    ['branchId', 'canary'],
    ['projectId', 'canary'],
    ['provisioner', 'canary'],
    ['regionId', 'canary'],
  ])('never repeats a value of %s, which may be a secret', (name, value) => {
    const { sentences } = impactOf({ [name]: value });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(new RegExp(`^a change of ${name} [a-z]+ the `));
    expect(sentences[0]).not.toContain('canary');
  });

  it.each(['autoscalingLimitMinCu', 'autoscalingLimitMaxCu'])(
    'repeats no size when %s is among the secrets',
    (secret) => {
      const inputs = inputsOf({ autoscalingLimitMaxCu: 2 });
      const { sentences } = impactOfChanges(['autoscalingLimitMaxCu'], inputs, idle, {}, [secret]);
      expect(sentences).toEqual([
        'a change of autoscalingLimitMaxCu takes effect when the compute starts next; there are no connections to drop (it is idle now)',
      ]);
    },
  );

  it.each([
    ['suspendTimeoutSeconds', 60],
    ['name', 'web'],
    ['poolerEnabled', true],
    ['pgSettings', {}],
    ['passwordlessAccess', false],
  ] as const)('is empty for a change of %s', (name, value) => {
    expect(impactOf({ [name]: value })).toEqual(nothing);
  });
});

describe('the diagnostic of a failed suspension that is retried', () => {
  const failed = { unsettledOperations: [failedOf('suspend_compute')], __ledger: { owed: ['restart'] } };

  it('reports that the connections of an active compute drop', () => {
    expect(impactOf({}, endpointOf(), failed)).toEqual({
      sentences: [
        'repeating an unfinished restart restarts the compute and drops its connections (it is active now)',
      ],
      drops: true,
      restarts: false,
      mayDrop: [],
    });
  });

  it('reports a failed stop or move, after which the compute stays down', () => {
    const move = { unsettledOperations: [failedOf('suspend_compute')], __ledger: { owed: ['move'] } };
    expect(impactOf({}, endpointOf(), move).sentences).toEqual([
      'repeating an unfinished suspension suspends the compute: its connections drop (it is active now)',
    ]);
  });

  it('is empty for an idle compute', () => {
    expect(impactOf({}, idle, failed)).toEqual(nothing);
  });

  it('is part of the diagnostic of a restart, which suspends the compute too', () => {
    const { sentences, drops } = impactOf({ restartTriggers: { release: '2' } }, endpointOf(), failed);
    expect([sentences.length, drops]).toEqual([1, true]);
    expect(sentences[0]).toContain('restarts the compute');
  });

  it('reports dropped connections even beside a change that only might drop them', () => {
    const { drops, mayDrop } = impactOf({ autoscalingLimitMaxCu: unknownValue }, endpointOf(), failed);
    expect([drops, mayDrop]).toEqual([true, ['autoscalingLimitMaxCu']]);
  });

  it('is empty when another operation failed', () => {
    const start = { unsettledOperations: [failedOf('start_compute')], __ledger: { owed: ['start'] } };
    expect(impactOf({}, endpointOf(), start)).toEqual(nothing);
  });
});

it('describeRefusal names the changes that would drop connections, and how to continue', () => {
  expect(
    describeRefusal('ep-1', impactOf({ autoscalingLimitMaxCu: 2, branchId: 'br-2' }), dynamicSettingNames),
  ).toBe(
    'allowRestart is false, and a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) takes effect when the compute starts next; a change of branchId moves the endpoint: its connections drop (it is active now). Nothing was changed on endpoint ep-1. ' +
      'To continue, set allowRestart: true (or `pulumi config set postgresCompute:allowRestart true`), or apply the change while the compute is idle.',
  );
});

describe('findDisruptive', () => {
  it.each([
    ['projectId', true],
    ['branchId', true],
    ['autoscalingLimitMinCu', true],
    ['restartTriggers', true],
    ['name', false],
    ['pgSettings', false],
    ['waitForOperations', false],
  ] as const)('of a change of %s is %s', (name, expected) => {
    expect(findDisruptive([name], declared).length > 0).toBe(expected);
  });

  it.each([
    [true, true],
    // No client is connected to a disabled endpoint.
    [false, false],
    [unknownValue, true],
  ])('of a change of disabled to %s is %s', (value, expected) => {
    expect(findDisruptive(['disabled'], inputsOf({ disabled: value })).length > 0).toBe(expected);
  });
});
