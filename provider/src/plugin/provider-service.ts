import { setMaxListeners } from 'node:events';
import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from '@grpc/grpc-js';
import { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import * as proto from '@pulumi/pulumi/proto/provider_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import type { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import type { CoreOptions } from '../lifecycle/provider-core';
import { callFunction } from './functions';
import { makePluginProviders, type PluginProvider, type ResourceState } from './plugin-provider';
import { readProperties, writeProperties } from './properties';
import { findChangedSettings, findSettingFailures } from './provider-settings';
import { toCheckResponse, toFailure, toPropertyDiff } from './responses';
import { NotConfiguredError, toServiceError } from './service-error';

const { DiffChanges } = proto.DiffResponse;

/** The calls of the engine, each turned into one of the provider's. */
export class ProviderService {
  readonly #schema: string;
  readonly #options: CoreOptions;
  readonly #interruption = new AbortController();
  #providers: ReturnType<typeof makePluginProviders> | undefined;
  #callsUnderWay = 0;

  /** @param schema the text of schema.json, which `npm run schema` makes */
  constructor(schema: string, options: CoreOptions = {}) {
    this.#schema = schema;
    // Every wait listens to it.
    setMaxListeners(0, this.#interruption.signal);
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#callsUnderWay === 0;
  }

  /** Ends every wait, and sends nothing new. What is unfinished then is kept in state. */
  cancel(): void {
    this.#interruption.abort();
  }

  /** The handlers, by method name in provider.proto. The engine does without those that are missing, such as Handshake. */
  get implementation(): UntypedServiceImplementation {
    return {
      getPluginInfo: this.#answer<Empty>(async () => {
        return new PluginInfo().setVersion(JSON.parse(this.#schema).version);
      }),
      getSchema: this.#answer<proto.GetSchemaRequest>(async () => {
        return new proto.GetSchemaResponse().setSchema(this.#schema);
      }),
      checkConfig: this.#answer((request: proto.CheckRequest) => this.#checkConfig(request)),
      diffConfig: this.#answer((request: proto.DiffRequest) => this.#diffConfig(request)),
      configure: this.#answer((request: proto.ConfigureRequest) => this.#configure(request)),
      check: this.#answer((request: proto.CheckRequest) => this.#check(request)),
      diff: this.#answer((request: proto.DiffRequest) => this.#diff(request)),
      create: this.#answer((request: proto.CreateRequest) => this.#create(request)),
      read: this.#answer((request: proto.ReadRequest) => this.#read(request)),
      update: this.#answer((request: proto.UpdateRequest) => this.#update(request)),
      delete: this.#answer((request: proto.DeleteRequest) => this.#delete(request)),
      invoke: this.#answer((request: proto.InvokeRequest) => this.#invoke(request)),
      cancel: this.#answer<Empty>(async () => {
        this.cancel();
        return new Empty();
      }),
      attach: this.#answer<unknown>(async () => new Empty()),
    };
  }

  #answer<Call>(answer: (request: Call) => Promise<unknown>) {
    return async ({ request }: ServerUnaryCall<Call, unknown>, reply: sendUnaryData<unknown>) => {
      this.#callsUnderWay += 1;
      try {
        reply(null, await answer(request));
      } catch (error) {
        reply(toServiceError(error));
      } finally {
        this.#callsUnderWay -= 1;
      }
    };
  }

  get #configured() {
    if (this.#providers) return this.#providers;
    throw new NotConfiguredError();
  }

  /** @throws Error when the package has no such type */
  #providerOf(urn: string): PluginProvider {
    const type = urn.split('::')[2]?.split('$').at(-1) ?? '';
    const { endpoint, branch, role, database } = this.#configured;
    const providers = { ComputeEndpoint: endpoint, Branch: branch, Role: role, Database: database };
    const name = type.split(':').at(-1) ?? '';
    if (Object.hasOwn(providers, name)) return providers[name as keyof typeof providers];
    throw new Error(`${type} is not a resource of this package.`);
  }

  async #checkConfig(request: proto.CheckRequest): Promise<proto.CheckResponse> {
    const { values, secretNames } = readProperties(request.getNews());
    const { environment } = this.#options;
    // The key is a secret in state, whatever it is in the program.
    const secrets = 'apiKey' in values ? [...secretNames, 'apiKey'] : secretNames;
    return toCheckResponse({ values, secretNames: secrets }, findSettingFailures(values, environment));
  }

  /** Never a replacement: the resources stay where they are. */
  async #diffConfig(request: proto.DiffRequest): Promise<proto.DiffResponse> {
    const olds = readProperties(request.getOldInputs() ?? request.getOlds()).values;
    const changed = findChangedSettings(olds, readProperties(request.getNews()).values);
    return new proto.DiffResponse()
      .setChanges(changed.length > 0 ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE)
      .setDiffsList(changed);
  }

  async #configure(request: proto.ConfigureRequest): Promise<proto.ConfigureResponse> {
    const settings = readProperties(request.getArgs()).values;
    const options = { ...this.#options, signal: this.#interruption.signal };
    this.#providers = makePluginProviders(settings, options);
    return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
  }

  async #check(request: proto.CheckRequest): Promise<proto.CheckResponse> {
    const provider = this.#providerOf(request.getUrn());
    const olds = readProperties(request.getOlds());
    const news = readProperties(request.getNews());
    const checked = await provider.check(request.getUrn(), olds, news);
    return toCheckResponse(checked, checked.failures);
  }

  async #diff(request: proto.DiffRequest): Promise<proto.DiffResponse> {
    const provider = this.#providerOf(request.getUrn());
    const prior = toState(request, request.getOlds());
    const news = readProperties(request.getNews());
    const { hasChanges, replaces, detailed } = await provider.diff(request.getId(), prior, news);
    const response = new proto.DiffResponse()
      .setChanges(hasChanges ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE)
      .setReplacesList([...replaces])
      // The engine calls no diff for `--replace` and taint; every other replacement deletes first by this response.
      .setDeletebeforereplace(true)
      .setDiffsList([...detailed.keys()])
      .setHasdetaileddiff(true);
    for (const [path, change] of detailed)
      response.getDetaileddiffMap().set(path, toPropertyDiff(change, replaces.includes(path)));
    return response;
  }

  async #create(request: proto.CreateRequest): Promise<proto.CreateResponse> {
    const provider = this.#providerOf(request.getUrn());
    const news = readProperties(request.getProperties());
    const response = new proto.CreateResponse();
    if (request.getPreview())
      return response.setProperties(writeProperties(provider.previewCreate(request.getUrn(), news)));
    const created = await provider.create(request.getUrn(), news, request.getTimeout());
    return response.setId(created.id).setProperties(writeProperties(created));
  }

  async #read(request: proto.ReadRequest): Promise<proto.ReadResponse> {
    const provider = this.#providerOf(request.getUrn());
    const prior = {
      urn: request.getUrn(),
      inputs: readProperties(request.getInputs()),
      outputs: readProperties(request.getProperties()),
    };
    const found = await provider.read(request.getId(), prior);
    const response = new proto.ReadResponse();
    if (!found) return response; // Without an id the resource no longer exists.
    return response
      .setId(found.id)
      .setInputs(writeProperties(found.inputs))
      .setProperties(writeProperties(found.outputs));
  }

  async #update(request: proto.UpdateRequest): Promise<proto.UpdateResponse> {
    const provider = this.#providerOf(request.getUrn());
    const prior = toState(request, request.getOlds());
    const news = readProperties(request.getNews());
    const outputs = request.getPreview()
      ? provider.previewUpdate(prior, news)
      : await provider.update(request.getId(), prior, news, request.getTimeout());
    return new proto.UpdateResponse().setProperties(writeProperties(outputs));
  }

  async #delete(request: proto.DeleteRequest): Promise<Empty> {
    const provider = this.#providerOf(request.getUrn());
    const prior = toState(request, request.getProperties());
    await provider.delete(request.getId(), prior, request.getTimeout());
    return new Empty();
  }

  async #invoke(request: proto.InvokeRequest): Promise<proto.InvokeResponse> {
    const { values } = readProperties(request.getArgs());
    const { core } = this.#configured;
    const response = new proto.InvokeResponse();
    const result = await callFunction(request.getTok(), values, core);
    if ('failures' in result) return response.setFailuresList(result.failures.map(toFailure));
    return response.setReturn(writeProperties(result));
  }
}

/** A request about a resource in state. */
interface StateRequest {
  getUrn(): string;
  getOldInputs(): Struct | undefined;
}

function toState(request: StateRequest, outputs: Struct | undefined): ResourceState {
  return {
    urn: request.getUrn(),
    inputs: readProperties(request.getOldInputs()),
    outputs: readProperties(outputs),
  };
}
