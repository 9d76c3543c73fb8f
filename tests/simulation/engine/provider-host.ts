import { setMaxListeners } from 'node:events';
import { EngineDisplay } from '../../../provider/src/engine/engine-display';
import {
  makePluginProviders,
  type PluginProvider,
  type ResourceState,
} from '../../../provider/src/plugin/plugin-provider';
import type { ReadProperties, WrittenProperties } from '../../../provider/src/plugin/properties';
import { PluginPartialStateError } from '../../../provider/src/plugin/service-error';
import { trueTime } from '../time/virtual-time';
import type { SimulatedRun } from './simulated-run';
import { type DeclaredResource, isBranchUrn, type StoredResource } from './stack';

export const nothing: ReadProperties = { values: {}, secretNames: [] };

/** What the world learns of a run. */
export interface Witness {
  /** A text that the user may see. */
  shown?(text: string): void;
  /** A warning or a note that the user sees under a resource. */
  diagnosed?(urn: string, text: string): void;
  /** A call of the engine has ended. */
  ended?(call: string, startedAtMs: number, timeoutSeconds: number): void;
  /** The state file was written. */
  written?(): void;
  /** A step that calls the provider is about to begin. */
  step?(step: string, urn: string, id: string | undefined): void;
  /** A refresh has not found an endpoint. */
  forgotten?(id: string): void;
  /** A create has ended, in whatever way, and the state is written. */
  createEnded?(urn: string): void;
}

/** The outcome of a create or an update. */
export interface CallResult {
  readonly id: string;
  readonly outputs: ReadProperties;
  /** Undefined when it succeeded. */
  readonly error: string | undefined;
}

/** The provider plugin's process, as the engine calls it. Instead of over gRPC, properties travel as JSON. */
export class ProviderHost {
  readonly #run: SimulatedRun;
  readonly #providers: ReturnType<typeof makePluginProviders>;
  readonly #witness: Witness;
  readonly #interruption = new AbortController();

  constructor(run: SimulatedRun, settings: Record<string, unknown>, witness: Witness) {
    this.#run = run;
    this.#witness = witness;
    const { signal } = this.#interruption;
    setMaxListeners(0, signal);
    const display = new EngineDisplay({
      log: async (severity, urn, message) => {
        witness.shown?.(message);
        if (severity !== 'progress') witness.diagnosed?.(urn, message);
      },
    });
    this.#providers = makePluginProviders(settings, { display, environment: {}, signal });
  }

  #provider(urn: string): PluginProvider {
    const { role, database, branch, endpoint } = this.#providers;
    if (urn.includes(':Role::')) return role;
    if (urn.includes(':Database::')) return database;
    return isBranchUrn(urn) ? branch : endpoint;
  }

  async check(urn: string, olds: ReadProperties, news: ReadProperties): Promise<ReadProperties> {
    const checked = await this.#call('check', urn, 0, () => this.#provider(urn).check(urn, olds, news));
    const [failure] = checked.failures;
    if (failure) throw new Error(`${failure.property} ${failure.reason}`);
    return toRead(checked);
  }

  diff(old: StoredResource, news: ReadProperties) {
    return this.#call('diff', old.urn, 0, () => this.#provider(old.urn).diff(old.id, toState(old), news));
  }

  async previewCreate(urn: string, inputs: ReadProperties): Promise<void> {
    await this.#call('create', urn, 0, async () => this.#provider(urn).previewCreate(urn, inputs));
  }

  async previewUpdate(old: StoredResource, inputs: ReadProperties): Promise<void> {
    await this.#call('update', old.urn, 0, async () =>
      this.#provider(old.urn).previewUpdate(toState(old), inputs),
    );
  }

  create({ urn, timeoutSeconds }: DeclaredResource, inputs: ReadProperties): Promise<CallResult> {
    return this.#keep(async () => {
      const created = await this.#call('create', urn, timeoutSeconds, () =>
        this.#provider(urn).create(urn, inputs, timeoutSeconds),
      );
      return { id: created.id, outputs: toRead(created), error: undefined };
    });
  }

  update(
    old: StoredResource,
    { timeoutSeconds }: DeclaredResource,
    inputs: ReadProperties,
  ): Promise<CallResult> {
    return this.#keep(async () => {
      const updated = await this.#call('update', old.urn, timeoutSeconds, () =>
        this.#provider(old.urn).update(old.id, toState(old), inputs, timeoutSeconds),
      );
      return { id: old.id, outputs: toRead(updated), error: undefined };
    });
  }

  delete(old: StoredResource): Promise<void> {
    return this.#call('delete', old.urn, old.timeoutSeconds, () =>
      this.#provider(old.urn).delete(old.id, toState(old), old.timeoutSeconds),
    );
  }

  /** Undefined when the endpoint no longer exists. */
  async read(id: string, state: ResourceState) {
    const found = await this.#call('read', state.urn, 0, () => this.#provider(state.urn).read(id, state));
    return found && { id: found.id, inputs: toRead(found.inputs), outputs: toRead(found.outputs) };
  }

  cancel(): void {
    if (this.#run.isHostAlive) this.#interruption.abort();
  }

  /** The call of the engine: it fails when the host dies, and never returns when the CLI does. */
  async #call<Result>(
    call: string,
    urn: string,
    timeoutSeconds: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const run = this.#run;
    const startedAt = trueTime();
    try {
      if (!run.isHostAlive) throw new Error('the plugin has exited');
      const died = run.hostDied.then(() => Promise.reject(new Error('error reading from server: EOF')));
      return await Promise.race([work(), died]);
    } catch (error) {
      if (run.isCliAlive) this.#witness.shown?.(String(error));
      throw error;
    } finally {
      if (run.isHostAlive) this.#witness.ended?.(`${call} of ${urn}`, startedAt, timeoutSeconds);
      if (!run.isCliAlive) await new Promise(() => undefined);
    }
  }

  /** A failure of an endpoint that exists keeps it in state. */
  async #keep(work: () => Promise<CallResult>): Promise<CallResult> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PluginPartialStateError)) throw error;
      return { id: error.id, outputs: toRead(error.outputs), error: error.message };
    }
  }
}

export function toState({ urn, inputs, outputs }: StoredResource): ResourceState {
  return { urn, inputs, outputs };
}

/** The properties as the engine receives them: JSON, with the secrets marked by name. */
function toRead({ values, secretNames = [] }: WrittenProperties): ReadProperties {
  const received = JSON.parse(JSON.stringify(values));
  return { values: received, secretNames: secretNames.filter((name) => received[name] !== undefined) };
}
