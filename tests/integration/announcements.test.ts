import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { unknownValue } from '../../provider/src/endpoint/endpoint-inputs';
import { startService } from '../support/start-service';

const __urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

/** What is told where there is no engine: on the console. */
function listen(): string[] {
  const told: string[] = [];
  const console = vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0);
  onTestFinished(() => console.mockRestore());
  return told;
}

/** An endpoint in state, and what a change of its program leads to. */
async function startEndpoint() {
  const service = await startService();
  const { id, outs } = await service.provider.create(service.declare({ __urn }));
  const state = outs as StoredOutputs; // A create always returns outputs.
  const diff = (change: Partial<Record<keyof StoredInputs, unknown>>) =>
    // What is not known yet stands where the types want the real value.
    service.provider.diff(id, state, { ...service.declare({ __urn }), ...change } as StoredInputs);
  return { ...service, id, state, diff };
}

describe('allowRestart: false', () => {
  it('stops a change of size while the compute is active, before anything is changed', async () => {
    const { diff, emulator, id } = await startEndpoint();
    await expect(diff({ autoscalingLimitMaxCu: 2, allowRestart: false })).rejects.toMatchObject({
      message: expect.stringMatching(
        `^allowRestart is false, and a change of autoscalingLimitMaxCu .*Nothing was changed on endpoint ${id}`,
      ),
    });
    expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  it('lets it pass while the compute is disabled', async () => {
    const { diff, emulator, id } = await startEndpoint();
    emulator.changeEndpoint(id, { disabled: true });
    const told = listen();
    expect(await diff({ autoscalingLimitMaxCu: 2, allowRestart: false })).toMatchObject({ changes: true });
    expect(told.join('')).toContain('there are no connections to drop (it is disabled now)');
  });

  it('of the whole stack counts where the program says nothing, and not where it says true', async () => {
    const { diff, provider } = await startEndpoint();
    const get = (key: string) => (key === 'postgresCompute:allowRestart' ? 'false' : undefined);
    await provider.configure({ config: { get, require: (key) => get(key) ?? key } });
    await expect(diff({ autoscalingLimitMaxCu: 2 })).rejects.toThrow();
    listen();
    expect(await diff({ autoscalingLimitMaxCu: 2, allowRestart: true })).toMatchObject({ changes: true });
  });

  it('warns of a branch that is not made yet: only the update can tell', async () => {
    const { diff } = await startEndpoint();
    const told = listen();
    await diff({ branchId: unknownValue, allowRestart: false });
    expect(told.join('')).toContain('may move the endpoint');
    expect(told.join('')).toContain(
      'allowRestart is false: `pulumi up` stops if the new branchId drops connections',
    );
    told.length = 0;
    await diff({ branchId: unknownValue });
    expect(told.join('')).not.toContain('allowRestart');
  });
});

describe('a preview of a take-over says which endpoint it is', () => {
  it('and that nothing is changed on it', async () => {
    const { provider, declare, emulator, project } = await startService();
    const [primary] = emulator.endpoints(project.id);
    const told = listen();
    const { name: _, ...unnamed } = declare({ branchId: primary?.branch_id ?? '', adopt: true, __urn });
    await provider.check({}, { ...unnamed, autoscalingLimitMaxCu: 0.25 });
    expect(told[0]).toBe(
      `warning: adopt takes over endpoint ${primary?.id} (since ${primary?.created_at}) and changes nothing on it\n`,
    );
  });

  it('by its name too, and what is changed', async () => {
    const { provider, declare, emulator, project } = await startService();
    const [primary] = emulator.endpoints(project.id);
    emulator.changeEndpoint(primary?.id ?? '', { name: 'main' });
    const told = listen();
    const { name: _, ...unnamed } = declare({ branchId: primary?.branch_id ?? '', adopt: true, __urn });
    await provider.check({}, unnamed);
    expect(told[0]).toContain(
      `adopt takes over endpoint ${primary?.id} (since ${primary?.created_at}) and changes its autoscalingLimitMaxCu\n`,
    );
    expect(told[0]).toContain('restarts the compute and drops its connections');
  });

  it('and nothing as long as the branch is not made', async () => {
    const { provider, declare, emulator } = await startService();
    listen();
    const inputs = { ...declare({ adopt: true, __urn }), branchId: unknownValue };
    expect((await provider.check({}, inputs)).failures).toEqual([]);
    expect(emulator.requests()).toEqual([]);
  });
});

it('a preview goes on when the service can not be reached, and then counts the compute as active', async () => {
  const { diff, emulator } = await startEndpoint();
  emulator.inject({ match: {}, effect: { kind: 'status', status: 403 }, times: 'always' });
  const told = listen();
  expect(await diff({ autoscalingLimitMaxCu: 2 })).toMatchObject({ changes: true });
  expect(told.join('')).toContain('drops its connections (its state could not be read)');
});
