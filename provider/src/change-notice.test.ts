import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../tests/fixtures/endpoint';
import { describeChange, describeRefusal, describeUnsettled, isDisruptive } from './change-notice';
import { type EndpointInputs, unknownValue } from './endpoint-inputs';
import { findChanges, toOutputs } from './endpoint-state';

const outputs = toOutputs(endpointOf(), declared);

function noticeOf(change: Partial<Record<keyof EndpointInputs, unknown>>, live = endpointOf()) {
  // Unknown values stand where the types want the real ones.
  const inputs = { ...declared, ...change } as EndpointInputs;
  return describeChange({ changes: findChanges(outputs, inputs), outputs, inputs }, live);
}

describe('a change of size', () => {
  it('of an active compute restarts it and drops its connections', () => {
    expect(noticeOf({ autoscalingLimitMaxCu: 2 })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) restarts the compute and drops its connections (it is active now)',
      ],
      drops: true,
      mayDrop: [],
    });
  });

  it.each([
    ['idle', endpointOf({ current_state: 'idle' })],
    ['disabled', endpointOf({ current_state: 'idle', disabled: true })],
  ])('of a compute that is %s drops nothing', (state, live) => {
    const { sentences, drops } = noticeOf({ autoscalingLimitMaxCu: 2 }, live);
    expect(sentences[0]).toContain(
      `takes effect when the compute starts next; there are no connections to drop (it is ${state} now)`,
    );
    expect(drops).toBe(false);
  });

  it('of a compute whose state can not be read counts as one that drops connections', () => {
    const inputs = { ...declared, autoscalingLimitMaxCu: 2 };
    const planned = { changes: ['autoscalingLimitMaxCu'], outputs, inputs } as const;
    const { sentences, drops } = describeChange(planned, 'unreadable');
    expect(sentences[0]).toContain('(its state could not be read)');
    expect(drops).toBe(true);
    expect(describeChange(planned, 'gone')).toEqual({ sentences: [], drops: false, mayDrop: [] });
  });

  it('to a value that is not known yet may drop connections, and says no more than that', () => {
    expect(noticeOf({ autoscalingLimitMaxCu: unknownValue })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => a size not known yet) may restart the compute and drop its connections (it is active now)',
      ],
      drops: false,
      mayDrop: ['autoscalingLimitMaxCu'],
    });
  });

  it('of a compute that is starting restarts it: it is active by then', () => {
    const starting = endpointOf({ current_state: 'init', pending_state: 'active' });
    const { sentences, drops } = noticeOf({ autoscalingLimitMaxCu: 2 }, starting);
    expect(sentences[0]).toContain('restarts the compute and drops its connections (it is starting now)');
    expect(drops).toBe(true);
  });
});

it('a move to another branch drops connections', () => {
  expect(noticeOf({ branchId: 'br-2' }).sentences).toEqual([
    'a change of branchId moves the endpoint: its connections drop (it is active now)',
  ]);
});

it('a move of an idle compute drops nothing', () => {
  const { sentences, drops } = noticeOf({ branchId: 'br-2' }, endpointOf({ current_state: 'idle' }));
  expect(sentences[0]).toContain('moves the endpoint: there are no connections to drop (it is idle now)');
  expect(drops).toBe(false);
});

it('a move to a branch that is not made yet may drop connections', () => {
  expect(noticeOf({ branchId: unknownValue })).toEqual({
    sentences: ['a change of branchId may move the endpoint: its connections drop (it is active now)'],
    drops: false,
    mayDrop: ['branchId'],
  });
});

it('triggers restart the compute, and their values are not repeated', () => {
  expect(noticeOf({ restartTriggers: { release: '2' } })).toMatchObject({
    sentences: [
      'a change of restartTriggers restarts the compute and drops its connections (it is active now)',
    ],
    drops: true,
  });
});

it('only sizes are repeated: another value may be a secret', () => {
  expect(noticeOf({ provisioner: 'canary-provisioner' }).sentences[0]).toBe(
    'a change of provisioner replaces the endpoint: its host name changes, and clients have to connect to the new one (it is active now)',
  );
});

it('a size that the service reports already is applied again', () => {
  const inputs = { ...declared };
  const { sentences } = describeChange({ changes: ['autoscalingLimitMaxCu'], outputs, inputs }, endpointOf());
  expect(sentences[0]).toMatch(
    /^applying again autoscalingLimitMaxCu \(0\.25 to 1 CU\) restarts the compute/,
  );
});

describe('a failed suspension', () => {
  const failed = [{ action: 'suspend_compute', id: 'op-1', status: 'failed' }];
  const planned = { changes: [], failed, outputs, inputs: declared };

  it('drops connections when it is repeated', () => {
    expect(isDisruptive([], declared, failed)).toBe(true);
    expect(describeChange(planned, endpointOf())).toEqual({
      sentences: [
        'repeating the failed suspend_compute op-1 suspends the compute: its connections drop (it is active now)',
      ],
      drops: true,
      mayDrop: [],
    });
  });

  it('of an idle compute drops nothing', () => {
    expect(describeChange(planned, endpointOf({ current_state: 'idle' })).drops).toBe(false);
  });

  it('is the only operation whose failure can drop connections', () => {
    expect(isDisruptive([], declared, [{ action: 'start_compute', id: 'op-1', status: 'failed' }])).toBe(
      false,
    );
  });
});

describe('what an earlier run left', () => {
  it('is named', () => {
    const unsettledOperations = [{ action: 'start_compute', id: 'op-1', status: 'failed' }];
    expect(describeUnsettled({ ...outputs, unsettledOperations })).toBe(
      'the last update did not finish: `pulumi up` retries what failed: start_compute op-1 (failed)',
    );
  });

  it('is waited for when it is unfinished, and applied when it was not accepted', () => {
    const unsettledOperations = [{ action: 'start_compute', id: 'op-1', status: 'running' }];
    expect(describeUnsettled({ ...outputs, unsettledOperations, __unapplied: ['name'] })).toBe(
      'the last update did not finish: `pulumi up` keeps waiting for start_compute op-1 (running); `pulumi up` applies name again',
    );
  });
});

it('disabling stops the compute and drops connections; enabling says nothing', () => {
  expect(noticeOf({ disabled: true }).sentences[0]).toContain('stops the compute: its connections drop');
  expect(isDisruptive(['disabled'], { ...declared, disabled: false })).toBe(false);
});

it('a replacement says that the host name changes', () => {
  expect(noticeOf({ projectId: 'p-2', autoscalingLimitMaxCu: 2 }).sentences).toEqual([
    expect.stringContaining('a change of projectId replaces the endpoint: its host name changes'),
  ]);
});

it.each([
  ['suspendTimeoutSeconds', 60],
  ['name', 'web'],
  ['poolerEnabled', true],
  ['pgSettings', {}],
  ['passwordlessAccess', false],
  ['timeouts', { create: 5 }],
] as const)('a change of %s says nothing', (name, value) => {
  expect(noticeOf({ [name]: value })).toEqual({ sentences: [], drops: false, mayDrop: [] });
});

it('a refusal names the properties and the ways to go on', () => {
  expect(describeRefusal('ep-1', noticeOf({ autoscalingLimitMaxCu: 2 }))).toMatch(
    /^allowRestart is false, and a change of autoscalingLimitMaxCu .* restarts .* set allowRestart: true .* apply the change while the compute is idle\.$/,
  );
});
