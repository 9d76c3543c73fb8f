import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { findChanges } from '../endpoint/endpoint-changes';
import { type EndpointInputs, unknownValue } from '../endpoint/endpoint-inputs';
import { toOutputs, type UnsettledOperation } from '../endpoint/endpoint-outputs';
import {
  assessChange,
  describeRefusal,
  describeUnsettled,
  isDisruptive,
  type LiveEndpoint,
} from './change-impact';

const outputs = toOutputs(endpointOf(), declared);

type Change = Partial<Record<keyof EndpointInputs, unknown>>;

// Unknown values stand where the types want the real ones.
const inputsOf = (change: Change) => ({ ...declared, ...change }) as EndpointInputs;

function impactOf(
  change: Change,
  live: LiveEndpoint = endpointOf(),
  failed: readonly UnsettledOperation[] = [],
) {
  const inputs = inputsOf(change);
  return assessChange(
    { changes: findChanges({ inputs: declared, outputs }, inputs), failed, outputs, inputs },
    live,
  );
}

const failedOf = (action: string): UnsettledOperation => ({ action, id: 'op-1', status: 'failed' });

const idle = endpointOf({ current_state: 'idle' });
const disabled = endpointOf({ disabled: true });
const starting = endpointOf({ current_state: 'init', pending_state: 'active' });
const nothing = { sentences: [], drops: false, mayDrop: [] };

describe('the notice of a change of size', () => {
  it('says that it restarts an active compute and drops its connections', () => {
    expect(impactOf({ autoscalingLimitMaxCu: 2 })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) restarts the compute and drops its connections (it is active now)',
      ],
      drops: true,
      mayDrop: [],
    });
  });

  it.each([
    ['idle', idle],
    ['disabled', disabled],
  ])('says that it drops no connection of a compute that is %s', (state, live) => {
    expect(impactOf({ autoscalingLimitMaxCu: 2 }, live)).toEqual({
      sentences: [
        `a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) takes effect when the compute starts next; there are no connections to drop (it is ${state} now)`,
      ],
      drops: false,
      mayDrop: [],
    });
  });

  it('takes a compute that is starting for active: it is by the time that the change arrives', () => {
    const { sentences, drops } = impactOf({ autoscalingLimitMaxCu: 2 }, starting);
    expect(sentences[0]).toMatch(/restarts the compute and drops its connections \(it is starting now\)$/);
    expect(drops).toBe(true);
  });

  it('takes a compute whose state can not be read for active', () => {
    const { sentences, drops } = impactOf({ autoscalingLimitMaxCu: 2 }, 'unreadable');
    expect(sentences[0]).toMatch(
      /restarts the compute and drops its connections \(its state could not be read\)$/,
    );
    expect(drops).toBe(true);
  });

  it('says that a size which is not known yet may drop connections', () => {
    expect(impactOf({ autoscalingLimitMaxCu: unknownValue })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => a size not known yet) may restart the compute and drop its connections (it is active now)',
      ],
      drops: false,
      mayDrop: ['autoscalingLimitMaxCu'],
    });
  });

  it('says once that the size and the triggers restart the compute', () => {
    const change = {
      autoscalingLimitMinCu: 0.5,
      autoscalingLimitMaxCu: 2,
      restartTriggers: { release: '2' },
    };
    expect(impactOf(change).sentences).toEqual([
      'a change of autoscalingLimitMinCu and autoscalingLimitMaxCu (0.25 to 1 CU => 0.5 to 2 CU) and restartTriggers restarts the compute and drops its connections (it is active now)',
    ]);
  });

  it('says that a size which the service reports already is applied again', () => {
    const planned = { changes: ['autoscalingLimitMaxCu'], outputs, inputs: declared } as const;
    expect(assessChange(planned, endpointOf()).sentences).toEqual([
      'applying again autoscalingLimitMaxCu (0.25 to 1 CU) restarts the compute and drops its connections (it is active now)',
    ]);
  });
});

