import { isEmpty } from 'lodash';
import { BranchLifecycle } from '../branch/branch-lifecycle';
import { pluginSettingNames } from '../config/setting-names';
import { defaultTimeoutSeconds } from '../config/timeouts';
import { Deadline } from '../control-api/deadline';
import { EndpointLifecycle } from '../endpoint/endpoint-lifecycle';
import type { InputFailure } from '../lifecycle/input-values';
import { type CoreOptions, ProviderCore } from '../lifecycle/provider-core';
import { UnsettledError } from '../lifecycle/resource-errors';
import {
  type Declared,
  identityInputs,
  keepProperties,
  type Properties,
  readIdentity,
  type UncheckedDeclaration,
  writeIdentity,
} from '../lifecycle/resource-identity';
import type { ResourceDiff, ResourceLifecycle } from '../lifecycle/resource-lifecycle';
import { isInState, type Prior, type Unsettled } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { pickOutputs } from '../lifecycle/resource-type';
import { type Before, findSecretOutputs } from '../lifecycle/secrets';
import { databaseType } from '../named/database-type';
import { NamedLifecycle } from '../named/named-lifecycle';
import { roleType } from '../named/role-type';
import type { ReadProperties, WrittenProperties } from './properties';
import { readSetting } from './provider-settings';
import { PluginPartialStateError } from './service-error';

/** The state of a resource as the engine passes it to every call. */
export interface ResourceState {
  readonly urn: string;
  readonly inputs: ReadProperties;
  readonly outputs: ReadProperties;
}

export type PropertyChange = 'add' | 'delete' | 'update';

export interface PluginDiff extends ResourceDiff {
  /** How each property changes, and what else the row of the preview shows, under names that are not properties. */
  readonly detailed: ReadonlyMap<string, PropertyChange>;
}

/** The providers of all types of resource, with what they share. */
export function makePluginProviders(settings: Properties, options: CoreOptions = {}) {
  const core = new ProviderCore({ ...options, settingNames: pluginSettingNames });
  core.config.readConfig = (name) => readSetting(settings, name);
  return {
    core,
    endpoint: new PluginProvider(new EndpointLifecycle(core), options.signal),
    branch: new PluginProvider(new BranchLifecycle(core), options.signal),
    role: new PluginProvider(new NamedLifecycle(core, roleType), options.signal),
    database: new PluginProvider(new NamedLifecycle(core, databaseType), options.signal),
  };
}

/** The lifecycle of a type of resource as the engine calls a provider plugin. */
export class PluginProvider {
  readonly #lifecycle: ResourceLifecycle;
  readonly #signal: AbortSignal | undefined;

  constructor(lifecycle: ResourceLifecycle, signal?: AbortSignal) {
    this.#lifecycle = lifecycle;
    this.#signal = signal;
  }

