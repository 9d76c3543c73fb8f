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
  it('accepts any action and any status, because new values appear without notice', () => {
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

it('treats missing operations of an endpoint change as an empty list', () => {
  expect(responses.endpointChange.parse({ endpoint: endpointOf() }).operations).toEqual([]);
});
