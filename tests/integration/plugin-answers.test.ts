import { type sendUnaryData, status } from '@grpc/grpc-js';
import * as proto from '@pulumi/pulumi/proto/provider_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { describe, expect, it } from 'vitest';
import { ProviderService } from '../../provider/src/plugin/provider-service';
import { createEndpoint, startService } from '../support/start-service';

const urnOf = (type: string) => `urn:pulumi:test::shop::postgres-compute:index:${type}::api`;
const urn = urnOf('ComputeEndpoint');
const toStruct = (values: object) => Struct.fromJavaScript({ ...values });

/** A plugin as the engine calls it. An answer is a message of the protocol, or an error of gRPC. */
async function startPlugin() {
  const service = await startService();
  const { emulator } = service;
  const plugin = new ProviderService('{"version":"1.2.3"}', { environment: {} });
  type Handler = (call: { readonly request: unknown }, reply: sendUnaryData<unknown>) => unknown;
  const handlers = plugin.implementation as Record<string, Handler>;
  const ask = <Answer>(method: string, request: unknown = new Empty()) =>
    new Promise<Answer>((resolve, reject) => {
      handlers[method]?.({ request }, (error, answer) => (error ? reject(error) : resolve(answer as Answer)));
    });
  const configure = (settings: object = {}) => {
    const args = { apiKey: emulator.apiKey, baseUrl: emulator.url, ...settings };
    return ask('configure', new proto.ConfigureRequest().setArgs(toStruct(args)));
  };
  return { ...service, plugin, ask, configure };
}

describe('before it is configured', () => {
  it('the plugin tells its version and schema', async () => {
    const { ask, plugin } = await startPlugin();
    expect((await ask<{ getVersion(): string }>('getPluginInfo')).getVersion()).toBe('1.2.3');
    expect((await ask<proto.GetSchemaResponse>('getSchema')).getSchema()).toBe('{"version":"1.2.3"}');
    expect(await ask('attach')).toBeInstanceOf(Empty);
    expect(plugin.isIdle).toBe(true);
  });

  it('a call for a resource is refused', async () => {
    const { ask, plugin } = await startPlugin();
    await expect(ask('check', new proto.CheckRequest().setUrn(urn))).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'the provider is not configured yet',
    });
    expect(plugin.isIdle).toBe(true);
  });
});

describe('the configuration', () => {
  it('keeps the key as a secret, and refuses a setting of another name', async () => {
    const { ask } = await startPlugin();
    const request = new proto.CheckRequest().setNews(toStruct({ apiKey: 'canary', allowrestart: true }));
    const answer = await ask<proto.CheckResponse>('checkConfig', request);
    expect(JSON.stringify(answer.getInputs()?.toJavaScript())).toMatch(/4dabf18193072939515e22adb298388d/);
    const [failure] = answer.getFailuresList().map((each) => each.toObject());
    expect(failure).toMatchObject({
      property: '',
      reason: expect.stringMatching(/^allowrestart is not a setting/),
    });
  });

  it('replaces nothing when a setting changes', async () => {
    const { ask } = await startPlugin();
    const request = new proto.DiffRequest()
      .setOldInputs(toStruct({ requestsPerMinute: '600', allowRestart: 'true' }))
      .setNews(toStruct({ requestsPerMinute: 700, allowRestart: true }));
    const answer = await ask<proto.DiffResponse>('diffConfig', request);
    expect(answer.getDiffsList()).toEqual(['requestsPerMinute']);
    expect(answer.getReplacesList()).toEqual([]);
  });
});

it('a type of another package is refused', async () => {
  const { ask, configure } = await startPlugin();
  await configure();
  await expect(ask('check', new proto.CheckRequest().setUrn(urnOf('Region')))).rejects.toMatchObject({
    details: 'postgres-compute:index:Region is not a resource of this package.',
  });
});

describe('a preview', () => {
  it('of a new endpoint knows its size, and not its host', async () => {
    const { ask, configure, emulator, declare } = await startPlugin();
    await configure();
    const { __urn, ...args } = declare();
    const request = new proto.CreateRequest().setUrn(urn).setProperties(toStruct(args)).setPreview(true);
    const answer = await ask<proto.CreateResponse>('create', request);
    const outputs = answer.getProperties()?.toJavaScript();
    expect(outputs).toMatchObject({ maxSize: { vcpu: 1 } });
    expect(outputs?.host).toBe('04da6b54-80e4-46f7-96ec-b56ff0331ba9');
    expect(emulator.requests().some(({ method }) => method === 'POST')).toBe(false);
  });

  it.each([
    ['restartsCompute', { autoscalingLimitMaxCu: 2 }, 'autoscalingLimitMaxCu', []],
    ['nothing else', { poolerEnabled: true }, 'poolerEnabled', []],
    ['the replacement', { regionId: 'aws-eu-west-1' }, 'regionId', ['regionId']],
  ])('of a change has rows for its arguments and %s', async (row, change, name, replaces) => {
    const service = await startPlugin();
    const { ask, configure, declare } = service;
    await configure({ allowRestart: true });
    const { id, outs } = await createEndpoint(service);
    const { __urn, ...args } = declare();
    const request = new proto.DiffRequest()
      .setUrn(urn)
      .setId(id)
      .setOlds(toStruct(JSON.parse(JSON.stringify(outs))))
      .setOldInputs(toStruct(args))
      .setNews(toStruct({ ...args, ...change }));
    const answer = await ask<proto.DiffResponse>('diff', request);
    const rows = row === 'restartsCompute' ? [name, row] : [name];
    expect(answer.getDiffsList()).toEqual(rows);
    expect(answer.getReplacesList()).toEqual(replaces);
    expect(answer.getDeletebeforereplace()).toBe(true);
  });
});

it.each(['a preview of an update', 'an update'])(
  '%s keeps the mark of a secret that only the outputs have',
  async (call) => {
    const service = await startPlugin();
    const { ask, configure, declare } = service;
    await configure();
    const { id, outs } = await createEndpoint(service);
    const { __urn, ...args } = declare();
    const signature = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' };
    const provisioner = { ...signature, value: outs.provisioner };
    const request = new proto.UpdateRequest()
      .setUrn(urn)
      .setId(id)
      .setOlds(toStruct({ ...JSON.parse(JSON.stringify(outs)), provisioner }))
      .setOldInputs(toStruct(args))
      .setNews(toStruct(args))
      .setPreview(call !== 'an update');
    const answer = await ask<proto.UpdateResponse>('update', request);
    expect(answer.getProperties()?.toJavaScript()).toMatchObject({ provisioner });
  },
);

it('a read of an endpoint that does not exist has no id', async () => {
  const { ask, configure, project } = await startPlugin();
  await configure();
  const request = new proto.ReadRequest().setUrn(urn).setId(`${project.id}/ep-none`);
  expect((await ask<proto.ReadResponse>('read', request)).getId()).toBe('');
});
