import { describe, expect, it } from 'vitest';
import { startService } from '../support/start-service';

describe('create', () => {
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
});

describe('read', () => {
  it('returns inputs with the drifted values', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    emulator.changeEndpoint(id, { autoscaling_limit_max_cu: 4 });
    const { inputs } = await provider.read(id, outs);
    expect(inputs).toEqual({ ...declare(), autoscalingLimitMaxCu: 4, restartOnChange: 'size 0.25 to 4 CU' });
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
