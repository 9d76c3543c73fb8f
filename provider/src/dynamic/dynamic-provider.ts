import { createRequire } from 'node:module';
import type { dynamic } from '@pulumi/pulumi';
import { difference, isEmpty, isEqual, union } from 'lodash';
import { BranchLifecycle } from '../branch/branch-lifecycle';
import { dynamicSettingNames } from '../config/setting-names';
import { messageOf } from '../control-api/control-api-error';
import { EndpointLifecycle } from '../endpoint/endpoint-lifecycle';
import { connectEngine } from '../engine/engine-client';
import { EngineDisplay } from '../engine/engine-display';
import { markSecrets } from '../engine/secret-marks';
import { type CoreOptions, ProviderCore } from '../lifecycle/provider-core';
import { UnsettledError } from '../lifecycle/resource-errors';
import type { Properties } from '../lifecycle/resource-identity';
import type { ResourceLifecycle } from '../lifecycle/resource-lifecycle';
import { isInState } from '../lifecycle/resource-state';
import { databaseType } from '../named/database-type';
import { NamedLifecycle } from '../named/named-lifecycle';
import { roleType } from '../named/role-type';
import { DynamicPartialStateError, PresentableError } from './host-errors';
import {
  readDeclaration,
  readState,
  type StoredInputs,
  type StoredOutputs,
  writeInputs,
  writeOutputs,
} from './stored-properties';
import { findTimeoutFailures, toDeadline } from './timeouts';

// The SDK's own copy, because its stubs accept no other.
const loadGrpc = () => createRequire(require.resolve('@pulumi/pulumi'))('@grpc/grpc-js');

/** The providers of all types of resource. They share the settings, and what they know of the service. */
export function makeDynamicProviders(options: CoreOptions = {}) {
  const display = new EngineDisplay(connectEngine(process.argv, loadGrpc));
  const core = new ProviderCore({ display, ...options });
  return {
    endpoint: new DynamicProvider(new EndpointLifecycle(core)),
    branch: new DynamicProvider(new BranchLifecycle(core)),
    role: new DynamicProvider(new NamedLifecycle(core, roleType)),
    database: new DynamicProvider(new NamedLifecycle(core, databaseType)),
  };
}

/** The lifecycle of a type of resource as Pulumi's host of dynamic providers calls it. */
export class DynamicProvider implements dynamic.ResourceProvider<StoredInputs, StoredOutputs> {
  readonly #lifecycle: ResourceLifecycle;
  /**
   * The URN of each resource in the program: a rename by `aliases` leaves the old one in state. By `ID OLD_URN`, as diff sees it. For what
   * an interrupted replacement has left, which has no diff: by the old URN alone, as check sees it.
   */
  readonly #urns = new Map<string, string>();

  constructor(lifecycle: ResourceLifecycle) {
    this.#lifecycle = lifecycle;
  }

  /** The host does not wait for this before it calls check, so it ends without a pause. */
  async configure({ config }: dynamic.ConfigureRequest): Promise<void> {
    const { namespace } = dynamicSettingNames;
    this.#lifecycle.core.config.readConfig = (name) => config.get(`${namespace}:${name}`);
  }