describe('the notice of a change', () => {
  it('says nothing about an endpoint that no longer exists', () => {
    expect(impactOf({ autoscalingLimitMaxCu: 2 }, 'gone', [failedOf('suspend_compute')])).toEqual(nothing);
  });

  it('says that a move to another branch drops connections', () => {
    expect(impactOf({ branchId: 'br-2' })).toEqual({
      sentences: ['a change of branchId moves the endpoint: its connections drop (it is active now)'],
      drops: true,
      mayDrop: [],
    });
  });

  it('says that a move of an idle compute drops nothing', () => {
    expect(impactOf({ branchId: 'br-2' }, idle)).toEqual({
      sentences: [
        'a change of branchId moves the endpoint: there are no connections to drop (it is idle now)',
      ],
      drops: false,
      mayDrop: [],
    });
  });

  it('says that a move to a branch which is not made yet may drop connections', () => {
    expect(impactOf({ branchId: unknownValue })).toEqual({
      sentences: ['a change of branchId may move the endpoint: its connections drop (it is active now)'],
      drops: false,
      mayDrop: ['branchId'],
    });
  });

  it('says that disabling the endpoint drops connections', () => {
    expect(impactOf({ disabled: true })).toEqual({
      sentences: ['a change of disabled stops the compute: its connections drop (it is active now)'],
      drops: true,
      mayDrop: [],
    });
  });

  it('says nothing else about an endpoint that is replaced', () => {
    expect(impactOf({ projectId: 'p-2', autoscalingLimitMaxCu: 2, branchId: 'br-2' })).toEqual({
      sentences: [
        'a change of projectId replaces the endpoint: its host name changes, and clients have to connect to the new one (it is active now)',
      ],
      drops: true,
      mayDrop: [],
    });
  });

  it('has a sentence for each of several things that happen', () => {
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

  it.each([
    ['suspendTimeoutSeconds', 60],
    ['name', 'web'],
    ['poolerEnabled', true],
    ['pgSettings', {}],
    ['passwordlessAccess', false],
    ['timeouts', { create: 5 }],
  ] as const)('says nothing about %s', (name, value) => {
    expect(impactOf({ [name]: value })).toEqual(nothing);
  });
});

describe('the notice of a failed suspension that is repeated', () => {
  const failed = [failedOf('start_compute'), failedOf('suspend_compute')];

  it('says that it drops the connections of an active compute', () => {
    expect(impactOf({}, endpointOf(), failed)).toEqual({
      sentences: [
        'repeating the failed suspend_compute op-1 suspends the compute: its connections drop (it is active now)',
      ],
      drops: true,
      mayDrop: [],
    });
  });

  it('says that it drops no connection of an idle compute', () => {
    expect(impactOf({}, idle, failed)).toEqual({
      sentences: [
        'repeating the failed suspend_compute op-1 suspends the compute: there are no connections to drop (it is idle now)',
      ],
      drops: false,
      mayDrop: [],
    });
  });

  it('is a part of the notice of a restart, which suspends the compute as well', () => {
    const { sentences, drops } = impactOf({ restartTriggers: { release: '2' } }, endpointOf(), failed);
    expect([sentences.length, drops]).toEqual([1, true]);
    expect(sentences[0]).toContain('restarts the compute');
  });

  it('says that connections drop beside a change that only may drop them', () => {
    const { drops, mayDrop } = impactOf({ autoscalingLimitMaxCu: unknownValue }, endpointOf(), failed);
    expect([drops, mayDrop]).toEqual([true, ['autoscalingLimitMaxCu']]);
  });

  it('says nothing when another operation had failed', () => {
    expect(impactOf({}, endpointOf(), [failedOf('start_compute')])).toEqual(nothing);
  });
});

describe('isDisruptive', () => {
  it.each([
    ['projectId', true],
    ['branchId', true],
    ['autoscalingLimitMinCu', true],
    ['restartTriggers', true],
    ['name', false],
    ['pgSettings', false],
    ['timeouts', false],
  ] as const)('of a change of %s is %s', (name, expected) => {
    expect(isDisruptive([name], declared)).toBe(expected);
  });

  it.each([
    [true, true],
    // No client is connected to a disabled endpoint.
    [false, false],
    [unknownValue, true],
  ])('of a change of disabled to %s is %s', (value, expected) => {
    expect(isDisruptive(['disabled'], inputsOf({ disabled: value }))).toBe(expected);
  });

  it('is true of a failed suspension, which is repeated, and of no other failed operation', () => {
    expect(isDisruptive([], declared, [failedOf('start_compute'), failedOf('suspend_compute')])).toBe(true);
    expect(isDisruptive([], declared, [failedOf('start_compute'), failedOf('apply_config')])).toBe(false);
  });

  it('is false of nothing', () => {
    expect(isDisruptive([], declared)).toBe(false);
  });
});

describe('describeUnsettled', () => {
  const unfinished = { action: 'apply_config', id: 'op-2', status: 'running' };

  it('names the operations that `pulumi up` keeps waiting for', () => {
    const unsettledOperations = [unfinished, { ...unfinished, id: 'op-3', status: 'scheduling' }];
    expect(describeUnsettled({ ...outputs, unsettledOperations })).toBe(
      'the last update did not finish: `pulumi up` keeps waiting for apply_config op-2 (running), apply_config op-3 (scheduling)',
    );
  });

  it('names the failed operations that `pulumi up` retries', () => {
    expect(describeUnsettled({ ...outputs, unsettledOperations: [failedOf('start_compute')] })).toBe(
      'the last update did not finish: `pulumi up` retries what failed: start_compute op-1 (failed)',
    );
  });

  it('names the arguments that `pulumi up` applies again', () => {
    expect(describeUnsettled({ ...outputs, __unapplied: ['name', 'branchId'] })).toBe(
      'the last update did not finish: `pulumi up` applies name, branchId again',
    );
  });

  it('names everything that is left', () => {
    const left = {
      unsettledOperations: [failedOf('start_compute'), unfinished],
      __unapplied: ['name'] as const,
    };
    expect(describeUnsettled({ ...outputs, ...left })).toBe(
      'the last update did not finish: `pulumi up` keeps waiting for apply_config op-2 (running); `pulumi up` retries what failed: start_compute op-1 (failed); `pulumi up` applies name again',
    );
  });
});

it('describeRefusal names what would drop connections, and the ways to continue', () => {
  expect(describeRefusal('ep-1', impactOf({ autoscalingLimitMaxCu: 2, branchId: 'br-2' }))).toBe(
    'allowRestart is false, and a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) restarts the compute and drops its connections (it is active now); a change of branchId moves the endpoint: its connections drop (it is active now). Nothing was changed on endpoint ep-1. ' +
      'To continue, set allowRestart: true (or `pulumi config set postgresCompute:allowRestart true`), or apply the change while the compute is idle.',
  );
});
