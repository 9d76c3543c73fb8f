import { createColors } from 'picocolors';
import { expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { describeInLines, OperationTable } from './operation-table';

const plain = createColors(false);
const nowMs = Date.parse('2026-01-01T00:00:05Z');

const cellsOf = (line = '') => line.split(/ {2,}/);

it('an operation that is of no branch has an empty place, and the columns stay below each other', () => {
  const operations = [
    operationOf({ id: 'op-1', branch_id: 'br-1' }),
    operationOf({ id: 'op-2', action: 'create_timeline' }),
  ];
  const [head = '', first = '', second = ''] = new OperationTable(plain)
    .layOut(operations, nowMs)
    .split('\n');
  expect(cellsOf(first)).toEqual([
    'start_compute',
    'br-1',
    'In progress',
    '5.0 s',
    '2026-01-01 00:00:00Z',
    'op-1',
  ]);
  expect(cellsOf(second)).toEqual([
    'create_timeline',
    'In progress',
    '5.0 s',
    '2026-01-01 00:00:00Z',
    'op-2',
  ]);
  expect([first.indexOf('In progress'), second.indexOf('In progress')]).toEqual([
    head.indexOf('STATUS'),
    head.indexOf('STATUS'),
  ]);
});

it('a time that can not be read is shown as the service spells it, and no duration is made of it', () => {
  const lines = describeInLines(operationOf({ created_at: 'yesterday' }), plain, nowMs).split('\n');
  expect(lines.some((line) => line.startsWith('duration'))).toBe(false);
  expect(lines.find((line) => line.startsWith('created'))).toMatch(/yesterday$/);
});
