import { describe, expect, it } from 'vitest';
import { declared, endpointOf } from '../../../tests/support/endpoint';
import { config, start, suspension } from '../../../tests/support/situation';
import { situationInState } from '../lifecycle/beginning';
import { evolve } from '../lifecycle/evolve';
import { mayDrop, plan } from '../lifecycle/plan';
import type { Unsettled } from '../lifecycle/resource-state';
import type { Situation } from '../lifecycle/situation';
import type { EndpointInputs } from './endpoint-inputs';
import { endpointFlow } from './endpoint-resource';
import { toOutputs } from './endpoint-state';

const failed = { status: 'failed' } as const;
const finished = { status: 'finished' } as const;

interface Update {
  readonly change?: Partial<EndpointInputs>;
  readonly asked?: readonly string[];
  readonly left?: Unsettled;
  readonly live?: Parameters<typeof endpointOf>[0];
  readonly listed?: Situation['own'];
}

/** The steps of an update in words; one that takes an active compute down has a mark. */
function planOf({ change = {}, asked = [], left = {}, live = {}, listed = [] }: Update): string {
  const inputs = { ...declared, ...change };
  const before = { ...toOutputs(endpointOf(), declared), ...left };
  const situation = evolve(
    situationInState(endpointFlow, inputs, before),
    { kind: 'asked', names: asked },
    endpointFlow,
  );
  const steps = plan({ ...situation, item: endpointOf(live) }, endpointFlow, listed);
  return steps
    .map(({ step, names, drops }) => [step, ...names, ...(drops ? ['!'] : [])].join(' '))
    .join(' > ');
}

const stored = (action: string, status: string) => [{ id: 'op', action, status }];
const max = ['autoscalingLimitMaxCu'];

describe('the plan of an update', () => {
  it.each<[string, Update, string]>([
    [
      'a resize',
      { change: { autoscalingLimitMaxCu: 2 }, asked: max },
      'send autoscalingLimitMaxCu ! > wait > read back',
    ],
    [
      'a resize of an idle compute',
      { change: { autoscalingLimitMaxCu: 2 }, asked: max, live: { current_state: 'idle' } },
      'send autoscalingLimitMaxCu > wait > read back',
    ],
    [
      'a trigger',
      { asked: ['restartTriggers'] },
      'suspend restartTriggers ! > wait > start > wait > read back',
    ],
    [
      'a trigger of an idle compute',
      { asked: ['restartTriggers'], live: { current_state: 'idle' } },
      'suspend restartTriggers > read back',
    ],
    [
      'a resize with a trigger: one restart',
      { change: { autoscalingLimitMaxCu: 2 }, asked: [...max, 'restartTriggers'] },
      'send autoscalingLimitMaxCu ! > wait > read back',
    ],
    ['a stop', { change: { disabled: true }, asked: ['disabled'] }, 'send disabled ! > wait > read back'],
    [
      'a stop with a trigger: no start',
      { change: { disabled: true }, asked: ['disabled', 'restartTriggers'] },
      'send disabled ! > wait > read back',
    ],
    ['a move', { change: { branchId: 'br-2' }, asked: ['branchId'] }, 'send branchId ! > wait > read back'],
    [
      'a change of the delay',
      { change: { suspendTimeoutSeconds: 60 }, asked: ['suspendTimeoutSeconds'] },
      'send suspendTimeoutSeconds > wait > read back',
    ],
  ])('%s', (_what, update, expected) => {
    expect(planOf(update)).toBe(expected);
  });
});

