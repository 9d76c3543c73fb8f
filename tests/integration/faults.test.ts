import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { failureOf } from '../support/failure';
import { createEndpoint, ownEndpoints, startService } from '../support/start-service';

const lostResponses: [string, RequestEffect][] = [
  ['is lost before the work', { kind: 'lost-before-work' }],
  ['is lost after the work', { kind: 'lost-after-work' }],
  ['is a 500 before the work', { kind: 'status', status: 500 }],
  ['is a 500 after the work', { kind: 'status', status: 500, when: 'after-work' }],
  ['is a 502 after the work', { kind: 'status', status: 502, when: 'after-work' }],
  ...[408, 425, 504, 507, 520, 522, 524, 529].map((status): [string, RequestEffect] => [
    `is a ${status} after the work`,
    { kind: 'status', status, when: 'after-work' },
  ]),
  ['is the 502 page of a proxy after the work', { kind: 'proxy-page', status: 502, when: 'after-work' }],
  ['is the 200 page of a proxy after the work', { kind: 'proxy-page', status: 200, when: 'after-work' }],
  ['ends with a broken connection', { kind: 'cut-off' }],
  ['ends with a broken connection in its gzip stream', { kind: 'cut-off', encoding: 'gzip' }],
  ['is truncated JSON', { kind: 'malformed' }],
  ['arrives after the time-out', { kind: 'slow', delayMs: 3_000 }],
];

const busyResponses: [string, RequestEffect][] = [
  ['429 without Retry-After', { kind: 'status', status: 429 }],
  ['429 with Retry-After in seconds', { kind: 'status', status: 429, retryAfterSeconds: 1 }],
  [
    '429 with Retry-After as a date',
    { kind: 'status', status: 429, retryAfterSeconds: 1, retryAfterFormat: 'http-date' },
  ],
  ['503', { kind: 'status', status: 503 }],
  ['423', { kind: 'status', status: 423 }],
];

const isDelete = ({ method }: { method: string }) => method === 'DELETE';

/** The state that the engine keeps after a failed create or update. */
async function failedState(
  work: Promise<unknown>,
): Promise<{ id: string; outs: StoredOutputs; message: string }> {
  const { id, properties, message } = await failureOf(work);
  return { id, outs: properties, message };
}

describe.each(lostResponses)('when the response %s', (_case, effect) => {
  it('a create leaves one active endpoint', async () => {
    const service = await startService();
    const fault = service.emulator.inject({
      match: { method: 'POST', path: '/projects/:project/endpoints' },
      effect,
    });
    const { id } = await createEndpoint(service);
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
    expect(fault.hits).toBe(1);
  });

  it('a create of a read replica leaves one replica', async () => {
    const service = await startService();
    const fault = service.emulator.inject({
      match: { method: 'POST', path: '/projects/:project/endpoints' },
      effect,
    });
    const { id } = await createEndpoint(service, service.declare({ type: 'read_only' }));
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
    expect(fault.hits).toBe(1);
  });

  it('a change of size restarts the compute once', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const fault = service.emulator.inject({ match: { method: 'PATCH' }, effect });
    await service.provider.update(id, outs, service.declare({ autoscalingLimitMaxCu: 2 }));
    expect(service.emulator.restarts(id)).toBe(1);
    expect(ownEndpoints(service)[0]).toMatchObject({ autoscaling_limit_max_cu: 2, current_state: 'active' });
    expect(fault.hits).toBe(1);
  });

  it('a delete removes the endpoint', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    const fault = service.emulator.inject({ match: { method: 'DELETE' }, effect });
    await service.startProvider().delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
    expect(fault.hits).toBe(1);
  });

  it('a create succeeds despite that on a poll of the operations', async () => {
    const service = await startService();
    const fault = service.emulator.inject({ match: { path: '/projects/:project/operations' }, effect });
    const { id } = await createEndpoint(service);
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
    expect(fault.hits).toBe(1);
  });

  it('a create succeeds despite that on a list of the endpoints', async () => {
    const service = await startService();
    const fault = service.emulator.inject({
      match: { method: 'GET', path: '/projects/:project/endpoints' },
      effect,
    });
    const { id } = await createEndpoint(service);
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
    expect(fault.hits).toBe(1);
  });
});

describe.each(busyResponses)('when the service responds with %s', (_case, effect) => {
  it('a create waits and sends its POST again', async () => {
    const service = await startService();
    const fault = service.emulator.inject({ match: { method: 'POST' }, times: 2, effect });
    const { id } = await createEndpoint(service);
    expect(fault.hits).toBe(2);
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
  });

  it('a delete waits and sends its DELETE again', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject({ match: { method: 'DELETE' }, times: 2, effect });
    await service.startProvider().delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
  });
});

