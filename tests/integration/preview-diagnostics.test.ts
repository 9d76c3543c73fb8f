import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startService } from '../support/start-service';

const __urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

/** Records the diagnostics that the provider writes to stderr when there is no engine. */
function recordDiagnostics(): string[] {
  const shown: string[] = [];
  const console = vi
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => shown.push(String(text)) > 0);
  onTestFinished(() => console.mockRestore());
  return shown;
}

/** Creates an endpoint. Returns its state, and a function that diffs a change against it. */
async function startEndpoint() {
  const service = await startService();
  const { id, outs } = await service.provider.create(service.declare({ __urn }));
  const state = outs as StoredOutputs; // A create always returns outputs.
  const diff = (change: Partial<Record<keyof StoredInputs, unknown>>) =>
    // An unknown value is not part of the types.
    service.provider.diff(id, state, { ...service.declare({ __urn }), ...change } as StoredInputs);
  return { ...service, id, state, diff };
}

describe('a size that is a secret', () => {
  const size = /\d CU/;
  const __secrets = ['autoscalingLimitMinCu', 'autoscalingLimitMaxCu'];
  const small = { __urn, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 };
  const large = { __urn, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 };

  it.each([
    ['in state', { ...small, __secrets }, large],
    ['in the program', small, { ...large, __secrets }],
  ])('%s is in no message about its change', async (_where, before, now) => {
    const service = await startService();
    const shown = recordDiagnostics();
    const created = service.declare(before);
    const { id, outs } = await service.provider.create(created);
    shown.length = 0;
    const state = outs as StoredOutputs;
    const news = { ...service.declare(now), allowRestart: false };
    await service.startProvider().diff(id, state, { ...news, allowRestart: true });
    expect(shown.join('')).toContain('restarts the compute');
    expect(shown.join('')).not.toMatch(size);
    const { message } = await errorOf(service.startProvider().update(id, state, news));
    expect(message).toContain('allowRestart is false');
    expect(message).not.toMatch(size);
  });

  it('is in no message about a take-over', async () => {
    const { provider, declare, emulator, project } = await startService();
    const [primary] = emulator.endpoints(project.id);
    const shown = recordDiagnostics();
    const adopting = declare({ ...large, __secrets, branchId: primary?.branch_id ?? '', adopt: true });
    await provider.check({}, adopting);
    expect(shown.join('')).toContain('adopt takes over endpoint');
    expect(shown.join('')).not.toMatch(size);
  });

  it('is in no failure of a check', async () => {
    const { provider, declare } = await startService();
    const wrong = declare({ ...large, __secrets, autoscalingLimitMaxCu: 1 });
    const { failures } = await provider.check({}, wrong);
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toMatch(size);
  });
});

