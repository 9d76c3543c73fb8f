import { describe, expect, it } from 'vitest';
import { createEndpoint, ownEndpoints, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

describe('a locked project', () => {
  it('delays a write until the locking operation finishes', async () => {
    const service = await startService();
    const release = service.emulator.lockProject(service.project.id);
    const creation = createEndpoint(service);
    await until(() => service.emulator.requests().some(({ status }) => status === 423));
    await until(
      () => service.emulator.requests().filter(({ path }) => path.includes('operations')).length > 3,
    );
    release();
    await creation;
    const sent = service.emulator.requests().filter(({ method }) => method === 'POST');
    const statuses = sent.map(({ status }) => status);
    // On a busy machine it is sent again before the operation finishes.
    expect(statuses).toEqual([...statuses.slice(0, -1).map(() => 423), 201]);
    expect(statuses.length).toBeLessThan(5);
  });

  it('fails a write at its deadline, with the locking operation', async () => {
    const service = await startService();
    service.emulator.lockProject(service.project.id);
    await expect(service.provider.create(service.declare({ timeouts: { create: 3 } }))).rejects.toThrow(
      /POST \/projects\/\S+\/endpoints: 423 Locked \(create_branch \S+ running\); waited 3 s/,
    );
    expect(ownEndpoints(service)).toEqual([]);
  });

  it('serves many endpoints first come, first served, without a rush of requests', async () => {
    // Long enough that the second write meets the lock of the first, even on a busy machine.
    const service = await startService({ operationMs: 200 });
    const names = Array.from({ length: 10 }, (_, index) => `replica-${index}`);
    await Promise.all(
      names.map((name) => createEndpoint(service, service.declare({ name, type: 'read_only' }))),
    );
    const order = ownEndpoints(service).map(({ name }) => name);
    // Two requests that go out side by side, before the project is known to lock, may arrive in another order.
    expect([...order].sort()).toEqual(names);
    expect(order.slice(3)).toEqual(names.slice(3));
    const refused = service.emulator.requests().filter(({ status }) => status === 423);
    expect(refused.length).toBeLessThanOrEqual(names.length);
  });

  it('reports a refused write at once after an unlock, and continues with the next', async () => {
    const service = await startService();
    const release = service.emulator.lockProject(service.project.id);
    const creation = createEndpoint(service).catch((error: unknown) => error);
    await until(() => service.emulator.requests().some(({ status }) => status === 423));
    const message = 'the plan has no more endpoints';
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 422, message } });
    release();
    expect(await creation).toMatchObject({ message: expect.stringContaining(message) });
    expect(ownEndpoints(service)).toEqual([]);
    const { id } = await createEndpoint(service);
    expect(ownEndpoints(service).map((endpoint) => endpoint.id)).toEqual([id]);
  });
});
