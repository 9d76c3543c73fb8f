import { describe, expect, it } from 'vitest';
import { startService } from '../support/start-service';

describe('create', () => {
  it('creates the declared endpoint and returns once its compute is active', async () => {
    const { emulator, provider, declare, project } = await startService();
    const { id, outs } = await provider.create(
      declare({ name: 'api', suspendTimeoutSeconds: 600, pgSettings: { work_mem: '8MB' } }),
    );
    const [held] = emulator.endpoints(project.id).filter((endpoint) => endpoint.name === 'api');
    expect(held).toMatchObject({
      id,
      current_state: 'active',
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 1,
      suspend_timeout_seconds: 600,
      settings: { pg_settings: { work_mem: '8MB' } },
    });
    expect(outs).toMatchObject({ host: held?.host, maxConnections: 112, pooledMaxConnections: 10_000 });
  });

  it('sends a list, the POST, polls of the operations and a final list, and nothing else', async () => {
    const { emulator, provider, declare } = await startService();
    await provider.create(declare());
    const calls = emulator.requests().map(({ method, path }) => `${method} ${path.split('/').pop()}`);
    expect(calls[0]).toBe('GET endpoints');
    expect(calls[1]).toBe('POST endpoints');
    expect(calls.at(-1)).toBe('GET endpoints');
    expect(new Set(calls.slice(2, -1).map((call) => call.replace(/\?.*/, '')))).toEqual(
      new Set(['GET operations']),
    );
  });

  it('fails when an operation fails, and keeps the endpoint with the operation', async () => {
    const { emulator, provider, declare, project } = await startService();
    emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-fails', error: 'no capacity in the region' },
    });
    const failure = await provider.create(declare()).catch((error: unknown) => error);
    const [held] = emulator.endpoints(project.id).slice(1);
    expect(failure).toMatchObject({
      id: held?.id,
      message: expect.stringMatching(
        /create of endpoint ep-.*: operation start_compute .* failed: no capacity in the region/,
      ),
      properties: { host: held?.host, unsettledOperations: [{ action: 'start_compute', status: 'failed' }] },
    });
  });

  it('names the read_write endpoint that the branch already has', async () => {
    const { provider, declare } = await startService();
    const { id } = await provider.create(declare({ name: 'api' }));
    await expect(provider.create(declare({ name: 'other' }))).rejects.toMatchObject({
      message: expect.stringMatching(
        `^POST /projects/.*/endpoints: 409 Conflict.*read_write endpoint of the branch is ${id}\\. adopt`,
      ),
    });
  });

  it('creates several read_only endpoints on one branch', async () => {
    const { emulator, provider, declare, branch } = await startService();
    await Promise.all(
      ['r1', 'r2', 'r3'].map((name) => provider.create(declare({ name, type: 'read_only' }))),
    );
    const names = emulator
      .endpoints()
      .filter((endpoint) => endpoint.branch_id === branch.id)
      .map(({ name }) => name);
    expect(names.sort()).toEqual(['r1', 'r2', 'r3']);
  });
});

describe('update', () => {
  it('restarts the compute once when the size changes, and sends only the bound that changed', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    await provider.update(id, outs ?? never(), declare({ autoscalingLimitMaxCu: 2 }));
    expect(emulator.restarts(id)).toBe(1);
    expect(
      emulator
        .requests()
        .filter(({ method }) => method === 'PATCH')
        .map(({ body }) => body),
    ).toEqual([{ endpoint: { autoscaling_limit_max_cu: 2 } }]);
  });

  it('does not restart the compute when the autosuspend delay changes', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    const updated = await provider.update(id, outs ?? never(), declare({ suspendTimeoutSeconds: 900 }));
    expect(emulator.restarts(id)).toBe(0);
    expect(updated.outs).toMatchObject({ suspendTimeoutSeconds: 900 });
  });

  it('moves the endpoint to another branch in place', async () => {
    const { emulator, provider, declare, project } = await startService();
    const { id, outs } = await provider.create(declare());
    const target = emulator.createBranch(project.id, { name: 'target' });
    await provider.update(id, outs ?? never(), declare({ branchId: target.id }));
    expect(emulator.endpoints(project.id).find((endpoint) => endpoint.id === id)).toMatchObject({
      branch_id: target.id,
      current_state: 'idle',
    });
  });

  it('clears pgSettings that the program no longer declares', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare({ pgSettings: { work_mem: '8MB' } }));
    await provider.update(id, outs ?? never(), declare());
    expect(emulator.endpoints().find((endpoint) => endpoint.id === id)?.settings).toEqual({
      pg_settings: {},
    });
  });

  it("makes no request when only the provider's own settings change", async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    const before = emulator.requests().length;
    const updated = await provider.update(id, outs ?? never(), declare({ timeouts: { delete: 5 } }));
    expect(emulator.requests().length).toBe(before);
    expect(updated.outs).toMatchObject({ timeouts: { delete: 5 } });
  });

  it('reports an endpoint that no longer exists, and how to create it again', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    emulator.deleteEndpoint(id);
    await expect(provider.update(id, outs ?? never(), declare({ name: 'x' }))).rejects.toThrow(
      /404 Not Found.* no longer exists\. To create it again, run `pulumi up --refresh`; if it was deleted on purpose, remove/,
    );
  });
});

