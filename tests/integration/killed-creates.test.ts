import { describe, expect, it } from 'vitest';
import { createEndpoint, ownEndpoints, startService } from '../support/start-service';

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