  async check(olds: object, news: object): Promise<dynamic.CheckResult<StoredInputs>> {
    const given = news as Partial<StoredInputs>; // As far as they are there.
    const before = isEmpty(olds) ? undefined : readDeclaration(olds);
    const urn = before?.resource.urn;
    if (urn !== undefined && given.__urn !== undefined) this.#urns.set(urn, given.__urn);
    const { failures, ...checked } = await this.#lifecycle.check(before, readDeclaration(news));
    // The engine marks what the program gives; a secret name that it no longer gives has to be marked here.
    const isNameGiven = given.name !== undefined && given.name !== null;
    const kept = isNameGiven ? [] : checked.resource.secretNames?.filter((secret) => secret === 'name');
    const inputs = markSecrets(writeInputs(this.#lifecycle.type, checked, given), kept);
    return { inputs, failures: [...failures, ...findTimeoutFailures(given.timeouts)] };
  }

  async diff(id: string, olds: StoredOutputs, news: StoredInputs): Promise<dynamic.DiffResult> {
    if (news.__urn !== undefined) this.#urns.set(`${id} ${olds.__urn}`, news.__urn);
    const { hasChanges, replaces } = await present(
      this.#lifecycle.diff(id, readState(this.#lifecycle.type, olds), readDeclaration(news)),
    );
    const changes =
      hasChanges ||
      !isEqual(olds.timeouts, news.timeouts) ||
      isFromPlugin(olds, news) ||
      isRenamed(olds, news) ||
      olds.__retainsOnDelete !== news.__retainsOnDelete || // The next diff sees only the outputs.
      hasNewSecret(olds, news);
    // A branch has at most one read_write endpoint, so the old one has to go first. For programs without our classes, which
    // set the resource option of that name.
    return { changes, replaces: [...replaces], deleteBeforeReplace: olds.type !== 'read_only' };
  }

  async create(news: StoredInputs): Promise<dynamic.CreateResult<StoredOutputs>> {
    const declaration = readDeclaration(news);
    const write = (outputs: Properties) => writeOutputs(this.#lifecycle.type, declaration, outputs, news);
    const created = this.#lifecycle.create(declaration, toDeadline(news.timeouts, 'create'));
    const { id, outputs } = await present(created, write);
    return { id, outs: write(outputs) };
  }

  async read(id: string, stored?: StoredOutputs): Promise<dynamic.ReadResult<StoredOutputs>> {
    if (!stored)
      throw new PresentableError(
        `read of ${this.#lifecycle.type.kind} ${id}: its projectId is not known, so it can't be found.`,
      );
    const prior = readState(this.#lifecycle.type, stored);
    const found = await present(this.#lifecycle.read(id, prior));
    if (!found && !isInState(stored)) {
      // Only looked up (`ComputeEndpoint.get`): without an error, the program goes on with a resource that has no outputs.
      const { kind } = this.#lifecycle.type;
      throw new PresentableError(`${kind} ${id} does not exist in project ${stored.projectId}`);
    }
    if (!found) return {};
    const declaration = { resource: prior.resource, inputs: found.inputs };
    const props = writeOutputs(this.#lifecycle.type, declaration, found.outputs, stored);
    // The engine keeps the inputs in state where a read returns none, which is faster. All outputs count: the state of
    // an argument that an update without changes has added holds only its output, and `ignoreChanges` goes by the inputs.
    const isSame = isEqual(found.inputs, prior.inputs) && isEqual(found.outputs, prior.outputs);
    if (hasInputsInState(stored) && isSame) return { id, props };
    const inputs = markSecrets(
      writeInputs(this.#lifecycle.type, declaration, stored),
      prior.resource.secretNames,
    );
    // The host's types take the outputs of a read for its inputs.
    return { id, props, inputs: inputs as StoredOutputs };
  }

  async update(
    id: string,
    olds: StoredOutputs,
    news: StoredInputs,
  ): Promise<dynamic.UpdateResult<StoredOutputs>> {
    const declaration = readDeclaration(news);
    const prior = readState(this.#lifecycle.type, olds);
    const write = (outputs: Properties) =>
      writeOutputs(this.#lifecycle.type, declaration, outputs, news, prior);
    const deadline = toDeadline(news.timeouts, 'update');
    const updated = this.#lifecycle.update(id, prior, declaration, deadline);
    const writeFailed = (outputs: Properties) => {
      const written = write(outputs);
      // What the new program no longer gives may not have been reset yet.
      const __declared = union(written.__declared, olds.__declared);
      return { ...written, __declared, __hasOldInputs: true as const };
    };
    return { outs: write(await present(updated, writeFailed)) };
  }

  async delete(id: string, stored: StoredOutputs): Promise<void> {
    const { __urn: before } = stored;
    const __urn = this.#urns.get(`${id} ${before}`) ?? this.#urns.get(before ?? '') ?? before;
    await present(
      this.#lifecycle.delete(
        id,
        readState(this.#lifecycle.type, { ...stored, __urn }),
        toDeadline(stored.timeouts, 'delete'),
      ),
    );
  }
}

/** Whether the plugin wrote the state: without its text the host could neither refresh nor delete, so an update writes it. */
function isFromPlugin(olds: StoredOutputs, news: StoredInputs): boolean {
  return olds.__provider === undefined && news.__provider !== undefined;
}

/** Whether `aliases` have renamed it: a delete sees only the outputs, so an update writes the new URN there. */
function isRenamed(olds: StoredOutputs, news: StoredInputs): boolean {
  return olds.__urn !== undefined && news.__urn !== undefined && olds.__urn !== news.__urn;
}

/** Whether an argument has become a secret: a read and a delete see only the outputs, so an update names it there. */
function hasNewSecret(olds: StoredOutputs, news: StoredInputs): boolean {
  return difference(news.__secrets, olds.__secrets ?? []).length > 0;
}

/**
 * Whether the inputs in state, which the host does not pass to a read, match the outputs. They do not after a failed update;
 * a resource that is only looked up has none.
 */
function hasInputsInState({ __declared, __hasOldInputs }: StoredOutputs): boolean {
  return __declared !== undefined && !__hasOldInputs;
}

/** Turns a failure into one that the host shows as a sentence, with the state that the engine must keep. */
async function present<Result>(
  work: Promise<Result>,
  write?: (outputs: Properties) => StoredOutputs,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof UnsettledError && write)
      throw new DynamicPartialStateError(message, error.id, write({ ...error.outputs }));
    throw new PresentableError(message);
  }
}