describe('read', () => {
  it('returns inputs with the drifted values', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    emulator.changeEndpoint(id, { autoscaling_limit_max_cu: 4 });
    const { inputs } = await provider.read(id, outs);
    expect(inputs).toEqual({ ...declare(), autoscalingLimitMaxCu: 4, restartOnChange: 'size 0.25 to 4 CU' });
  });

  it('returns nothing for an endpoint that no longer exists', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    emulator.deleteEndpoint(id);
    expect(await provider.read(id, outs)).toEqual({});
  });

  it('finds no drift after a create', async () => {
    const { provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    expect((await provider.read(id, outs)).props).toEqual({ ...outs, restartOnChange: 'size 0.25 to 1 CU' });
  });

  it('returns no inputs if nothing has drifted: the engine keeps those in state', async () => {
    const { provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    expect(await provider.read(id, outs)).not.toHaveProperty('inputs');
  });

  it('returns inputs if an argument has drifted that outputs in state do not name as declared', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    // The value that the service has: no change, so the engine stores the new inputs and keeps the outputs.
    const added = declare({ poolerEnabled: false });
    expect(await provider.diff(id, outs ?? never(), added)).toMatchObject({ changes: false });
    emulator.changeEndpoint(id, { pooler_enabled: true });
    const { inputs } = await provider.read(id, outs);
    expect(inputs).toMatchObject(declare());
    expect(inputs).not.toHaveProperty('poolerEnabled', false);
  });
});

describe('delete', () => {
  it('removes the endpoint', async () => {
    const { emulator, provider, startProvider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    await startProvider().delete(id, outs ?? never());
    expect(emulator.endpoints().map((endpoint) => endpoint.id)).not.toContain(id);
  });

  it('succeeds when the endpoint no longer exists', async () => {
    const { emulator, startProvider, declare } = await startService();
    const { id, outs } = await startProvider().create(declare());
    const provider = startProvider();
    await provider.delete(id, outs ?? never());
    await expect(provider.delete(id, outs ?? never())).resolves.toBeUndefined();
    await expect(provider.delete('ep-never-there-1', outs ?? never())).resolves.toBeUndefined();
    expect(emulator.endpoints().map((endpoint) => endpoint.id)).not.toContain(id);
  });
});

describe('an error response', () => {
  it('to a wrong key becomes one sentence with method, path, status and request id, without the key', async () => {
    const { startProvider, declare } = await startService();
    const provider = startProvider({ POSTGRES_COMPUTE_API_KEY: 'canary-key' });
    const failure = await provider.create(declare()).catch((error: unknown) => error);
    expect((failure as Error).message).toMatch(
      /GET \/projects\/[^ ]+\/endpoints: 401 Unauthorized.*\(request id [^)]+\)/,
    );
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('canary-key');
  });

  it('to an unknown project becomes a 404 with the message of the service', async () => {
    const { provider, declare } = await startService();
    await expect(provider.create(declare({ projectId: 'no-such-project' }))).rejects.toThrow(
      /GET \/projects\/no-such-project\/endpoints: 404 Not Found.*no-such-project/,
    );
  });

  it('to a size that the plan does not include is passed on', async () => {
    const { provider, emulator, declare } = await startService({ plan: 'free' });
    const before = emulator.endpoints().length;
    await expect(provider.create(declare({ autoscalingLimitMaxCu: 2 }))).rejects.toThrow(
      /^POST \/projects\/.*\/endpoints: 4\d\d .*free plan/i,
    );
    expect(emulator.endpoints().length).toBe(before);
  });

  it('to an unknown branch is passed on', async () => {
    const { provider, declare } = await startService();
    await expect(provider.create(declare({ branchId: 'br-none' }))).rejects.toThrow(
      /POST \/projects\/.*\/endpoints: 404 Not Found.*br-none/,
    );
  });
});

function never(): never {
  throw new Error('a create or update always returns outputs');
}
