import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { useFakeClock } from '../../../tests/support/fake-clock';
import { operationOf } from '../../../tests/support/operation';
import { printOperations } from './operation-table';
import { Screen } from './screen';

useFakeClock(Date.parse('2026-01-01T00:00:05Z'));

const cellsOf = (line = '') => line.split(/ {2,}/);

it('has one head and aligned columns for all pages, and empty cells', async () => {
  const pages = [
    [operationOf({ id: 'op-2', action: 'create_timeline' })],
    [operationOf({ id: 'op-1', branch_id: 'br-1' })],
  ];
  const stdout = new PassThrough({ encoding: 'utf8' });
  await printOperations(pages, new Screen(stdout, new PassThrough(), {}));
  const [head = '', second = '', first = ''] = String(stdout.read()).split('\n');
  expect(cellsOf(first)).toEqual([
    'start_compute',
    'br-1',
    'In progress',
    '5 s',
    '2026-01-01 00:00:00Z',
    'op-1',
  ]);
  expect(cellsOf(second)).toEqual(['create_timeline', 'In progress', '5 s', '2026-01-01 00:00:00Z', 'op-2']);
  expect([first.indexOf('In progress'), second.indexOf('In progress')]).toEqual([
    head.indexOf('STATUS'),
    head.indexOf('STATUS'),
  ]);
});
