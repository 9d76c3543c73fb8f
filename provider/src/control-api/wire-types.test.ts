import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { operationOf } from '../../../tests/support/operation';
import { endpointSchema, operationSchema, responses } from './wire-types';

describe('endpointSchema', () => {
  it.each(['name', 'suspend_timeout_seconds', 'provisioner', 'pending_state', 'last_active'])(
    'treats a null %s as absent',
    (field) => {
      expect(endpointSchema.parse({ ...endpointOf(), [field]: null })).toHaveProperty(field, undefined);
    },
  );

  it('converts Postgres settings that are numbers or booleans to strings', () => {
    const settings = { pg_settings: { max_connections: 100, jit: true, work_mem: '4MB' } };
    expect(endpointSchema.parse({ ...endpointOf(), settings }).settings.pg_settings).toEqual({
      max_connections: '100',
      jit: 'true',
      work_mem: '4MB',
    });
  });

  it('leaves out fields that the provider does not use', () => {
    const endpoint = endpointSchema.parse({ ...endpointOf(), compute_release_version: '8' });
    expect(endpoint).toEqual(endpointSchema.parse(endpointOf()));
  });

  it.each(['id', 'host', 'branch_id', 'current_state', 'autoscaling_limit_min_cu'])(
    'refuses an endpoint without a %s',
    (field) => {
      expect(endpointSchema.safeParse({ ...endpointOf(), [field]: undefined }).success).toBe(false);
      expect(endpointSchema.safeParse({ ...endpointOf(), [field]: null }).success).toBe(false);
    },
  );
});

describe('operationSchema', () => {
  it('accepts any action and any status', () => {
    const operation = operationOf({ action: 'a_new_action', status: 'a-new-status' });
    expect(operationSchema.parse(operation)).toEqual(operation);
  });

  it.each(['id', 'action', 'status', 'failures_count', 'created_at'])(
    'refuses an operation without a %s',
    (field) => {
      expect(operationSchema.safeParse({ ...operationOf(), [field]: undefined }).success).toBe(false);
    },
  );
});

it.each([undefined, null])(
  'treats operations of an endpoint change that are %s as an empty list',
  (operations) => {
    expect(responses.endpointChange.parse({ endpoint: endpointOf(), operations }).operations).toEqual([]);
  },
);

describe('a list without a next page', () => {
  it.each([undefined, null, {}, { cursor: null, next: null }])('may have the pagination %j', (pagination) => {
    expect(responses.operations.parse({ operations: [], pagination }).pagination?.cursor).toBe(undefined);
    expect(responses.projects.parse({ projects: [], pagination }).pagination?.cursor).toBe(undefined);
    expect(responses.branches.parse({ branches: [], pagination }).pagination?.next).toBe(undefined);
  });
});
