import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { failedOf } from '../../../tests/support/operation';
import { dynamicSettingNames } from '../config/setting-names';
import type { Endpoint } from '../control-api/wire-types';
import { situationInState } from '../lifecycle/beginning';
import { evolve } from '../lifecycle/evolve';
import { isUnknown, unknownValue } from '../lifecycle/input-values';
import { plan } from '../lifecycle/plan';
import type { Unsettled } from '../lifecycle/resource-state';
import { describeImpact, describeRefusal } from './change-impact';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import { endpointFlow } from './endpoint-resource';
import { toOutputs } from './endpoint-state';

const outputs = toOutputs(endpointOf(), declared);

type Change = Partial<Record<keyof EndpointInputs, unknown>>;

// The types do not include unknown values.
const inputsOf = (change: Change) => ({ ...declared, ...change }) as EndpointInputs;

function impactOf(change: Change, live: Endpoint = endpointOf(), left: Unsettled = {}) {
  const inputs = inputsOf(change);
  const changes = endpointArguments.findChanges({ inputs: declared, outputs }, inputs);
  return impactOfChanges(changes, inputs, live, left);
}

function impactOfChanges(
  changes: readonly InputName[],
  inputs: EndpointInputs,
  live: Endpoint = endpointOf(),
  left: Unsettled = {},
  secretNames: readonly string[] = [],
) {
  const asked = { kind: 'asked', names: changes.filter((name) => !isUnknown(inputs[name])) } as const;
  const situation = evolve(
    situationInState(endpointFlow, inputs, { ...outputs, ...left }),
    asked,
    endpointFlow,
  );
  const steps = plan({ ...situation, item: live }, endpointFlow);
  return describeImpact({ changes, live, steps, inputs, was: { secretNames } });
}

const larger = { autoscalingLimitMaxCu: 2 };
const moved = { branchId: 'br-2' };
const active = endpointOf();
const idle = endpointOf({ current_state: 'idle' });
const disabled = endpointOf({ current_state: 'idle', disabled: true });
const starting = endpointOf({ current_state: 'init', pending_state: 'active' });
const nothing = { sentences: [], drops: false, restarts: false, mayDrop: [] };
const told = (sentence: string, effects: readonly string[] = [], mayDrop: readonly string[] = []) => ({
  sentences: [sentence],
  drops: effects.includes('drops'),
  restarts: effects.includes('restarts'),
  mayDrop,
});

describe('the diagnostic of a change of size', () => {
  it('treats a compute that is starting as active', () => {
    const { sentences, drops } = impactOf(larger, starting);
    expect(sentences[0]).toContain('restarts the compute, drops connections (starting now): ');
    expect(drops).toBe(true);
  });

  it('reports that an unknown size may drop connections', () => {
    expect(impactOf({ autoscalingLimitMaxCu: unknownValue })).toEqual(
      told(
        'restarts the compute, drops connections (active now), unless the value stays the same: max 1 => a size not known yet',
        ['restarts'],
        ['autoscalingLimitMaxCu'],
      ),
    );
  });
});

