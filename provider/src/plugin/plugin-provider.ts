import { isEmpty } from 'lodash';
import { defaultTimeoutSeconds } from '../config/default-timeout';
import { pluginSettingNames } from '../config/setting-names';
import { Deadline } from '../control-api/deadline';
import { argumentNames } from '../endpoint/argument-effects';
import type { UncheckedDeclaration } from '../endpoint/endpoint-check';
import { UnsettledEndpointError } from '../endpoint/endpoint-error';
import type { EndpointInputs, InputFailure } from '../endpoint/endpoint-inputs';
import { type EndpointDiff, EndpointLifecycle, type LifecycleOptions } from '../endpoint/endpoint-lifecycle';
import { type EndpointOutputs, type PriorState, pickOutputs } from '../endpoint/endpoint-state';
import { keepProperties } from '../endpoint/kept-properties';
import { type Declaration, identityInputs, readIdentity, writeIdentity } from '../endpoint/resource-identity';
import { findSecretOutputs } from '../endpoint/secret-outputs';
import { previewCreate, previewUpdate } from './preview-outputs';
import type { Properties, ReadProperties, WrittenProperties } from './properties';
import { readSetting } from './provider-settings';
import { PluginPartialStateError } from './service-error';

/** The state of a resource as the engine passes it to every call. */
export interface ResourceState {
  readonly urn: string;
  readonly inputs: ReadProperties;
  readonly outputs: ReadProperties;
}

export type PropertyChange = 'add' | 'delete' | 'update';

export interface PluginDiff extends EndpointDiff {
  /** How each property changes, and `restartsCompute`, which is no property, when the change restarts the compute. */
  readonly detailed: ReadonlyMap<string, PropertyChange>;
}

/** The lifecycle of a ComputeEndpoint as the engine calls a provider plugin. */
export class PluginProvider {
  readonly lifecycle: EndpointLifecycle;
  readonly #signal: AbortSignal | undefined;

  constructor(settings: Properties, options: LifecycleOptions = {}) {
    this.#signal = options.signal;
    this.lifecycle = new EndpointLifecycle({ ...options, settingNames: pluginSettingNames });
    this.lifecycle.config.readConfig = (name) => readSetting(settings, name);
  }

  async check(
    urn: string,
    olds: ReadProperties,
    news: ReadProperties,
  ): Promise<WrittenProperties & { readonly failures: readonly InputFailure[] }> {
    const before = isEmpty(olds.values) ? undefined : readDeclaration(urn, pickDeclared(olds));
    const { failures, ...checked } = await this.lifecycle.check(before, readDeclaration(urn, news));
    return { ...writeInputs(checked), failures };
  }

  async diff(id: string, prior: ResourceState, news: ReadProperties): Promise<PluginDiff> {
    const before = readState(prior);
    const declaration = readChecked(prior.urn, news);
    const diff = await this.lifecycle.diff(id, before, declaration);
    const detailed = new Map<string, PropertyChange>(
      diff.changes.map((name) => [name, describeChange(before.outputs[name], declaration.inputs[name])]),
    );
    if (diff.restarts) detailed.set('restartsCompute', 'add');
    if (diff.hasChanges && detailed.size === 0) detailed.set('unsettledOperations', 'delete');
    return { ...diff, detailed };
  }

  previewCreate(urn: string, news: ReadProperties): WrittenProperties {
    const declaration = readChecked(urn, news);
    return writeOutputs(declaration, previewCreate(declaration.inputs));
  }

  previewUpdate(prior: ResourceState, news: ReadProperties): WrittenProperties {
    const declaration = readChecked(prior.urn, news);
    const before = readState(prior);
    return writeOutputs(declaration, previewUpdate(before, declaration.inputs), before);
  }

