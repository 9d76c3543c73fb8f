import type { ServiceError, sendUnaryData } from '@grpc/grpc-js';
import * as proto from '@pulumi/pulumi/proto/provider_pb';
import { Status } from '@pulumi/pulumi/proto/status_pb';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { markSecrets } from '../../provider/src/engine/secret-marks';
import { ProviderService } from '../../provider/src/plugin/provider-service';
import { CallError, type CheckedProgram, type Door, type ResourceState } from './door';

const urns = {
  endpoint: 'urn:pulumi:test::shop::postgres-compute:index:ComputeEndpoint::api',
  branch: 'urn:pulumi:test::shop::postgres-compute:index:Branch::api',
  role: 'urn:pulumi:test::shop::postgres-compute:index:Role::api',
  database: 'urn:pulumi:test::shop::postgres-compute:index:Database::api',
};

type Method = 'configure' | 'check' | 'diff' | 'create' | 'update' | 'read' | 'delete';
type Handler = (call: { readonly request: object }, reply: sendUnaryData<unknown>) => unknown;

/** The provider plugin, called with the messages of the engine. */
export const pluginDoor: Door = {
  async start(options, config = {}, kind = 'endpoint') {
    const urn = urns[kind];
    const service = new ProviderService('{"version":"0.0.0"}', options);
    const handlers = service.implementation as Record<Method, Handler>;
    options.signal?.addEventListener('abort', () => service.cancel());
    const ask = <Response>(method: Method, request: object, declared?: CheckedProgram) =>
      new Promise<Response>((resolve, reject) => {
        handlers[method]({ request }, (error, response) =>
          error ? reject(toCallError(error, declared)) : resolve(response as Response),
        );
      });
    const settings = new proto.ConfigureRequest().setArgs(toStruct(config)).setAcceptsecrets(true);
    await ask<proto.ConfigureResponse>('configure', settings);
    return {
      async check(before, { args, timeoutSeconds, secrets = [] }) {
        const news = markSecrets(args, secrets as (keyof typeof args)[]);
        const request = new proto.CheckRequest().setUrn(urn).setNews(toStruct(news));
        request.setOlds(toStruct(before?.inputs ?? {}));
        const response = await ask<proto.CheckResponse>('check', request);
        const failures = response.getFailuresList().map((failure) => failure.toObject());
        return { inputs: fromStruct(response.getInputs()), timeoutSeconds, failures };
      },
      async diff(state, declared) {
        const request = new proto.DiffRequest().setUrn(urn).setId(state.id);
        request.setOlds(toStruct(state.outputs)).setOldInputs(toStruct(state.declared.inputs));
        request.setNews(toStruct(declared.inputs));
        const response = await ask<proto.DiffResponse>('diff', request);
        const hasChanges = response.getChanges() === proto.DiffResponse.DiffChanges.DIFF_SOME;
        return { hasChanges, replaces: response.getReplacesList() };
      },
      async create(declared) {
        const request = new proto.CreateRequest().setUrn(urn).setProperties(toStruct(declared.inputs));
        request.setTimeout(declared.timeoutSeconds ?? 0);
        const response = await ask<proto.CreateResponse>('create', request, declared);
        return { id: response.getId(), declared, outputs: fromStruct(response.getProperties()) };
      },
      async update(state, declared) {
        const request = new proto.UpdateRequest().setUrn(urn).setId(state.id);
        request.setOlds(toStruct(state.outputs)).setOldInputs(toStruct(state.declared.inputs));
        request.setNews(toStruct(declared.inputs)).setTimeout(declared.timeoutSeconds ?? 0);
        // A failed update leaves the inputs of before.
        const answer = ask<proto.UpdateResponse>('update', request, state.declared);
        const response = await answer;
        return { id: state.id, declared, outputs: fromStruct(response.getProperties()) };
      },
      async read(state) {
        const request = new proto.ReadRequest().setUrn(urn).setId(state.id);
        request.setProperties(toStruct(state.outputs)).setInputs(toStruct(state.declared.inputs));
        const response = await ask<proto.ReadResponse>('read', request);
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
        await ask('delete', request);
      },
    };
  },
};

function toStruct(values: object): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(values)));
}

function fromStruct(struct: Struct | undefined): ResourceState['outputs'] {
  return (struct?.toJavaScript() ?? {}) as ResourceState['outputs']; // The fields of a message have names.
}

/** Reads the state that the engine keeps after a failure. */
function toCallError(
  { details = '', metadata }: Partial<ServiceError>,
  declared?: CheckedProgram,
): CallError {
  const [packed] = metadata?.get('grpc-status-details-bin') ?? [];
  if (!declared || !(packed instanceof Buffer)) return new CallError(details);
  const [detail] = Status.deserializeBinary(packed).getDetailsList();
  const unpack = proto.ErrorResourceInitFailed.deserializeBinary;
  const failed = detail?.unpack(unpack, 'pulumirpc.ErrorResourceInitFailed');
  if (!failed) return new CallError(details);
  const outputs = fromStruct(failed.getProperties());
  return new CallError(details, { id: failed.getId(), declared, outputs });
}
