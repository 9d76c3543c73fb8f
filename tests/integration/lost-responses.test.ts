import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { runCreate, runUpdate } from '../support/engine';
import { createEndpoint, ownEndpoints, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

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

const isDelete = ({ method }: { method: string }) => method === 'DELETE';

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

describe('a restart', () => {
  it('happens once when size and trigger change together and the PATCH response arrives after the time-out', async () => {
    const service = await startService();
    const state = await runCreate(
      service.startProvider(),
      service.declare({ restartTriggers: { release: '1' } }),
    );
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'slow', delayMs: 2_500 } });
    const desired = service.declare({ restartTriggers: { release: '2' }, autoscalingLimitMaxCu: 2 });
    await runUpdate(service.startProvider(), state, desired);
    expect(service.emulator.connectionDrops(state.id)).toBe(1);
  });
});

it('an update that takes back the last one is sent again when it is lost, although a stale read shows the value before both', async () => {
  const service = await startService({ lateListsMs: 400, readLagMs: 800 });
  const of = (suspendTimeoutSeconds: number) =>
    service.declare({ suspendTimeoutSeconds, waitForOperations: false });
  const before = await runCreate(service.startProvider(), of(600));
  const changed = await runUpdate(service.startProvider(), before, of(900));
  service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-before-work' } });
  await runUpdate(service.startProvider(), changed, of(600));
  expect(ownEndpoints(service)).toMatchObject([{ suspend_timeout_seconds: 600 }]);
});

it.each([
  ['a rename', 'name', ['one', 'two']],
  ['a stop', 'disabled', [true, false]],
])(
  '%s that takes back the last change is sent again when it is lost, although an older operation is listed',
  async (_what, name, [first, second]) => {
    const service = await startService({ lateListsMs: 400, readLagMs: 800 });
    const { emulator } = service;
    const longer = { suspendTimeoutSeconds: 600 };
    const of = (value: unknown) => service.declare({ ...longer, [name]: value, waitForOperations: false });
    const created = await runCreate(service.startProvider(), service.declare({ name: 'one' }));
    const older = await runUpdate(
      service.startProvider(),
      created,
      service.declare({ ...longer, [name]: first }),
    );
    await sleep(500);
    const changed = await runUpdate(service.startProvider(), older, of(second));
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-before-work' } });
    await runUpdate(service.startProvider(), changed, of(first));
    expect(ownEndpoints(service)).toMatchObject([{ [name]: first }]);
  },
);

it('an update whose response is lost does not fail because of an older operation of another client', async () => {
  const service = await startService();
  const { emulator, project } = service;
  const state = await runCreate(service.startProvider(), service.declare({ name: 'one' }));
  emulator.addOperation(project.id, { action: 'apply_config', status: 'failed', endpointId: state.id });
  await sleep(2_500);
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-after-work' } });
  const { outs } = await runUpdate(service.startProvider(), state, service.declare({ name: 'two' }));
  expect(outs).toMatchObject({ name: 'two' });
});

it('an update whose response is lost does not wait for a check that the service has started', async () => {
  const service = await startService();
  const { emulator, project } = service;
  const state = await runCreate(service.startProvider(), service.declare());
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-after-work' } });
  const lists = { method: 'GET', path: '/projects/:project/operations' };
  emulator.inject({ match: lists, effect: { kind: 'slow', delayMs: 200 } });
  const desired = service.declare({ suspendTimeoutSeconds: 900, timeouts: { update: 3 } });
  const updated = runUpdate(service.startProvider(), state, desired);
  await until(() => emulator.requests().some(({ method }) => method === 'PATCH'));
  const check = { action: 'check_availability', status: 'cancelling', endpointId: state.id };
  emulator.addOperation(project.id, check);
  expect((await updated).outs.unsettledOperations).toBeUndefined();
});

it('a delete sends one DELETE when nothing fails', async () => {
  const service = await startService();
  const { id, outs } = await createEndpoint(service);
  await service.startProvider().delete(id, outs);
  expect(service.emulator.requests().filter(isDelete)).toHaveLength(1);
});
