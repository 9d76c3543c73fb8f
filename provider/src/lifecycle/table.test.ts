import { describe, expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import {
  activeItem,
  config,
  evolved,
  situationOf,
  start,
  suspension,
} from '../../../tests/support/situation';
import type { Situation, Step } from './situation';
import { awaited, decide, table } from './table';

const failed = { status: 'failed' } as const;

/** Each row, with situations that reach it. Those of a step that two rows could take show which of them comes first. */
const reaching: Readonly<Record<Step, readonly (readonly [string, Situation])[]>> = {
  fail: [
    ['an operation of this run failed', situationOf({ own: [start(failed)] })],
    ['the service reports another value than was sent', situationOf({ view: 'differs' })],
    ['… before it waits for what else runs', situationOf({ own: [start(failed), config()] })],
    ['… before it sends more', situationOf({ own: [start(failed)], stages: { name: 'due' } })],
  ],
  wait: [
    ['an operation of an earlier run is unfinished', situationOf({ operations: [start()], owed: ['start'] })],
    ['an operation of this run is unfinished', situationOf({ own: [operationOf({ action: 'sync' })] })],
    ['… before it looks at the past', situationOf({ past: 'uncertain', operations: [start()] })],
    ['… before it sends', situationOf({ operations: [suspension()], stages: { name: 'asked' } })],
    ['… before it reads back', situationOf({ own: [config()], view: 'open' })],
  ],
  observe: [
    ['a killed run may have left more', situationOf({ past: 'uncertain' })],
    [
      'what the state records has failed',
      situationOf({ past: 'recorded', operations: [start(failed)], owed: ['start'] }),
    ],
    [
      'what the state records is owed and not under way',
      situationOf({ past: 'recorded', owed: ['restart'] }),
    ],
    [
      '… before it sends: what is found pays only earlier debts',
      situationOf({ past: 'uncertain', stages: { name: 'asked' } }),
    ],
  ],
  trace: [
    ['the service had a value already', situationOf({ stages: { autoscalingLimitMaxCu: 'untraced' } })],
    ['… before it sends more', situationOf({ stages: { pgSettings: 'untraced', name: 'due' } })],
    [
      '… before it restarts',
      situationOf({ stages: { autoscalingLimitMaxCu: 'untraced' }, owed: ['restart'] }),
    ],
  ],
  send: [
    ['the program asks for an argument', situationOf({ stages: { name: 'asked' } })],
    ['an argument is due', situationOf({ stages: { name: 'due' } })],
    ['a configuration was not applied', situationOf({ owed: ['config'] })],
    [
      '… before a restart, which a stop makes superfluous',
      situationOf({ stages: { disabled: 'asked', restartTriggers: 'asked' }, inputs: { disabled: true } }),
    ],
    ['… before a start', situationOf({ stages: { branchId: 'asked' }, owed: ['start'] })],
    [
      '… before a reset, which the service refuses of a protected branch',
      situationOf({ stages: { protected: 'asked', resetTriggers: 'asked' } }),
    ],
  ],
  reset: [
    ['the program asks for a reset', situationOf({ stages: { resetTriggers: 'asked' } })],
    ['… before it reads back', situationOf({ stages: { resetTriggers: 'asked' }, view: 'open' })],
  ],
  suspend: [
    ['the program asks for a restart', situationOf({ stages: { restartTriggers: 'asked' } })],
    ['a restart has failed', situationOf({ owed: ['restart', 'start'], operations: [suspension(failed)] })],
    ['a move has failed', situationOf({ owed: ['move'], operations: [suspension(failed)] })],
    ['a stop has failed', situationOf({ owed: ['stop'], inputs: { disabled: true } })],
    ['… before a start', situationOf({ owed: ['restart', 'start'] })],
  ],
  start: [
    ['a start has failed', situationOf({ owed: ['start'], operations: [start(failed)] })],
    ['the suspension of a restart is done', situationOf({ owed: ['start'] })],
    ['… before it reads back', situationOf({ owed: ['start'], view: 'open' })],
    [
      'this run owes it, and an earlier run has left something',
      situationOf({ owed: ['start'], past: 'recorded', writes: 'accepted' }),
    ],
  ],
  'read back': [
    ['nothing was read since the last write', situationOf({ view: 'open' })],
    [
      '… before the rename, which gives up the derived name',
      situationOf({ view: 'open', stages: { name: 'last' } }),
    ],
  ],
  rename: [['the create is finished but for its name', situationOf({ stages: { name: 'last' } })]],
  done: [
    ['nothing is left', situationOf()],
    ['a stop is void: the program enables the endpoint', situationOf({ owed: ['stop'] })],
    [
      'a start is owed, and the program stops the endpoint',
      situationOf({ owed: ['start'], inputs: { disabled: true } }),
    ],
    [
      'a start is owed, and others have stopped the endpoint',
      situationOf({ owed: ['start'], item: { ...activeItem, disabled: true } }),
    ],
    [
      'what is unfinished is of this run, and the program does not wait',
      situationOf({
        own: [start()],
        operations: [start()],
        owed: ['start'],
        inputs: { waitForOperations: false },
      }),
    ],
  ],
};

const fitting = (situation: Situation) => table.filter(({ when }) => when(situation)).map(({ step }) => step);

describe('decide', () => {
  for (const [step, situations] of Object.entries(reaching))
    it.each(situations)(`${step} when %s`, (when, situation) => {
      expect(decide(situation)).toBe(step);
      // The order decides: a later row fits, too, besides `done`.
      if (when.startsWith('…')) expect(fitting(situation).length).toBeGreaterThan(2);
    });

  it('knows no other step than the table', () => {
    expect(table.map(({ step }) => step)).toEqual(Object.keys(reaching));
  });

  it('never observes after it has traced', () => {
    const observed = evolved(situationOf({ past: 'uncertain' }), { kind: 'observed', listed: [] });
    expect(fitting(observed)).not.toContain('observe');
  });
});

describe('awaited', () => {
  const [own, earlier] = [config({ id: 'own' }), start({ id: 'earlier' })];
  const situation = situationOf({ own: [own], operations: [own, earlier] });

  it('is everything that is unfinished', () => {
    expect(awaited(situation).map(({ id }) => id)).toEqual(['own', 'earlier']);
  });

  it('without waiting is also a suspension that a start has to follow', () => {
    const restart = situationOf({
      own: [suspension()],
      operations: [suspension()],
      owed: ['restart', 'start'],
      inputs: { waitForOperations: false },
    });
    expect(awaited(restart).map(({ id }) => id)).toEqual(['suspension']);
  });

  it('without waiting is only for pending changes', () => {
    const quick = { ...situation, inputs: { waitForOperations: false } };
    expect(awaited(quick).map(({ id }) => id)).toEqual(['earlier']);
  });
});
