import { describe, expect, it } from 'vitest';
import { makePluginProviders } from '../../provider/src/plugin/plugin-provider';
import type { ReadProperties } from '../../provider/src/plugin/properties';
import { PluginPartialStateError } from '../../provider/src/plugin/service-error';
import { silenceDiagnostics } from '../support/diagnostics';
import { errorOf } from '../support/failure';
import { lockPacing, pollPacing, retryPacing } from '../support/pacing';
import { type Service, startService } from '../support/start-service';

silenceDiagnostics();

const urn = 'urn:pulumi:test::shop::postgres-compute:index:ComputeEndpoint::api';
const read = (values: object, secretNames: readonly string[] = []): ReadProperties => ({
  values: { ...values },
  secretNames,
});

async function startPlugin({ emulator }: Service) {
  const pacing = { pollPacing, lockPacing, retryPacing, readLagMs: 100, readSharingMs: 0 };
  const settings = { baseUrl: emulator.url, apiKey: emulator.apiKey };
  return makePluginProviders(settings, { ...pacing, environment: {} }).endpoint;
}

/** Creates an endpoint with a secret setting. */
async function createWithSecret(service: Service) {
  const plugin = await startPlugin(service);
  const { __urn, ...declared } = service.declare();
  const settings = { pgSettings: { 'app.key': 'canary' } };
  const checked = await plugin.check(urn, read({}), read({ ...declared, ...settings }, ['pgSettings']));
  const inputs = read(checked.values, checked.secretNames);
  const { id, ...outputs } = await plugin.create(urn, inputs, 0);
  const prior = { urn, inputs, outputs: read(outputs.values, outputs.secretNames) };
  return { plugin, id, prior, declared: { ...declared, name: inputs.values.name } };
}

describe('a secret of the plugin', () => {
  it.each([
    ['is no longer given', {}],
    ['is replaced by a value that is no secret', { pgSettings: { 'app.key': 'plain' } }],
  ])('stays a secret in state when it %s and the update fails', async (_what, change) => {
    const service = await startService();
    const { plugin, id, prior, declared } = await createWithSecret(service);
    // The outcome is unknown: the proxy may have passed the request on.
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'proxy-page', status: 403 } });
    const failure = await errorOf(plugin.update(id, prior, read({ ...declared, ...change }), 0));
    if (!(failure instanceof PluginPartialStateError)) throw failure;
    expect(failure.outputs.values).toMatchObject({ pgSettings: { 'app.key': 'canary' } });
    expect(failure.outputs.secretNames).toEqual(['pgSettings']);
  });

  it('is not assumed in plain settings when their update fails', async () => {
    const service = await startService();
    const plugin = await startPlugin(service);
    const { __urn, ...declared } = service.declare({ pgSettings: { work_mem: '8MB' } });
    const { id, ...outputs } = await plugin.create(urn, read(declared), 0);
    const prior = { urn, inputs: read(declared), outputs: read(outputs.values, outputs.secretNames) };
    service.emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const news = read({ ...declared, pgSettings: { work_mem: '16MB' } });
    const failure = await errorOf(plugin.update(id, prior, news, 0));
    if (!(failure instanceof PluginPartialStateError)) throw failure;
    expect(failure.outputs.values).toMatchObject({ pgSettings: { work_mem: '16MB' } });
    expect(failure.outputs.secretNames).toEqual([]);
  });

  it('stays one when a forced replacement adopts, omits it and fails', async () => {
    const service = await startService();
    const { plugin, id, declared } = await createWithSecret(service);
    const news = read({ ...declared, __createsBeforeDelete: true });
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 422 } });
    const failure = await errorOf(plugin.create(urn, news, 0));
    if (!(failure instanceof PluginPartialStateError)) throw failure;
    expect(failure).toMatchObject({ id, outputs: { values: { pgSettings: { 'app.key': 'canary' } } } });
    expect(failure.outputs.secretNames).toContain('pgSettings');
    const { values } = await plugin.create(urn, news, 0);
    expect(values).toHaveProperty('pgSettings', {});
  });

  it('is not named as the property that is wrong', async () => {
    const service = await startService();
    const plugin = await startPlugin(service);
    const { __urn, ...declared } = service.declare();
    const news = read({ ...declared, name: 'canary'.repeat(20) }, ['name']);
    const { failures } = await plugin.check(urn, read({}), news);
    expect(failures).toEqual([{ property: '', reason: 'name must be 1 to 64 characters' }]);
  });
});
