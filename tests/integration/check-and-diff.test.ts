import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { startService } from '../support/start-service';

const environment = {
  POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:9/api/v2',
  POSTGRES_COMPUTE_API_KEY: 'key',
};
const previewPatienceMs = 50;
const inputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };
const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

it('trigger values that release 0.1.0 stored in restartOnChange cause no diff, and the next update removes them', async () => {
  const { provider, declare } = await startService();
  const inputs = declare({ restartTriggers: { password: 'canary-trigger' } });
  const { id, outs } = await provider.create(inputs);
  const restartOnChange = 'size 0.25 to 1 CU; triggers password=canary-trigger';
  const olds = { ...outs, restartOnChange } as StoredOutputs;
  const news = { ...inputs, restartOnChange: 'size 0.25 to 1 CU' };
  expect(await provider.diff(id, olds, news)).toMatchObject({ changes: false });
  for (const change of [{ timeouts: { create: 5 } }, { suspendTimeoutSeconds: 900 }]) {
    const updated = await provider.update(id, olds, { ...news, ...change });
    expect(updated.outs?.restartOnChange).toBe('size 0.25 to 1 CU');
  }
});

describe('check', () => {
  it.each([
    ['POSTGRES_COMPUTE_API_KEY', 'postgresCompute:apiKey'],
    ['POSTGRES_COMPUTE_BASE_URL', 'postgresCompute:baseUrl'],
  ])('names both ways to set a missing %s', async (variable, configKey) => {
    const provider = makeDynamicProviders({
      previewPatienceMs,
      environment: { ...environment, [variable]: undefined },
    }).endpoint;
    const { failures } = await provider.check({}, inputs);
    expect(failures).toEqual([{ property: '', reason: expect.stringContaining(variable) }]);
    expect(failures?.[0]?.reason).toContain(configKey);
  });

  it('prefers the key and base URL of the stack config to those of the environment', async () => {
    const { emulator, startProvider, declare } = await startService();
    const config = new Map([
      ['postgresCompute:apiKey', emulator.apiKey],
      ['postgresCompute:baseUrl', emulator.url],
    ]);
    const provider = startProvider({
      POSTGRES_COMPUTE_API_KEY: 'wrong',
      POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:9',
    });
    await provider.configure({
      config: { get: (key) => config.get(key), require: (key) => config.get(key) ?? key },
    });
    const { id } = await provider.create(declare());
    expect(emulator.endpoints().map((endpoint) => endpoint.id)).toContain(id);
  });

  it('reads the key and base URL from the environment of the process', async () => {
    const provider = makeDynamicProviders({ previewPatienceMs }).endpoint;
    const variables = Object.entries(environment);
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [name] of variables) vi.stubEnv(name, undefined);
    expect((await provider.check({}, inputs)).failures).toHaveLength(1);
    for (const [name, value] of variables) vi.stubEnv(name, value);
    expect((await provider.check({}, inputs)).failures).toEqual([]);
  });

  it('derives a name for an endpoint without one, and keeps it', async () => {
    const provider = makeDynamicProviders({ previewPatienceMs, environment }).endpoint;
    const first = await provider.check({}, { ...inputs, __urn: urn });
    expect(first.inputs?.name).toMatch(/^shop-prod-api-[0-9a-f]{8}$/);
    const again = await provider.check({ ...first.inputs, name: 'kept' }, { ...inputs, __urn: urn });
    expect(again.inputs?.name).toBe('kept');
  });

  it('refuses the name of another resource in the program', async () => {
    const provider = makeDynamicProviders({ previewPatienceMs, environment }).endpoint;
    await provider.check({}, { ...inputs, name: 'api', __urn: urn });
    const { failures } = await provider.check({}, { ...inputs, name: 'api', __urn: `${urn}-2` });
    expect(failures).toEqual([{ property: 'name', reason: expect.stringContaining(urn) }]);
  });

  it('accepts the same name again for the same resource', async () => {
    const provider = makeDynamicProviders({ previewPatienceMs, environment }).endpoint;
    await provider.check({}, { ...inputs, name: 'api', __urn: urn });
    expect((await provider.check({}, { ...inputs, name: 'api', __urn: urn })).failures).toEqual([]);
  });

  it('reports a limit that applies to several endpoints only once', async () => {
    const provider = makeDynamicProviders({ previewPatienceMs, environment }).endpoint;
    const console = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => console.mockRestore());
    const delay = { suspendTimeoutSeconds: 30 };
    for (const name of ['first', 'second'])
      await provider.check({}, { ...inputs, ...delay, name, __urn: `${urn}-${name}` });
    const shown = console.mock.calls.map(([text]) => String(text));
    expect(shown).toEqual([expect.stringContaining('suspendTimeoutSeconds is 30')]);
  });
});

describe('diff', () => {
  it('makes no request without a change and for a change of the autosuspend delay', async () => {
    const { emulator, provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    if (!outs) throw new Error('no outputs');
    const before = emulator.requests().length;
    expect(await provider.diff(id, outs, declare())).toMatchObject({ changes: false, replaces: [] });
    expect(await provider.diff(id, outs, declare({ suspendTimeoutSeconds: 60 }))).toMatchObject({
      changes: true,
    });
    expect(emulator.requests().length).toBe(before);
  });

  it('replaces a read_write endpoint when the project changes, and deletes the old one first', async () => {
    const { provider, declare } = await startService();
    const { id, outs } = await provider.create(declare());
    if (!outs) throw new Error('no outputs');
    expect(await provider.diff(id, outs, declare({ projectId: 'p-2' }))).toEqual({
      changes: true,
      replaces: ['projectId'],
      deleteBeforeReplace: true,
    });
  });

  it('replaces a read_only endpoint when the region changes, and creates the new one first', async () => {
    const { provider, declare } = await startService();
    const { id, outs } = await provider.create(declare({ type: 'read_only' }));
    if (!outs) throw new Error('no outputs');
    expect(
      await provider.diff(id, outs, declare({ type: 'read_only', regionId: 'elsewhere' })),
    ).toMatchObject({
      replaces: ['regionId'],
      deleteBeforeReplace: false,
    });
  });
});

it('state of the plugin gets the text of the dynamic provider by an update, without a request, and once', async () => {
  const { provider, declare, emulator } = await startService();
  const inputs = declare();
  const { id, outs } = await provider.create(inputs);
  const news = { ...inputs, __provider: 'code' };
  const olds = outs as StoredOutputs; // A create always returns outputs.
  expect(await provider.diff(id, olds, news)).toMatchObject({ changes: true, replaces: [] });
  const sent = emulator.requests().length;
  const updated = await provider.update(id, olds, news);
  expect(emulator.requests()).toHaveLength(sent);
  expect(updated.outs).toMatchObject({ __provider: 'code' });
  expect(await provider.diff(id, updated.outs as StoredOutputs, news)).toMatchObject({ changes: false });
});
