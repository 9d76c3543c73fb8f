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
import type { Event, Situation } from './situation';

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 0, 0, second)).toISOString();
const failed = { status: 'failed' } as const;
const finished = { status: 'finished' } as const;

const controlled = (change: Partial<Extract<Event, { kind: 'controlled' }>>): Event => ({
  kind: 'controlled',
  verb: 'suspend',
  found: [],
  isOwn: true,
  isUnderWay: false,
  ...change,
});
const waitedFor = (...operations: Situation['own']): Event => ({
  kind: 'waited',
  awaited: operations,
  operations,
});

describe('traced', () => {
  const untraced = situationOf({ stages: { autoscalingLimitMaxCu: 'untraced' } });
  const traced = (...found: Situation['own']): Event => ({ kind: 'traced', found });

  it('owes what an earlier request started and what failed, and continues', () => {
    const known = evolved(untraced, traced(config(finished), suspension(finished), start(failed)));
    expect([known.ledger.owed, known.own]).toEqual([['start'], []]);
  });

  it('owes the restart whose suspension has failed', () => {
    expect(owedAfter(untraced, traced(config(finished), suspension(failed)))).toEqual(['restart']);
  });

  it('leaves a trigger asked: an old suspension is not its restart', () => {
    const asked = situationOf({ stages: { autoscalingLimitMaxCu: 'untraced', restartTriggers: 'asked' } });
    const found = [config(finished), suspension(finished), start(finished)];
    expect(evolved(asked, traced(...found)).ledger.stages.restartTriggers).toBe('asked');
    expect(evolved(asked, traced(config(finished), suspension())).ledger.stages.restartTriggers).toBe('sent');
  });

  it('owes nothing when all that was found has succeeded', () => {
    const found = [config(finished), suspension(finished), start(finished)];
    expect(owedAfter(untraced, traced(...found))).toEqual([]);
  });

  it('takes the operations of its own lost request for its own', () => {
    const lost = { ...untraced, writes: 'unknown' } as const;
    expect(evolved(lost, traced(config(failed))).own).toEqual([config(failed)]);
  });
});

describe('controlled', () => {
  const asked = situationOf({ stages: { restartTriggers: 'asked' } });

  it('owes the start of a restart once its suspension has an effect', () => {
    expect(owedAfter(asked, controlled({ found: [suspension()] }))).toEqual(['restart', 'start']);
    expect(owedAfter(asked, controlled({ isUnderWay: true }))).toEqual(['start']);
  });

  it('owes nothing when the compute was idle', () => {
    expect(owedAfter(asked, controlled({}))).toEqual([]);
  });

  it('owes no start for the suspension of a stop or a move', () => {
    const left = situationOf({ owed: ['move'], operations: [suspension(failed)] });
    expect(owedAfter(left, controlled({ found: [suspension({ id: 'again' })] }))).toEqual(['move']);
  });

  it('pays a start that finds the compute active', () => {
    const left = situationOf({ owed: ['start'] });
    expect(owedAfter(left, controlled({ verb: 'start' }))).toEqual([]);
  });

  it('is blind after a lost request that names no operation', () => {
    expect(evolved({ ...asked, writes: 'unknown' }, controlled({})).isBlind).toBe(true);
  });
});

describe('waited', () => {
  it('pays what has succeeded, and keeps what has failed', () => {
    const left = situationOf({ owed: ['config', 'start'], operations: [config(), start()] });
    const known = evolved(left, waitedFor(config(finished), start(failed)));
    expect([known.ledger.owed, known.ledger.operations]).toEqual([['start'], [start(failed)]]);
  });

  it('does not count a start from before the suspension', () => {
    const early = start({ created_at: at(1) });
    const late = suspension({ created_at: at(2) });
    const left = situationOf({ owed: ['restart', 'start'], operations: [late, early] });
    expect(owedAfter(left, waitedFor({ ...early, ...finished }))).toEqual(['restart', 'start']);
  });

  it('takes forgotten operations for finished, and lets the resource decide', () => {
    const left = situationOf({ owed: ['start'], operations: [start()] });
    const known = evolved(left, { kind: 'waited', awaited: [start()], operations: [] });
    expect([known.ledger.owed, known.isBlind]).toEqual([[], true]);
  });

  it('fails this run with the follow-ups of its own operations only', () => {
    const followUp = start(failed);
    const own = evolved(situationOf({ own: [config()], operations: [config()] }), {
      kind: 'waited',
      awaited: [config()],
      operations: [config(finished), followUp],
    });
    expect(own.own).toContainEqual(followUp);
    const earlier = evolved(situationOf({ operations: [config()] }), {
      kind: 'waited',
      awaited: [config()],
      operations: [config(finished), followUp],
    });
    expect(earlier.own).toEqual([]);
  });

  it('repeats the stop of a compute that a change of size has restarted', () => {
    const left = situationOf({ owed: ['start'], operations: [start()], inputs: { disabled: true } });
    expect(owedAfter(left, waitedFor(start(finished)))).toEqual(['stop']);
  });
});

