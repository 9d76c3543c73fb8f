import type { EmulatorOptions } from 'postgres-control-emulator';
import { BranchLifecycle } from '../../provider/src/branch/branch-lifecycle';
import { Deadline } from '../../provider/src/control-api/deadline';
import { EndpointLifecycle } from '../../provider/src/endpoint/endpoint-lifecycle';
import { EngineDisplay } from '../../provider/src/engine/engine-display';
import { ProviderCore } from '../../provider/src/lifecycle/provider-core';
import type { Properties, Resource } from '../../provider/src/lifecycle/resource-identity';
import type { ResourceLifecycle } from '../../provider/src/lifecycle/resource-lifecycle';
import { databaseType } from '../../provider/src/named/database-type';
import { NamedLifecycle } from '../../provider/src/named/named-lifecycle';
import { roleType } from '../../provider/src/named/role-type';
import type { Kind } from './door';
import { startService, urnOf } from './start-service';

/** A resource in state. */
export interface StoredResource {
  readonly kind: Kind;
  readonly name: string;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
  readonly options?: Options;
}

/** What a program declares besides the arguments of a resource. */
type Options = Omit<Resource, 'urn'>;

/**
 * Starts an emulator, and runs of the engine for several resources of one program: what the engine calls in which order is up to
 * the test. Each run is a process of the provider of its own.
 */
export async function startEngineRuns(options: EmulatorOptions & { readLagMs?: number } = {}) {
  const service = await startService(options);
  const startRun = (config: Readonly<Record<string, string>> = {}) => {
    const shown: string[] = [];
    const display = new EngineDisplay(undefined);
    display.warn = async (_urn, message) => void shown.push(message);
    display.showWait = (line) => void shown.push(line);
    const core = new ProviderCore({ ...service.lifecycleOptions(), display });
    core.config.readConfig = (name) => config[name];
    return { shown, ...callsOf(core) };
  };
  return { ...service, startRun };
}

function callsOf(core: ProviderCore) {
  const lifecycles: Readonly<Record<Kind, ResourceLifecycle>> = {
    endpoint: new EndpointLifecycle(core) as unknown as ResourceLifecycle,
    branch: new BranchLifecycle(core) as unknown as ResourceLifecycle,
    role: new NamedLifecycle(core, roleType) as unknown as ResourceLifecycle,
    database: new NamedLifecycle(core, databaseType) as unknown as ResourceLifecycle,
  };
  const resourceOf = (kind: Kind, name: string, options: Options) => ({ urn: urnOf(name, kind), ...options });
  const check = async (
    kind: Kind,
    name: string,
    inputs: Properties,
    before?: StoredResource,
    options: Options = before?.options ?? {},
  ) => {
    const resource = resourceOf(kind, name, options);
    const olds = before && { resource, inputs: before.inputs };
    const { failures, ...checked } = await lifecycles[kind].check(olds, { resource, inputs });
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join('; '));
    return checked;
  };
  const priorOf = (
    { kind, name, inputs, outputs, options: stored = {} }: StoredResource,
    options: Options = stored,
  ) => ({
    resource: resourceOf(kind, name, options),
    inputs,
    outputs,
  });
  return {
    check,
    /** Checks and creates a resource that is new, or that is created in place of another one. */
    create: async (
      kind: Kind,
      name: string,
      inputs: Properties,
      given?: Options,
    ): Promise<StoredResource> => {
      const checked = await check(kind, name, inputs, undefined, given);
      const { id, outputs } = await lifecycles[kind].create(checked, new Deadline(30_000, 'later'));
      const { urn: _, ...options } = checked.resource;
      return { kind, name, id, inputs: checked.inputs, outputs, options };
    },
    /** With --target, the engine creates what depends on the target again without a check, as the state declares it. */
    createUnchecked: (kind: Kind, name: string, inputs: Properties) =>
      lifecycles[kind].create(
        { resource: resourceOf(kind, name, {}), inputs },
        new Deadline(30_000, 'later'),
      ),
    /** Checks and diffs a resource in state, which changes nothing, and foresees the outputs of an update. */
    preview: async (before: StoredResource, inputs: Properties, options?: Options) => {
      const news = await check(before.kind, before.name, inputs, before, options);
      const { type } = lifecycles[before.kind];
      const diff = await lifecycles[before.kind].diff(before.id, priorOf(before, options), news);
      if (diff.replaces.length > 0) await check(before.kind, before.name, inputs, undefined, options);
      return { ...diff, outputs: { ...type.previewUpdate(priorOf(before, options), news.inputs) } };
    },
    /** The engine asks about what depends on a resource that is replaced before it passes the declaration. */
    replaceEarly: ({ kind, name, id, ...prior }: StoredResource, inputs: Properties, options: Options = {}) =>
      lifecycles[kind].diff(id, priorOf({ kind, name, id, ...prior }, options), {
        resource: resourceOf(kind, name, options),
        inputs: { ...prior.inputs, ...inputs },
      }),
    update: async (before: StoredResource, inputs: Properties): Promise<StoredResource> => {
      const news = await check(before.kind, before.name, inputs, before);
      await lifecycles[before.kind].diff(before.id, priorOf(before), news);
      const outputs = await lifecycles[before.kind].update(
        before.id,
        priorOf(before),
        news,
        new Deadline(30_000, 'later'),
      );
      return { ...before, inputs: news.inputs, outputs };
    },
    /** Reads what is not in state, for an import or a lookup under a name of the program. */
    lookUp: ({ kind, name, id, inputs: { projectId } }: StoredResource) => {
      const place = { projectId };
      const prior = { resource: resourceOf(kind, name, {}), inputs: place, outputs: place };
      return lifecycles[kind].read(id, prior, 'as found');
    },
    read: (resource: StoredResource) => lifecycles[resource.kind].read(resource.id, priorOf(resource)),
    delete: (resource: StoredResource) =>
      lifecycles[resource.kind].delete(resource.id, priorOf(resource), new Deadline(30_000, 'later')),
  };
}