describe('a failed operation', () => {
  const failing = (action: string) => ({
    match: { action },
    effect: { kind: 'operation-fails', error: 'no capacity' } as const,
  });

  it('of a create is retried by the next update, which starts the compute', async () => {
    const service = await startService();
    service.emulator.inject(failing('start_compute'));
    const { id, outs, message } = await failedState(service.provider.create(service.declare()));
    expect(message).toMatch(/create of endpoint ep-\S+: operation start_compute \S+ failed: no capacity/);
    expect(await service.provider.diff(id, outs, service.declare())).toMatchObject({
      changes: true,
      replaces: [],
    });
    const updated = await service.provider.update(id, outs, service.declare());
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
    expect(await service.provider.diff(id, updated.outs ?? outs, service.declare())).toMatchObject({
      changes: false,
    });
  });

  it('of a create stays in state after a refresh, and the next update retries it', async () => {
    const service = await startService();
    service.emulator.inject(failing('start_compute'));
    const { id, outs } = await failedState(service.provider.create(service.declare()));
    const { props } = await service.provider.read(id, outs);
    expect(props?.unsettledOperations).toEqual(outs.unsettledOperations);
    await service.provider.update(id, props ?? outs, service.declare());
    expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });

  it.each(['apply_config', 'suspend_compute', 'start_compute'])(
    'of a change of size (%s) is retried by the next update, with at most one restart in total',
    async (action) => {
      const service = await startService();
      const { id, outs } = await createEndpoint(service);
      const desired = service.declare({ autoscalingLimitMaxCu: 2 });
      service.emulator.inject(failing(action));
      const failed = await failedState(service.provider.update(id, outs, desired));
      expect(await service.provider.diff(id, failed.outs, desired)).toMatchObject({ changes: true });
      const updated = await service.provider.update(id, failed.outs, desired);
      expect(ownEndpoints(service)[0]).toMatchObject({
        autoscaling_limit_max_cu: 2,
        current_state: 'active',
      });
      expect(service.emulator.restarts(id)).toBeLessThanOrEqual(1);
      expect(await service.provider.diff(id, updated.outs ?? outs, desired)).toMatchObject({
        changes: false,
      });
    },
  );

  it('of a delete fails the delete while the endpoint exists, and a second delete removes it', async () => {
    const service = await startService();
    const { id, outs } = await createEndpoint(service);
    service.emulator.inject(failing('suspend_compute'));
    const outcome = await service
      .startProvider()
      .delete(id, outs)
      .catch((error: unknown) => String(error));
    if (ownEndpoints(service).length > 0) expect(outcome).toContain('pulumi-postgres-compute');
    await service.startProvider().delete(id, outs);
    expect(ownEndpoints(service)).toEqual([]);
  });
});

describe('an operation that does not finish in time', () => {
  it('fails the create, which names it, and the next update resumes the wait', async () => {
    const service = await startService();
    const hanging = service.emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-hangs' },
    });
    const { id, outs, message } = await failedState(
      service.provider.create(service.declare({ timeouts: { create: 0.2 } })),
    );
    expect(message).toMatch(
      /create of endpoint ep-\S+: still waiting for start_compute \S+ running after 0\.2 s/,
    );
    expect(outs.unsettledOperations).toMatchObject([{ action: 'start_compute', status: 'running' }]);
    const update = service.provider.update(id, outs, service.declare());
    hanging.clear();
    expect((await update).outs?.unsettledOperations).toBeUndefined();
    expect(service.emulator.requests().filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  it('fails the create when its status is unknown', async () => {
    const service = await startService();
    service.emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-status', status: 'pondering' },
    });
    const { message } = await failedState(
      service.provider.create(service.declare({ timeouts: { create: 0.2 } })),
    );
    expect(message).toContain('pondering');
  });

  it('is recorded but not awaited with waitForOperations: false', async () => {
    const service = await startService();
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } });
    const { outs } = await createEndpoint(service, service.declare({ waitForOperations: false }));
    expect(outs.unsettledOperations).toMatchObject([{ action: 'start_compute', status: 'running' }]);
  });
});

describe('a create that follows a killed one', () => {
  it('finds the endpoint by its name', async () => {
    const service = await startService();
    const { id } = await createEndpoint(service);
    const again = await service.startProvider().create(service.declare());
    expect(again.id).toBe(id);
    expect(ownEndpoints(service)).toHaveLength(1);
  });

  it('updates the endpoint to the current declaration', async () => {
    const service = await startService();
    const { id } = await createEndpoint(service);
    const again = await service.startProvider().create(service.declare({ suspendTimeoutSeconds: 900 }));
    expect([again.id, again.outs?.suspendTimeoutSeconds]).toEqual([id, 900]);
  });

  it('shares one endpoint with a create that still runs in another process', async () => {
    const service = await startService();
    const inputs = service.declare({ type: 'read_only' });
    const both = [service.startProvider(), service.startProvider()].map((provider) =>
      provider.create(inputs),
    );
    const ids = (await Promise.all(both)).map(({ id }) => id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([ids[0]]);
    expect(ids[1]).toBe(ids[0]);
  });

  it('does not adopt an endpoint of the same name on another branch', async () => {
    const service = await startService();
    await createEndpoint(service, service.declare({ name: 'api' }));
    const other = service.emulator.createBranch(service.project.id, { name: 'other' });
    const inputs = service.declare({ name: 'api', branchId: other.id, adopt: true });
    await expect(service.startProvider().create(inputs)).rejects.toMatchObject({
      message: expect.stringMatching(/already has an endpoint of that name, ep-.*Choose another name\./),
    });
  });
});

it('a delete sends one DELETE when nothing fails', async () => {
  const service = await startService();
  const { id, outs } = await createEndpoint(service);
  await service.startProvider().delete(id, outs);
  expect(service.emulator.requests().filter(isDelete)).toHaveLength(1);
});