describe('observed', () => {
  const observed = (...listed: Situation['own']): Event => ({ kind: 'observed', listed });
  const uncertain = situationOf({ past: 'uncertain' });

  it('closes the past', () => {
    expect(evolved(uncertain, observed()).past).toBe('closed');
  });

  it('counts the newest operation of each action', () => {
    const [newer, older] = [
      start({ id: 'newer', created_at: at(2) }),
      start({ created_at: at(1), ...failed }),
    ];
    expect(owedAfter(uncertain, observed({ ...newer, ...finished }, older))).toEqual([]);
    expect(owedAfter(uncertain, observed({ ...newer, ...failed }, { ...older, ...finished }))).toEqual([
      'start',
    ]);
  });

  it('ignores a suspension that nothing owes', () => {
    expect(evolved(uncertain, observed(suspension(failed))).ledger.operations).toEqual([]);
  });

  it('pays nothing by an earlier success when a response was lost', () => {
    const lost = situationOf({ past: 'uncertain', owed: ['restart', 'start'] });
    expect(owedAfter(lost, observed(start(finished), suspension(finished)))).toEqual(['restart', 'start']);
  });

  it('pays an earlier restart that others have repeated', () => {
    const left = situationOf({ past: 'recorded', owed: ['restart'], operations: [suspension(failed)] });
    const again = suspension({ id: 'again', created_at: at(1), ...finished });
    expect(owedAfter(left, observed(again))).toEqual([]);
  });

  it.each(['asked', 'due', 'untraced'] as const)('keeps `since` while an argument is %s', (stage) => {
    const later = config({ created_at: at(1), ...finished });
    const open = situationOf({ past: 'uncertain', stages: { pgSettings: stage } });
    expect(evolved(open, observed(later)).ledger.since).toBe(0);
    expect(evolved(uncertain, observed(later)).ledger.since).toBe(Date.parse(at(1)));
  });
});

describe('read back', () => {
  const readBack = (change: object = {}, drift: readonly string[] = []): Event => ({
    kind: 'read back',
    item: { ...activeItem, ...change },
    drift,
  });

  it('leaves what differs due', () => {
    const known = evolved(situationOf({ view: 'open', stages: { name: 'sent' } }), readBack({}, ['name']));
    expect([known.view, known.ledger.stages]).toEqual(['differs', { name: 'due' }]);
  });

  it('pays what the resource itself shows', () => {
    expect(owedAfter(situationOf({ owed: ['stop', 'data'] }), readBack())).toEqual([]);
    expect(owedAfter(situationOf({ owed: ['start'] }), readBack({ disabled: true }))).toEqual([]);
    expect(owedAfter(situationOf({ owed: ['start', 'restart'] }), readBack())).toEqual(['restart', 'start']);
  });
});

it('keeps a failed operation of unknown action until the read-back', () => {
  const sync = operationOf({ id: 'sync', action: 'sync_data', ...failed });
  const known = evolved(
    situationOf({ owed: ['start'], operations: [start()] }),
    waitedFor(sync, start(finished)),
  );
  expect(known.ledger.operations).toEqual([sync]);
  const read = { kind: 'read back', item: activeItem, drift: [] } as const;
  expect(evolved(known, read).ledger.operations).toEqual([]);
});

it('progress records statuses, and pays nothing before the wait ends', () => {
  const left = situationOf({ owed: ['start'], operations: [start()] });
  const { ledger } = evolved(left, {
    kind: 'progress',
    operations: [operationOf({ id: 'start', ...finished })],
  });
  expect([ledger.owed, ledger.operations[0]?.status]).toEqual([['start'], 'finished']);
});
