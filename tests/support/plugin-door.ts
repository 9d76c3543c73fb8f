import * as grpc from '@grpc/grpc-js';
import { ResourceProviderClient, ResourceProviderService } from '@pulumi/pulumi/proto/provider_grpc_pb';
import * as proto from '@pulumi/pulumi/proto/provider_pb';
import { Status } from '@pulumi/pulumi/proto/status_pb';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { onTestFinished } from 'vitest';
import { markSecrets } from '../../provider/src/engine/secret-marks';
import { ProviderService } from '../../provider/src/plugin/provider-service';
import { CallError, type CheckedProgram, type Door, type ResourceState } from './door';

const urns = {
  endpoint: 'urn:pulumi:test::shop::postgres-compute:index:ComputeEndpoint::api',
  branch: 'urn:pulumi:test::shop::postgres-compute:index:Branch::api',
};

type Reply<Response> = (error: grpc.ServiceError | null, response: Response) => void;

/** The provider plugin, called over gRPC as the engine does. */
export const pluginDoor: Door = {
  async start(options, config = {}, kind = 'endpoint') {
    const urn = urns[kind];
    const client = await connect(new ProviderService('{"version":"0.0.0"}', options));
    const ask = <Response>(send: (reply: Reply<Response>) => unknown, declared?: CheckedProgram) =>
      new Promise<Response>((resolve, reject) => {
        send((error, response) => (error ? reject(toCallError(error, declared)) : resolve(response)));
      });
    const settings = new proto.ConfigureRequest().setArgs(toStruct(config)).setAcceptsecrets(true);
    await ask<proto.ConfigureResponse>((reply) => client.configure(settings, reply));
    return {
      async check(before, { args, timeoutSeconds, secrets = [] }) {
        const news = markSecrets(args, secrets as (keyof typeof args)[]);
        const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(news));
        request.setOlds(toStruct(before?.inputs ?? {}));
        const response = await ask<proto.CheckResponse>((reply) => client.check(request, reply));
        const failures = response.getFailuresList().map((failure) => failure.toObject());
        return { inputs: fromStruct(response.getInputs()), timeoutSeconds, failures };
      },
      async diff(state, declared) {
        const request = new proto.DiffRequest().setUrn(urn).setId(state.id);
        request.setOlds(toStruct(state.outputs)).setOldInputs(toStruct(state.declared.inputs));
        request.setNews(toStruct(declared.inputs));
        const response = await ask<proto.DiffResponse>((reply) => client.diff(request, reply));
        const hasChanges = response.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME;
        return { hasChanges, replaces: response.getReplacesList() };
      },
      async create(declared) {
        const request = new proto.CreateRequest().setUrn(urn).setProperties(toStruct(declared.inputs));
        request.setTimeout(declared.timeoutSeconds ?? 0);
        const response = await ask<proto.CreateResponse>((reply) => client.create(request, reply), declared);
        return { id: response.getId(), declared, outputs: fromStruct(response.getProperties()) };
      },
      async update(state, declared) {
        const request = new proto.UpdateRequest().setUrn(urn).setId(state.id);
        request.setOlds(toStruct(state.outputs)).setOldInputs(toStruct(state.declared.inputs));
        request.setNews(toStruct(declared.inputs)).setTimeout(declared.timeoutSeconds ?? 0);
        // A failed update leaves the inputs of before.
        const answer = ask<proto.UpdateResponse>((reply) => client.update(request, reply), state.declared);
        const response = await answer;
        return { id: state.id, declared, outputs: fromStruct(response.getProperties()) };
      },
      async read(state) {
        const request = new proto.ReadRequest().setUrn(urn).setId(state.id);
        request.setProperties(toStruct(state.outputs)).setInputs(toStruct(state.declared.inputs));
        const response = await ask<proto.ReadResponse>((reply) => client.read(request, reply));
        if (response.getId() === '') return undefined;
        const inputs = fromStruct(response.getInputs());
        const { timeoutSeconds } = state.declared;
        const outputs = fromStruct(response.getProperties());
        return { id: response.getId(), declared: { inputs, timeoutSeconds }, outputs };
      },
      async delete(state) {
        const request = new proto.DeleteRequest().setUrn(urn).setId(state.id);
        request.setProperties(toStruct(state.outputs)).setOldInputs(toStruct(state.declared.inputs));
        request.setTimeout(state.declared.timeoutSeconds ?? 0);
        await ask((reply) => client.delete(request, reply));
      },
    };
  },
};

/** Serves the provider on a free port until the test ends. */
async function connect(service: ProviderService): Promise<ResourceProviderClient> {
  const server = new grpc.Server();
  server.addService(ResourceProviderService, service.implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  onTestFinished(() => {
    client.close();
    server.forceShutdown();
  });
  return client;
}

function toStruct(values: object): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
}

function fromStruct(struct: Struct | undefined): ResourceState['outputs'] {
  return (struct?.toJavaScript() ?? {}) as ResourceState['outputs']; // The fields of a message have names.
}

/** Reads the state that the engine keeps after a failure. */
function toCallError({ details, metadata }: grpc.ServiceError, declared?: CheckedProgram): CallError {
  const [packed] = metadata.get('grpc-status-details-bin');
  if (!declared || !(packed instanceof Buffer)) return new CallError(details);
  const [detail] = Status.deserializeBinary(packed).getDetailsList();
  const unpack = proto.ErrorResourceInitFailed.deserializeBinary;
  const failed = detail?.unpack(unpack, 'pulumirpc.ErrorResourceInitFailed');
  if (!failed) return new CallError(details);
  const outputs = fromStruct(failed.getProperties());
  return new CallError(details, { id: failed.getId(), declared, outputs });
}