  /** @param seconds how long it may take; 0: the default */
  async create(
    urn: string,
    news: ReadProperties,
    seconds: number,
  ): Promise<WrittenProperties & { readonly id: string }> {
    const declaration = readChecked(urn, news);
    const created = this.lifecycle.create(declaration, this.#toDeadline(seconds));
    const { id, outputs } = await keepState(created, declaration);
    return { id, ...writeOutputs(declaration, outputs) };
  }

  async update(
    id: string,
    prior: ResourceState,
    news: ReadProperties,
    seconds: number,
  ): Promise<WrittenProperties> {
    const declaration = readChecked(prior.urn, news);
    const before = readState(prior);
    const updated = this.lifecycle.update(id, before, declaration, this.#toDeadline(seconds));
    return writeOutputs(declaration, await keepState(updated, declaration, before), before);
  }

  async delete(id: string, prior: ResourceState, seconds: number): Promise<void> {
    await this.lifecycle.delete(id, readState(prior), this.#toDeadline(seconds));
  }

  /** @param id with an empty state, to import or look up: `PROJECT/ENDPOINT`, or the endpoint's id beside `projectId` */
  async read(
    id: string,
    prior: ResourceState,
  ): Promise<{ id: string; inputs: WrittenProperties; outputs: WrittenProperties } | undefined> {
    const isInState = prior.outputs.values.__schemaVersion !== undefined;
    const { endpointId, state } = isInState ? { endpointId: id, state: readState(prior) } : locate(id, prior);
    const found = await this.lifecycle.read(endpointId, state, isInState ? 'in state' : 'as found');
    if (!found) return undefined;
    const { resource } = state;
    return {
      id: endpointId,
      inputs: writeInputs({ resource, inputs: found.inputs }),
      outputs: writeOutputs({ resource, inputs: found.inputs }, found.outputs),
    };
  }

  #toDeadline(seconds: number): Deadline {
    return new Deadline((seconds || defaultTimeoutSeconds) * 1000, 'later', this.#signal);
  }
}

/** What the program gives. */
function readDeclaration(urn: string, { values, secretNames }: ReadProperties): UncheckedDeclaration {
  const isArgument = (name: string) => !name.startsWith('__');
  return {
    resource: { urn, ...readIdentity(values), secretNames },
    inputs: keepProperties(values, isArgument),
  };
}

/** The same, of inputs that have passed the check. */
function readChecked(urn: string, news: ReadProperties): Declaration {
  const { resource, inputs } = readDeclaration(urn, news);
  return { resource, inputs: inputs as EndpointInputs };
}

const declaredNames = new Set<string>([...argumentNames, ...identityInputs]);

/** The inputs in a state. The dynamic provider may have written it, and stores further inputs. */
function pickDeclared({ values, secretNames }: ReadProperties): ReadProperties {
  return { values: keepProperties(values, (name) => declaredNames.has(name)), secretNames };
}

function readState({ urn, inputs, outputs }: ResourceState): PriorState {
  const declared = readChecked(urn, pickDeclared(inputs));
  const secretNames = [...new Set([...inputs.secretNames, ...outputs.secretNames])];
  return {
    resource: { ...declared.resource, secretNames },
    inputs: declared.inputs,
    outputs: pickOutputs(outputs.values),
  };
}

function writeInputs({ resource, inputs }: Declaration): WrittenProperties {
  return { values: { ...inputs, ...writeIdentity(resource) }, secretNames: resource.secretNames };
}

/** @param before what is in state */
function writeOutputs(declaration: Declaration, outputs: object, before?: PriorState): WrittenProperties {
  return { values: outputs, secretNames: findSecretOutputs(declaration, outputs, before) };
}

/** Turns a failure of an endpoint that exists into one with the outputs that the engine must keep. */
async function keepState<Result>(
  work: Promise<Result>,
  declaration: Declaration,
  before?: PriorState,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof UnsettledEndpointError)) throw error;
    throw new PluginPartialStateError(
      error.message,
      error.id,
      writeOutputs(declaration, error.outputs, before),
    );
  }
}

/** @throws Error when it is not clear which endpoint is meant */
function locate(id: string, { urn, inputs, outputs }: ResourceState) {
  const given = outputs.values.projectId ?? inputs.values.projectId;
  const [projectId, endpointId, ...rest] = id.includes('/') ? id.split('/') : [given, id];
  if (typeof projectId !== 'string' || !projectId || !endpointId || rest.length > 0)
    throw new Error(
      `"${id}" does not say which endpoint to read: give PROJECT/ENDPOINT, such as cool-lake-12345678/ep-calm-sky-87654321.`,
    );
  const declared = { projectId } as EndpointInputs;
  const state: PriorState = {
    resource: { urn },
    inputs: declared,
    outputs: declared as EndpointOutputs,
  };
  return { endpointId, state };
}

function describeChange(before: unknown, after: unknown): PropertyChange {
  if (before === undefined) return 'add';
  return after === undefined ? 'delete' : 'update';
}
