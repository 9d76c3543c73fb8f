import { expect, it } from 'vitest';
import { operationOf } from '../../../tests/support/operation';
import { makeRedactor } from '../control-api/redaction';
import { toOperationState, toOperationStates } from './operation-state';

const redact = makeRedactor(['canary-key']);

it('toOperationState holds all that the service reports, in camelCase', () => {
  const operation = operationOf({
    branch_id: 'br-1',
    status: 'failed',
    failures_count: 2,
    error: 'no capacity',
    total_duration_ms: 1_500,
    updated_at: '2026-01-01T00:00:05Z',
  });
  expect(toOperationState(operation, redact)).toEqual({
    id: 'op-1',
    projectId: 'p-1',
    branchId: 'br-1',
    endpointId: 'ep-1',
    action: 'start_compute',
    status: 'failed',
    failuresCount: 2,
    error: 'no capacity',
    totalDurationMs: 1_500,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:05Z',
  });
});

it('toOperationState omits fields that the service does not report', () => {
  const { endpoint_id: _, ...projectWide } = operationOf();
  expect(Object.keys(toOperationState(projectWide, redact))).toEqual([
    ...['id', 'projectId', 'action', 'status', 'failuresCount', 'createdAt', 'updatedAt'],
  ]);
});

it("toOperationStates redacts and escapes the service's error messages", () => {
  const operations = [operationOf({ error: 'bad \\u0063anary-key\u001b[2J' }), operationOf({ id: 'op-2' })];
  expect(toOperationStates(operations, redact).map(({ id, error }) => [id, error])).toEqual([
    ['op-1', 'bad ***\\u001b[2J'],
    ['op-2', undefined],
  ]);
});