describe('allowRestart: false', () => {
  it('stops a change of size while the compute is active, before anything changes', async () => {
    const { diff, emulator, id } = await startEndpoint();
    await expect(diff({ autoscalingLimitMaxCu: 2, allowRestart: false })).rejects.toMatchObject({
      message: expect.stringMatching(
        `^allowRestart is false, and this restarts the compute, .*Nothing was changed on endpoint ${id}`,
      ),
    });
    expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  it('allows a change of size while the endpoint is disabled', async () => {
    const { diff, provider, declare, state, id } = await startEndpoint();
    await provider.update(id, state, declare({ __urn, disabled: true }));
    const shown = recordDiagnostics();
    expect(await diff({ autoscalingLimitMaxCu: 2, allowRestart: false })).toMatchObject({ changes: true });
    expect(shown.join('')).toContain('no connections to drop (disabled now)');
  });

  it('in the stack config applies unless the program sets allowRestart: true', async () => {
    const { diff, provider } = await startEndpoint();
    const get = (key: string) => (key === 'postgresCompute:allowRestart' ? 'false' : undefined);
    await provider.configure({ config: { get, require: (key) => get(key) ?? key } });
    await expect(diff({ autoscalingLimitMaxCu: 2 })).rejects.toThrow();
    recordDiagnostics();
    expect(await diff({ autoscalingLimitMaxCu: 2, allowRestart: true })).toMatchObject({ changes: true });
  });

  it('adds a warning about a branchId that is unknown until the update', async () => {
    const { diff } = await startEndpoint();
    const shown = recordDiagnostics();
    await diff({ branchId: unknownValue, allowRestart: false });
    expect(shown.join('')).toContain(
      'moves the endpoint, drops its connections (active now), unless the value stays the same',
    );
    expect(shown.join('')).toContain(
      'allowRestart is false: `pulumi up` stops if the new branchId drops connections',
    );
    shown.length = 0;
    await diff({ branchId: unknownValue });
    expect(shown.join('')).not.toContain('allowRestart');
  });
});

describe('a preview of a take-over', () => {
  it('names the endpoint and reports that nothing changes on it', async () => {
    const { provider, declare, emulator, project } = await startService();
    const [primary] = emulator.endpoints(project.id);
    const shown = recordDiagnostics();
    const { name: _, ...unnamed } = declare({ branchId: primary?.branch_id ?? '', adopt: true, __urn });
    await provider.check({}, { ...unnamed, autoscalingLimitMaxCu: 0.25 });
    expect(shown[0]).toBe(
      `warning: adopt takes over endpoint ${primary?.id} (since ${primary?.created_at}) and changes nothing on it\n`,
    );
  });

  it('names the endpoint, the arguments that change on it, and the restart', async () => {
    const { provider, declare, emulator, project } = await startService();
    const [primary] = emulator.endpoints(project.id);
    emulator.changeEndpoint(primary?.id ?? '', { name: 'main' });
    const shown = recordDiagnostics();
    const { name: _, ...unnamed } = declare({ branchId: primary?.branch_id ?? '', adopt: true, __urn });
    await provider.check({}, unnamed);
    expect(shown[0]).toContain(
      `adopt takes over endpoint ${primary?.id} (since ${primary?.created_at}) and changes its autoscalingLimitMaxCu\n`,
    );
    expect(shown[0]).toContain('restarts the compute, drops its connections');
  });

  it('names the endpoint of a killed create, the restart, and that it is not allowed', async () => {
    const { declare, startProvider } = await startService();
    const { id } = await startProvider().create(declare({ __urn }));
    const shown = recordDiagnostics();
    await startProvider().check({}, declare({ __urn, autoscalingLimitMaxCu: 2, allowRestart: false }));
    const ifTaken = 'if `pulumi up` takes the endpoint over';
    expect(shown.join('')).toContain(`endpoint ${id} (since`);
    expect(shown.join('')).toContain(
      `${ifTaken}, it restarts the compute, drops its connections (active now): max 1 => 2 CU`,
    );
    expect(shown.join('')).toContain(`${ifTaken}, the create fails, because allowRestart is false`);
  });

  it('makes no request while the branchId is unknown', async () => {
    const { provider, declare, emulator } = await startService();
    recordDiagnostics();
    const inputs = { ...declare({ adopt: true, __urn }), branchId: unknownValue };
    expect((await provider.check({}, inputs)).failures).toEqual([]);
    expect(emulator.requests()).toEqual([]);
  });
});

it('a preview continues when the endpoint cannot be read, and treats its compute as active', async () => {
  const { diff, emulator } = await startEndpoint();
  emulator.inject({ match: {}, effect: { kind: 'status', status: 403 }, times: 'always' });
  const shown = recordDiagnostics();
  expect(await diff({ autoscalingLimitMaxCu: 2 })).toMatchObject({ changes: true });
  expect(shown.join('')).toContain('drops its connections (its state could not be read)');
});

describe('a note that a resource without a URN can not show', () => {
  it('appears under the next resource that has a URN', async () => {
    const { provider, declare } = await startService();
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { __urn, ...withoutUrn } = declare({ suspendTimeoutSeconds: 5 });
    await provider.check({}, { ...withoutUrn });
    await provider.check({}, { ...withoutUrn, __urn });
    const shown = write.mock.calls.map(([text]) => String(text)).join('');
    write.mockRestore();
    expect(shown).toContain("the service's plan may refuse less than 60 s");
  });
});