describe('the plan after a run that was cut off or failed', () => {
  it.each<[string, Update, string]>([
    [
      'a resize that failed at its start, and is reverted: one restart with the old size',
      {
        asked: max,
        left: { unsettledOperations: stored('start_compute', 'failed'), __ledger: { owed: ['start'] } },
        live: { autoscaling_limit_max_cu: 2, current_state: 'idle' },
      },
      'observe > send autoscalingLimitMaxCu > wait > start > wait > read back',
    ],
    [
      'Ctrl-C between suspension and start: waits, and starts',
      {
        left: {
          unsettledOperations: stored('suspend_compute', 'running'),
          __ledger: { owed: ['restart', 'start'] },
        },
        live: { current_state: 'idle' },
      },
      'wait > observe > start > wait > read back',
    ],
    [
      'a failed stop that is reverted: nothing goes down',
      {
        asked: ['disabled'],
        left: { unsettledOperations: stored('suspend_compute', 'failed'), __ledger: { owed: ['stop'] } },
        live: { disabled: true },
      },
      'observe > send disabled > read back',
    ],
    [
      'a killed resize whose work is done: nothing restarts',
      {
        change: { autoscalingLimitMaxCu: 2 },
        asked: max,
        live: { autoscaling_limit_max_cu: 2 },
        listed: [config(finished), suspension(finished), start(finished)],
      },
      'send autoscalingLimitMaxCu > trace > read back',
    ],
    [
      'a killed resize whose suspension failed: it is repeated',
      {
        change: { autoscalingLimitMaxCu: 2 },
        asked: max,
        live: { autoscaling_limit_max_cu: 2 },
        listed: [start(failed), suspension(failed), config(finished)],
      },
      'send autoscalingLimitMaxCu > trace > suspend ! > wait > start > wait > read back',
    ],
    [
      'a killed resize whose suspension is under way, with a trigger: that may come too late for it',
      {
        change: { autoscalingLimitMaxCu: 2 },
        asked: [...max, 'restartTriggers'],
        live: { autoscaling_limit_max_cu: 2 },
        listed: [start(), suspension(), config()],
      },
      'send autoscalingLimitMaxCu > trace > suspend restartTriggers ! > wait > start > wait > read back',
    ],
    [
      'a failed restart that others have repeated: nothing is left',
      {
        left: { unsettledOperations: stored('suspend_compute', 'failed'), __ledger: { owed: ['restart'] } },
        listed: [suspension({ id: 'again', ...finished })],
      },
      'observe > read back',
    ],
    [
      'a killed stop that failed, before it a start that has succeeded: the compute goes down',
      {
        change: { disabled: true },
        left: { unsettledOperations: stored('start_compute', 'running'), __ledger: { owed: ['start'] } },
        live: { disabled: true },
        listed: [suspension(failed)],
      },
      'wait > observe > suspend ! > wait > read back',
    ],
  ])('%s', (_what, update, expected) => {
    expect(planOf(update)).toBe(expected);
  });
});

describe('mayDrop', () => {
  const situationWith = (asked: readonly string[], left: Unsettled = {}, inputs: EndpointInputs = declared) =>
    evolve(
      situationInState(endpointFlow, inputs, { ...toOutputs(endpointOf(), declared), ...left }),
      { kind: 'asked', names: asked },
      endpointFlow,
    );

  it.each([
    [['branchId'], true],
    [['autoscalingLimitMinCu'], true],
    [['restartTriggers'], true],
    [['name', 'pgSettings'], false],
  ])('for a change of %s is %s', (asked, expected) => {
    expect(mayDrop(situationWith(asked), endpointFlow)).toBe(expected);
  });

  it('is true for an owed suspension, false for one of a reverted stop', () => {
    expect(mayDrop(situationWith([], { __ledger: { owed: ['restart'] } }), endpointFlow)).toBe(true);
    expect(mayDrop(situationWith([], { __ledger: { owed: ['stop'] } }), endpointFlow)).toBe(false);
  });

  it('is true for a stopped compute that an earlier run may have started', () => {
    const stopped = { ...declared, disabled: true };
    expect(mayDrop(situationWith([], { __ledger: { owed: ['start'] } }, stopped), endpointFlow)).toBe(true);
    expect(mayDrop(situationWith([], {}, stopped), endpointFlow)).toBe(false);
  });
});
