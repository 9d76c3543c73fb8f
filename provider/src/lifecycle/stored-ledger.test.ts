import { describe, expect, it } from 'vitest';
import { failedOf, operationOf } from '../../../tests/support/operation';
import { emptyLedger, type Ledger, moveTo } from './ledger';
import { isUnsettled, type Unsettled } from './resource-state';
import { newSituation } from './situation';
import { readLedger, writeFailedLedger, writeLedger } from './stored-ledger';

const isKnown = (name: string) => name !== 'ofLaterRelease';
const read = (outputs: Unsettled & { disabled?: boolean }) => readLedger(outputs, isKnown);
const left: Ledger = {
  ...moveTo(moveTo(emptyLedger, 'due', ['name']), 'untraced', ['disabled']),
  owed: ['restart', 'start'],
  operations: [operationOf({ action: 'suspend_compute', status: 'failed', error: 'no capacity' })],
  since: Date.parse('2026-01-02T00:00:00.000Z'),
};

describe('writeLedger', () => {
  it('stores names, debts, operations and the time, and never a value', () => {
    expect(writeLedger(left)).toEqual({
      unsettledOperations: [{ id: 'op-1', action: 'suspend_compute', status: 'failed' }],
      __ledger: { due: ['name', 'disabled'], owed: ['restart', 'start'], since: '2026-01-02T00:00:00.000Z' },
    });
  });

  it('stores nothing for an empty ledger', () => {
    expect(writeLedger(emptyLedger)).toEqual({});
  });

  it('stores nothing of what is asked, sent, or sent last', () => {
    const named = moveTo(moveTo(moveTo(emptyLedger, 'asked', ['a']), 'sent', ['b']), 'last', ['c']);
    expect(writeLedger(named)).toEqual({});
  });

  it('can be read again', () => {
    const { ledger, past } = read(writeLedger(left));
    expect([ledger.stages, ledger.owed, past]).toEqual([
      { name: 'due', disabled: 'due' },
      ['restart', 'start'],
      'recorded',
    ]);
  });
});

describe('writeFailedLedger', () => {
  it.each([
    ['a request of unknown outcome', { writes: 'unknown' }],
    ['a run that was cut off before it had seen the past', { past: 'uncertain' }],
  ] as const)('stores %s', (_what, change) => {
    expect(writeFailedLedger({ ...newSituation({}), ...change }, []).__ledger).toEqual({ past: 'uncertain' });
  });

  it('stores what removing the argument would have to reset', () => {
    expect(writeFailedLedger(newSituation({}), ['pgSettings']).__ledger).toEqual({ due: ['pgSettings'] });
  });
});

describe('readLedger', () => {
  it.each([
    ['a debt of a later release', { owed: ['refund'] }],
    ['an argument of a later release', { due: ['ofLaterRelease', 'name'] }],
    ['a field of a later release', { paused: true }],
    ['a damaged state', { due: 'name' }],
  ])('refuses %s in one sentence', (_what, __ledger) => {
    expect(() => read({ __ledger } as unknown as Unsettled)).toThrow(
      /^the state holds a __ledger that this release can't read \(.*\)\. Nothing was changed\. Use the release/,
    );
  });

  it.each<[string, Unsettled & { disabled?: boolean }, Partial<Ledger>, string]>([
    [
      'a failed restart',
      { unsettledOperations: [failedOf('suspend_compute'), failedOf('start_compute')] },
      { owed: ['restart', 'start'] },
      'recorded',
    ],
    [
      'a failed stop',
      { unsettledOperations: [failedOf('suspend_compute')], disabled: true },
      { owed: ['stop'] },
      'recorded',
    ],
    ['a failed move', { unsettledOperations: [failedOf('suspend_compute')] }, { owed: ['move'] }, 'recorded'],
    [
      'an apply_config',
      { unsettledOperations: [failedOf('apply_config')] },
      { owed: ['config'] },
      'recorded',
    ],
    ['a new branch', { unsettledOperations: [failedOf('create_branch')] }, { owed: ['data'] }, 'recorded'],
    [
      'an interrupted restart',
      { __unapplied: ['restartTriggers'] },
      { owed: ['restart', 'start'] },
      'uncertain',
    ],
    [
      'a killed create',
      { __unapplied: ['adopt', 'name'] },
      { stages: { name: 'due' }, owed: [] },
      'uncertain',
    ],
  ])('reads %s of version 1', (_what, outputs, expected, past) => {
    expect(read(outputs)).toMatchObject({ ledger: expected, past });
  });
});

describe('isUnsettled', () => {
  it.each<[string, Unsettled, boolean]>([
    ['nothing', {}, false],
    ['only a time', { __ledger: { since: '2026-01-02T00:00:00.000Z' } }, false],
    ['an operation', { unsettledOperations: [failedOf('start_compute')] }, true],
    ['an argument that is due', { __ledger: { due: ['name'] } }, true],
    ['a debt', { __ledger: { owed: ['start'] } }, true],
    ['an uncertain past', { __ledger: { past: 'uncertain' } }, true],
    ['an argument of version 1', { __unapplied: ['name'] }, true],
  ])('for %s is %s', (_what, outputs, expected) => {
    expect(isUnsettled(outputs)).toBe(expected);
  });
});
