import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../tests/fixtures/endpoint';
import { describeChange, describeRefusal, describeUnsettled, findDisruptive } from './change-notice';
import { type EndpointInputs, unknownValue } from './endpoint-inputs';
import { findChanges, toOutputs } from './endpoint-state';

const outputs = toOutputs(endpointOf(), declared);

function noticeOf(change: Partial<Record<keyof EndpointInputs, unknown>>, live = endpointOf()) {
  // Unknown values stand where the types want the real ones.
  const wanted = { ...declared, ...change } as EndpointInputs;
  return describeChange(findChanges(outputs, wanted), outputs, wanted, live);
}

describe('a change of size', () => {
  it('of an active compute restarts it and drops its connections', () => {
    expect(noticeOf({ autoscalingLimitMaxCu: 2 })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => 0.25 to 2 CU) restarts the compute and drops its connections (it is active now)',
      ],
      dropping: ['autoscalingLimitMaxCu'],
      mayDrop: [],
    });
  });

  it.each([
    ['idle', endpointOf({ current_state: 'idle' })],
    ['disabled', endpointOf({ current_state: 'idle', disabled: true })],
  ])('of a compute that is %s drops nothing', (state, live) => {
    const { sentences, dropping } = noticeOf({ autoscalingLimitMaxCu: 2 }, live);
    expect(sentences[0]).toContain(
      `takes effect when the compute starts next; there are no connections to drop (it is ${state} now)`,
    );
    expect(dropping).toEqual([]);
  });

  it('of a compute whose state can not be read counts as one that drops connections', () => {
    const wanted = { ...declared, autoscalingLimitMaxCu: 2 };
    const { sentences, dropping } = describeChange(['autoscalingLimitMaxCu'], outputs, wanted, undefined);
    expect(sentences[0]).toContain('(its state could not be read)');
    expect(dropping).toEqual(['autoscalingLimitMaxCu']);
  });

  it('to a value that is not known yet may drop connections, and says no more than that', () => {
    expect(noticeOf({ autoscalingLimitMaxCu: unknownValue })).toEqual({
      sentences: [
        'a change of autoscalingLimitMaxCu (0.25 to 1 CU => a size not known yet) may restart the compute and drop its connections (it is active now)',
      ],
      dropping: [],
      mayDrop: ['autoscalingLimitMaxCu'],
    });
  });

  it('of a compute that is starting restarts it: it is active by then', () => {
    const starting = endpointOf({ current_state: 'init', pending_state: 'active' });
    const { sentences, dropping } = noticeOf({ autoscalingLimitMaxCu: 2 }, starting);
    expect(sentences[0]).toContain('restarts the compute and drops its connections (it is starting now)');
    expect(dropping).toEqual(['autoscalingLimitMaxCu']);
  });
});

it('a move to another branch drops connections', () => {
  expect(noticeOf({ branchId: 'br-2' }).sentences).toEqual([
    'a change of branchId (br-1 => br-2) moves the endpoint: its connections drop (it is active now)',
  ]);
});

it('a move of an idle compute drops nothing', () => {
  const { sentences, dropping } = noticeOf({ branchId: 'br-2' }, endpointOf({ current_state: 'idle' }));
  expect(sentences[0]).toContain('moves the endpoint: there are no connections to drop (it is idle now)');
  expect(dropping).toEqual([]);
});

it('a move to a branch that is not made yet may drop connections', () => {
  expect(noticeOf({ branchId: unknownValue })).toEqual({
    sentences: [
      'a change of branchId (br-1 => a value not known yet) may move the endpoint: its connections drop (it is active now)',
    ],
    dropping: [],
    mayDrop: ['branchId'],
  });
});

it('triggers restart the compute, and their values are not repeated', () => {
  expect(noticeOf({ restartTriggers: { release: '2' } })).toMatchObject({
    sentences: [
      'a change of restartTriggers restarts the compute and drops its connections (it is active now)',
    ],
    dropping: ['restartTriggers'],
  });
});

it('what the endpoint did not have is said as such', () => {
  const { provisioner: _, ...unprovisioned } = outputs;
  const wanted = { ...declared, provisioner: 'k8s-neonvm' };
  const { sentences } = describeChange(['provisioner'], unprovisioned, wanted, endpointOf());
  expect(sentences[0]).toContain('a change of provisioner (none => k8s-neonvm) replaces the endpoint');
});

describe('what an earlier run left', () => {
  it('is named', () => {
    const unsettledOperations = [{ action: 'start_compute', id: 'op-1', status: 'failed' }];
    expect(describeUnsettled({ ...outputs, unsettledOperations })).toBe(
      'the last update did not end (start_compute op-1 failed); `pulumi up` takes it up again',
    );
  });

  it('is told also when it was no operation', () => {
    expect(describeUnsettled(outputs)).toBe('the last update did not end; `pulumi up` takes it up again');
  });
});

it('disabling stops the compute and drops connections; enabling says nothing', () => {
  expect(noticeOf({ disabled: true }).sentences[0]).toContain('stops the compute: its connections drop');
  expect(findDisruptive(['disabled'], { ...declared, disabled: false })).toEqual([]);
});

it('a replacement says that the host name changes', () => {
  expect(noticeOf({ projectId: 'p-2', autoscalingLimitMaxCu: 2 }).sentences).toEqual([
    expect.stringContaining('(p-1 => p-2) replaces the endpoint: its host name changes'),
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
  expect(noticeOf({ [name]: value })).toEqual({ sentences: [], dropping: [], mayDrop: [] });
});

it('a refusal names the properties and the ways to go on', () => {
  expect(describeRefusal('ep-1', noticeOf({ autoscalingLimitMaxCu: 2 }))).toMatch(
    /^allowRestart is false, and a change of autoscalingLimitMaxCu .* restarts .* set allowRestart: true .* apply the change of autoscalingLimitMaxCu while the compute is idle\.$/,
  );
});
