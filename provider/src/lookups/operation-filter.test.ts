import { expect, it } from 'vitest';
import type { Operation } from '../control-api/wire-types';
import { matchesFilter, type OperationFilter } from './operation-filter';

const operation: Operation = {
  id: 'op-1',
  project_id: 'p-1',
  branch_id: 'br-1',
  endpoint_id: 'ep-1',
  action: 'start_compute',
  status: 'running',
  failures_count: 0,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

it.each<[OperationFilter, boolean]>([
  [{}, true],
  [{ endpointId: 'ep-1', branchId: 'br-1' }, true],
  [{ endpointId: 'ep-2' }, false],
  [{ branchId: 'br-2' }, false],
  [{ actions: ['suspend_compute', 'start_compute'] }, true],
  [{ actions: ['suspend_compute'] }, false],
  [{ statuses: ['failed', 'running'] }, true],
  [{ statuses: [' IN progress'] }, true],
  [{ statuses: ['OK', 'failed'] }, false],
  [{ actions: [] }, false],
])('filter %j matches a running start_compute: %s', (filter, matches) => {
  expect(matchesFilter(operation, filter)).toBe(matches);
});

it.each([
  ['failed', true],
  ['error', true],
  ['finished', false],
])('the console label Error matches status %s: %s', (status, matches) => {
  expect(matchesFilter({ ...operation, status }, { statuses: ['Error'] })).toBe(matches);
});

it('matches no project-wide operation to an endpoint', () => {
  const { endpoint_id: _, ...projectWide } = operation;
  expect(matchesFilter(projectWide, { endpointId: 'ep-1' })).toBe(false);
});
