import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import {
  activeItem,
  config,
  evolved,
  owedAfter,
  situationOf,
  start,
  suspension,
} from '../../../tests/support/situation';
import { namesAt } from './ledger';
import type { Event, Situation } from './situation';

const failed = { status: 'failed' } as const;
const resize = ['autoscalingLimitMaxCu'];

const sentFor = (names: readonly string[], started: Situation['own']): Event => ({
  kind: 'accepted',
  names,
  started,
});

describe('asked', () => {
  it('never overwrites what is on its way: due, untraced or last', () => {
    const stages = { name: 'last', pgSettings: 'due', poolerEnabled: 'untraced', disabled: 'sent' } as const;
    const { ledger } = evolved(situationOf({ stages }), {
      kind: 'asked',
      names: Object.keys(stages),
    });
    expect(ledger.stages).toEqual({ ...stages, disabled: 'asked' });
  });
});

describe('shown and answered', () => {
  const older = { ...activeItem, updated_at: '2025-01-01T00:00:00.000Z', current_state: 'idle' };

  it('keep the newer view of the resource', () => {
    expect(evolved(situationOf(), { kind: 'shown', item: older }).item).toBe(activeItem);
    expect(evolved(situationOf({ item: older }), { kind: 'shown', item: activeItem }).item).toBe(activeItem);
  });

  it('open the view after a response: the resource is to be read back', () => {
    const answered = evolved(situationOf(), { kind: 'answered', item: activeItem });
    expect([answered.view, answered.writes]).toEqual(['open', 'accepted']);
  });

  it('leave the outcome unknown after a lost response, until one is accepted', () => {
    const lost = evolved(situationOf(), { kind: 'lost' });
    const answered = evolved(lost, { kind: 'answered', item: activeItem });
    expect([lost.writes, answered.writes]).toEqual(['unknown', 'unknown']);
    expect(evolved(answered, sentFor(['name'], [config()])).writes).toBe('accepted');
  });
});

describe('operations that the rules do not record', () => {
  it('are waited for and fail the run, but pay and owe nothing', () => {
    const isRecorded = ({ id }: { id: string }) => id === 'copy';
    const rules = { effectsOf: () => [], repeatable: () => [], isRecorded };
    const copy = operationOf({
      id: 'copy',
      action: 'create_branch',
      branch_id: 'br-1',
      endpoint_id: undefined,
    });
    const others = [start({ branch_id: 'br-1' }), { ...copy, id: 'preserved', branch_id: 'br-2' }];
    const { ledger, own } = evolved(
      situationOf({ stages: { resetTriggers: 'asked' } }),
      sentFor(['resetTriggers'], [copy, ...others]),
      rules,
    );
    expect([own.length, ledger.owed, ledger.operations]).toEqual([3, ['data'], [copy]]);
  });
});

describe('broken off', () => {
  const brokenOff = (step: 'send' | 'suspend', names: readonly string[]): Event => ({
    kind: 'broken off',
    step,
    names,
  });
  const asking = situationOf({ stages: { name: 'asked' } });

  it('leaves what was asked to the next diff when nothing was sent', () => {
    expect(evolved(asking, brokenOff('send', ['name'])).ledger.stages).toEqual({ name: 'asked' });
  });

  it('leaves the arguments of a lost request due', () => {
    const lost = evolved(asking, { kind: 'lost' });
    expect(evolved(lost, brokenOff('send', ['name'])).ledger.stages).toEqual({ name: 'due' });
  });

  it('owes the start of a restart whose suspension was lost', () => {
    const asked = situationOf({ stages: { restartTriggers: 'asked' }, writes: 'unknown' });
    expect(owedAfter(asked, brokenOff('suspend', []))).toEqual(['restart', 'start']);
  });
});