describe('the diagnostic of a change', () => {
  const resized = endpointOf({ autoscaling_limit_max_cu: 2 });
  const later = (state: string) =>
    told(`takes effect at the next start, no connections to drop (${state} now): max 1 => 2 CU`);
  const drop = 'drops connections (active now)';
  const noDrop = 'no connections to drop (idle now)';
  const stop = { disabled: true };

  it.each<[string, Change, Endpoint, ReturnType<typeof told>]>([
    [
      'the restart of an active compute',
      larger,
      active,
      told(`restarts the compute, ${drop}: max 1 => 2 CU`, ['drops', 'restarts']),
    ],
    ['no drop from an idle compute', larger, idle, later('idle')],
    ['no drop from a disabled endpoint', larger, disabled, later('disabled')],
    ['a size that is applied', larger, resized, told('is applied already, no further restart: max 2 CU')],
    [
      'the drop of a move',
      moved,
      active,
      told(`moves the endpoint, ${drop}: branch br-1 => br-2`, ['drops']),
    ],
    ['the move of an idle compute', moved, idle, told(`moves the endpoint, ${noDrop}: branch br-1 => br-2`)],
    [
      'the possible drop of a move to an unknown branch',
      { branchId: unknownValue },
      active,
      told(
        `moves the endpoint, ${drop}, unless the value stays the same: branch br-1 => a branch not known yet`,
        [],
        ['branchId'],
      ),
    ],
    ['the drop of a stop', stop, active, told(`stops the compute, ${drop}: disabled`, ['drops'])],
    ['no stop of an idle compute', stop, idle, told(`disables the endpoint, ${noDrop}: disabled`)],
    [
      'only the replacement when the endpoint is replaced',
      { ...larger, ...moved, projectId: 'p-2' },
      active,
      told(`replaces the endpoint, changes its host, ${drop}: projectId`, ['drops']),
    ],
  ])('reports %s', (_what, change, live, expected) => {
    expect(impactOf(change, live)).toEqual(expected);
  });

  it('has one sentence for all effects', () => {
    expect(impactOf({ branchId: 'br-2', disabled: true, autoscalingLimitMaxCu: 2 }).sentences).toEqual([
      'moves the endpoint, stops the compute, drops connections (active now): branch br-1 => br-2, max 1 => 2 CU, disabled',
    ]);
  });

  it.each([
    ['restartTriggers', { release: 'canary' }],
    ['projectId', 'canary'],
    ['provisioner', 'canary'],
    ['regionId', 'canary'],
  ])('never repeats a value of %s, which may be a secret', (name, value) => {
    const { sentences } = impactOf({ [name]: value });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(new RegExp(`^[a-z]+ the .*: ${name}$`));
    expect(sentences[0]).not.toContain('canary');
  });

  it('repeats no branch that is a secret', () => {
    const { sentences } = impactOfChanges(['branchId'], inputsOf(moved), idle, {}, ['branchId']);
    expect(sentences).toEqual(['moves the endpoint, no connections to drop (idle now): branchId']);
  });

  it.each(['autoscalingLimitMinCu', 'autoscalingLimitMaxCu'])(
    'repeats no size when %s is among the secrets',
    (secret) => {
      const inputs = inputsOf({ autoscalingLimitMaxCu: 2 });
      const { sentences } = impactOfChanges(['autoscalingLimitMaxCu'], inputs, idle, {}, [secret]);
      expect(sentences).toEqual([
        'takes effect at the next start, no connections to drop (idle now): autoscalingLimitMaxCu',
      ]);
    },
  );
});

describe('the diagnostic of a failed suspension that is retried', () => {
  const failed = { unsettledOperations: [failedOf('suspend_compute')], __ledger: { owed: ['restart'] } };

  it('reports that the connections of an active compute drop', () => {
    expect(impactOf({}, endpointOf(), failed)).toEqual(
      told(
        'restarts the compute, drops connections (active now): it repeats what the last update left unfinished',
        ['drops', 'restarts'],
      ),
    );
  });

  it('reports a failed stop or move, after which the compute stays down', () => {
    const move = { unsettledOperations: [failedOf('suspend_compute')], __ledger: { owed: ['move'] } };
    expect(impactOf({}, endpointOf(), move).sentences).toEqual([
      'moves the endpoint, drops connections (active now): it repeats what the last update left unfinished',
    ]);
  });

  it('is empty for an idle compute', () => {
    expect(impactOf({}, idle, failed)).toEqual(nothing);
  });

  it('reports certain drops beside possible ones', () => {
    const { drops, mayDrop } = impactOf({ autoscalingLimitMaxCu: unknownValue }, endpointOf(), failed);
    expect([drops, mayDrop]).toEqual([true, ['autoscalingLimitMaxCu']]);
  });

  it('is empty when another operation failed', () => {
    const start = { unsettledOperations: [failedOf('start_compute')], __ledger: { owed: ['start'] } };
    expect(impactOf({}, endpointOf(), start)).toEqual(nothing);
  });
});

it.each([
  [
    undefined,
    [],
    'Nothing was changed on endpoint ep-1',
    'true (or `pulumi config set postgresCompute:allowRestart true`)',
  ],
  [false, ['name'], 'Of endpoint ep-1, this update has changed name', 'true'],
])(
  'describeRefusal, allowRestart %s: what drops connections, who decides',
  (allowRestart, sent, done, advice) => {
    const impact = impactOf({ autoscalingLimitMaxCu: 2, branchId: 'br-2' });
    expect(describeRefusal('ep-1', impact, inputsOf({ allowRestart }), dynamicSettingNames, sent)).toBe(
      `allowRestart is false, and this moves the endpoint, drops connections (active now): branch br-1 => br-2, max 1 => 2 CU. ${done}. ` +
        `To continue, set allowRestart: ${advice}, or apply the change while the compute is idle.`,
    );
  },
);