  get #type(): ResourceType {
    return this.#lifecycle.type;
  }

  async check(
    urn: string,
    olds: ReadProperties,
    news: ReadProperties,
  ): Promise<WrittenProperties & { readonly failures: readonly InputFailure[] }> {
    const declared = () => readDeclaration(urn, pickDeclared(this.#type, olds));
    const before = isEmpty(olds.values) ? undefined : declared();
    const { failures, ...checked } = await this.#lifecycle.check(before, readDeclaration(urn, news));
    return { ...writeInputs(checked), failures };
  }

  async diff(id: string, prior: ResourceState, news: ReadProperties): Promise<PluginDiff> {
    const before = readState(this.#type, prior);
    const declaration = readDeclaration(prior.urn, news);
    const diff = await this.#lifecycle.diff(id, before, declaration);
    const detailed = new Map<string, PropertyChange>(
      diff.changes.map((name) => [name, describeChange(before.outputs[name], declaration.inputs[name])]),
    );
    if (diff.restarts) detailed.set('restartsCompute', 'add');
    if (diff.deletesData) detailed.set('deletesData', 'add');
    if (diff.hasChanges && detailed.size === 0) detailed.set('unsettledOperations', 'delete');
    return { ...diff, detailed };
  }

  previewCreate(urn: string, news: ReadProperties): WrittenProperties {
    const declaration = readDeclaration(urn, news);
    return writeOutputs(this.#type, declaration, this.#type.previewCreate(declaration.inputs));
  }

  previewUpdate(prior: ResourceState, news: ReadProperties): WrittenProperties {
    const declaration = readDeclaration(prior.urn, news);
    const before = readState(this.#type, prior);
    return writeOutputs(
      this.#type,
      declaration,
      this.#type.previewUpdate(before, declaration.inputs),
      before,
    );
  }

  /** @param seconds how long it may take; 0: the default */
  async create(
    urn: string,
    news: ReadProperties,
    seconds: number,
  ): Promise<WrittenProperties & { readonly id: string }> {
    const declaration = readDeclaration(urn, news);
    const created = this.#lifecycle.create(declaration, this.#toDeadline(seconds));
    const { id, outputs } = await keepState(this.#type, created, declaration);
    return { id, ...writeOutputs(this.#type, declaration, outputs) };
  }

  async update(
    id: string,
    prior: ResourceState,
    news: ReadProperties,
    seconds: number,
  ): Promise<WrittenProperties> {
    const declaration = readDeclaration(prior.urn, news);
    const before = readState(this.#type, prior);
    const updated = this.#lifecycle.update(id, before, declaration, this.#toDeadline(seconds));
    const outputs = await keepState(this.#type, updated, declaration, before);
    return writeOutputs(this.#type, declaration, outputs, before);
  }

  async delete(id: string, prior: ResourceState, seconds: number): Promise<void> {
    await this.#lifecycle.delete(id, readState(this.#type, prior), this.#toDeadline(seconds));
  }

  /** @param id with an empty state, to import or look up: `PROJECT/ENDPOINT` or `PROJECT/BRANCH`, or the id alone beside `projectId` */
  async read(
    id: string,
    prior: ResourceState,
  ): Promise<{ id: string; inputs: WrittenProperties; outputs: WrittenProperties } | undefined> {
    const isKnown = isInState(prior.outputs.values);
    const { ownId, state } = isKnown
      ? { ownId: id, state: readState(this.#type, prior) }
      : locate(this.#type, id, prior);
    const found = await this.#lifecycle.read(ownId, state, isKnown ? 'in state' : 'as found');
    if (!found) return undefined;
    const { resource } = state;
    return {
      id: ownId,
      inputs: writeInputs({ resource, inputs: found.inputs }),
      outputs: writeOutputs(this.#type, { resource, inputs: found.inputs }, found.outputs),
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

/** The inputs in a state. The dynamic provider may have written it, and stores further inputs. */
function pickDeclared(
  { argumentNames }: ResourceType,
  { values, secretNames }: ReadProperties,
): ReadProperties {
  const declaredNames = new Set<string>([...argumentNames, ...identityInputs]);
  return { values: keepProperties(values, (name) => declaredNames.has(name)), secretNames };
}

function readState(
  type: ResourceType,
  { urn, inputs, outputs }: ResourceState,
): Prior<Properties, Properties & Unsettled> {
  const declared = readDeclaration(urn, pickDeclared(type, inputs));
  const secretNames = [...new Set([...inputs.secretNames, ...outputs.secretNames])];
  return {
    resource: { ...declared.resource, secretNames },
    // A lookup by PROJECT/ID leaves no inputs in state.
    inputs: { projectId: outputs.values.projectId, ...declared.inputs },
    outputs: pickOutputs(type, outputs.values),
  };
}

function writeInputs({ resource, inputs }: Declared<Properties>): WrittenProperties {
  return { values: { ...inputs, ...writeIdentity(resource) }, secretNames: resource.secretNames };
}

/** @param before what is in state */
function writeOutputs(
  type: ResourceType,
  declaration: Declared<Properties>,
  outputs: object,
  before?: Before,
): WrittenProperties {
  const values = outputs as Properties;
  return { values, secretNames: findSecretOutputs(type, declaration, values, before) };
}

/** Turns a failure of a resource that exists into one with the outputs that the engine must keep. */
async function keepState<Result>(
  type: ResourceType,
  work: Promise<Result>,
  declaration: Declared<Properties>,
  before?: Before,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof UnsettledError)) throw error;
    const kept = writeOutputs(type, declaration, error.outputs, before);
    throw new PluginPartialStateError(error.message, error.id, kept);
  }
}

/** @throws Error when it is not clear which resource is meant */
function locate(
  { kind, path, idIsPath = false }: ResourceType,
  id: string,
  { urn, inputs, outputs }: ResourceState,
) {
  const given = outputs.values.projectId ?? inputs.values.projectId;
  const [projectId, own, ...rest] = id.includes('/') ? id.split('/') : [given, id];
  if (typeof projectId !== 'string' || !projectId || !own || (idIsPath ? !rest.join('') : rest.length > 0))
    throw new Error(`"${id}" does not say which ${kind} to read: give ${path}.`);
  const declared = { projectId };
  const state: Prior<Properties, Properties & Unsettled> = {
    resource: { urn },
    inputs: declared,
    outputs: declared,
  };
  return { ownId: idIsPath ? id : own, state };
}

function describeChange(before: unknown, after: unknown): PropertyChange {
  if (before === undefined) return 'add';
  return after === undefined ? 'delete' : 'update';
}
