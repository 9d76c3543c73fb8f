import { expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { describeBlockers, describeProgress, describeRunning, Progress } from './progress';

/** The lines that appear when `whatAt` is shown each second. */
function linesOf(whatAt: (second: number) => string, seconds: number): string[] {
  const lines: string[] = [];
  const progress = new Progress((line) => lines.push(line));
  for (let second = 0; second <= seconds; second += 1) progress.show(whatAt(second), second * 1000);
  return lines;
}

it('repeats unchanged progress at doubling intervals', () => {
  expect(linesOf(() => 'start_compute: In progress', 200)).toEqual([
    'start_compute: In progress',
    'start_compute: In progress, 10 s',
    'start_compute: In progress, 20 s',
    'start_compute: In progress, 40 s',
    'start_compute: In progress, 80 s',
    'start_compute: In progress, 160 s',
  ]);
});

it('shows new progress at once', () => {
  expect(linesOf((second) => (second < 3 ? 'Scheduling' : 'In progress'), 9)).toEqual([
    'Scheduling',
    'In progress, 3 s',
  ]);
  expect(linesOf((second) => (second < 15 ? '' : 'In progress'), 29)).toEqual(['In progress, 15 s']);
});

it('describes progress by action, status label and failures', () => {
  const operations = [
    operationOf({ action: 'apply_config', status: 'finished' }),
    operationOf({ failures_count: 1 }),
    operationOf({ action: 'suspend_compute', status: 'scheduling', failures_count: 2 }),
    operationOf({ action: 'tenant_attach', status: 'a_new_word' }),
  ];
  expect(describeProgress(operations)).toBe(
    'apply_config: OK, start_compute: In progress, 1 failure, suspend_compute: Scheduling, 2 failures, tenant_attach: a_new_word',
  );
});

it.each([
  [['finished', 'finished', 'running'], 0, 'start_compute, 3 of 3'],
  [['finished', 'running', 'scheduling'], 1, 'suspend_compute, 2 of 3, 1 failure'],
  [['finished', 'running', 'finished'], 0, 'suspend_compute, 3 of 3'],
  [['finished', 'finished', 'finished'], 0, ''],
  [['running'], 0, 'apply_config'],
])('describes what runs of %s', (statuses, failures_count, shown) => {
  const actions = ['apply_config', 'suspend_compute', 'start_compute'];
  const operations = statuses.map((status, index) =>
    operationOf({ action: actions[index] ?? '', status, failures_count }),
  );
  expect(describeRunning(operations)).toBe(shown);
});

it('describes the operations that lock the project', () => {
  expect(describeBlockers([operationOf({ id: 'op-7', action: 'create_branch' })])).toBe(
    'waiting for the project: create_branch op-7 running',
  );
});
