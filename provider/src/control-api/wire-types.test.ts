import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { operationOf } from '../../../tests/support/operation';
import { endpointSchema, operationSchema, responses } from './wire-types';

describe('the shape of an endpoint', () => {
  it.each(['name', 'suspend_timeout_seconds', 'provisioner', 'pending_state', 'last_active'])(
    'takes a %s that is null for one that is absent',
    (field) => {
      expect(endpointSchema.parse({ ...endpointOf(), [field]: null })).toHaveProperty(field, undefined);
    },
  );

  it('takes Postgres settings that the service reports as numbers or flags for text', () => {
    const settings = { pg_settings: { max_connections: 100, jit: true, work_mem: '4MB' } };
    expect(endpointSchema.parse({ ...endpointOf(), settings }).settings.pg_settings).toEqual({
      max_connections: '100',
      jit: 'true',
      work_mem: '4MB',
    });
  });

  it('lets fields through that the provider does not use', () => {
    expect(endpointSchema.parse({ ...endpointOf(), compute_release_version: '8' })).toMatchObject({
      compute_release_version: '8',
    });
  });

  it.each(['id', 'host', 'branch_id', 'current_state', 'autoscaling_limit_min_cu'])(
    'is malformed without a %s',
    (field) => {
      expect(endpointSchema.safeParse({ ...endpointOf(), [field]: undefined }).success).toBe(false);
      expect(endpointSchema.safeParse({ ...endpointOf(), [field]: null }).success).toBe(false);
    },
  );
});

describe('the shape of an operation', () => {
  it('takes any action and any status: new words appear without notice', () => {
    const operation = operationOf({ action: 'a_new_action', status: 'a-new-status' });
    expect(operationSchema.parse(operation)).toEqual(operation);
  });

  it.each(['id', 'action', 'status', 'failures_count', 'created_at'])(
    'is malformed without a %s',
    (field) => {
      expect(operationSchema.safeParse({ ...operationOf(), [field]: undefined }).success).toBe(false);
    },
  );
});

it('a change of an endpoint that names no operation has none', () => {
  expect(responses.endpointChange.parse({ endpoint: endpointOf() }).operations).toEqual([]);
});