describe('accepted', () => {
  it('owes what the operations of the response are to pay', () => {
    const started = [config(), suspension(), start()];
    expect(owedAfter(situationOf(), sentFor(resize, started))).toEqual(['config', 'restart', 'start']);
    expect(owedAfter(situationOf(), sentFor(['branchId'], [config(), suspension()]))).toEqual([
      'config',
      'move',
    ]);
    // A move leaves the compute idle, also one that was about to start.
    const starting = situationOf({ owed: ['start'] });
    expect(owedAfter(starting, sentFor(['branchId'], [config(), suspension()]))).toEqual(['config', 'move']);
    const stopping = situationOf({ inputs: { disabled: true } });
    expect(owedAfter(stopping, sentFor(['disabled'], [suspension()]))).toEqual(['stop']);
  });

  it('owes nothing for an unexplained suspension, and waits for it', () => {
    const sent = evolved(situationOf(), sentFor(['pgSettings'], [suspension()]));
    expect([sent.ledger.owed, sent.own.length]).toEqual([[], 1]);
  });

  it('pays a failed configuration that was sent again', () => {
    const left = situationOf({ owed: ['config'], operations: [config(failed)] });
    const { ledger } = evolved(left, sentFor(['pgSettings'], [config({ id: 'again' })]));
    expect([ledger.owed, ledger.operations.map(({ id }) => id)]).toEqual([['config'], ['again']]);
  });

  it('pays a failed configuration of which nothing can be sent again', () => {
    const left = situationOf({ owed: ['config'], operations: [config(failed)] });
    expect(owedAfter(left, sentFor([], []))).toEqual([]);
  });

  it('pays a stop that is reverted, and forgets its suspension', () => {
    const left = situationOf({ owed: ['stop'], operations: [suspension()] });
    const { ledger } = evolved(left, sentFor(['disabled'], []));
    expect([ledger.owed, ledger.operations]).toEqual([[], []]);
  });

  it('keeps a failed restart when a stop is reverted', () => {
    const left = situationOf({ owed: ['stop', 'restart'], operations: [suspension(failed)] });
    expect(owedAfter(left, sentFor(['disabled'], []))).toEqual(['restart']);
  });

  it('serves a trigger with the restart of a change of size', () => {
    const asked = situationOf({ stages: { restartTriggers: 'asked', autoscalingLimitMaxCu: 'asked' } });
    const { ledger } = evolved(asked, sentFor(resize, [config(), suspension(), start()]));
    expect(ledger.stages).toEqual({ restartTriggers: 'sent', autoscalingLimitMaxCu: 'sent' });
  });

  it.each<[string, readonly string[], Situation['own'], Situation['writes'], string]>([
    ['a size that restarts nothing on an active compute', resize, [config()], 'none', 'untraced'],
    ['a size that starts nothing', resize, [], 'none', 'untraced'],
    ['settings that start nothing', ['pgSettings'], [], 'none', 'untraced'],
    ['a name, which never starts anything', ['name'], [], 'none', 'sent'],
    ['a size that restarts', resize, [config(), suspension(), start()], 'none', 'sent'],
    ['settings that are repeated after a lost response', ['pgSettings'], [config()], 'unknown', 'sent'],
  ])('%s is %s', (_what, names, started, writes, stage) => {
    const { ledger } = evolved(situationOf({ writes }), sentFor(names, started));
    expect(ledger.stages).toEqual({ [names[0] ?? '']: stage });
  });

  it('traces nothing for a size on an idle compute', () => {
    const idle = situationOf({ item: { ...activeItem, current_state: 'idle' } });
    expect(evolved(idle, sentFor(resize, [config()])).ledger.stages).toEqual({
      autoscalingLimitMaxCu: 'sent',
    });
  });

  it('traces once what this run sends twice', () => {
    const sent = situationOf({ stages: { pgSettings: 'sent' } });
    expect(namesAt(evolved(sent, sentFor(['pgSettings'], [])).ledger, 'untraced')).toEqual([]);
  });
});
