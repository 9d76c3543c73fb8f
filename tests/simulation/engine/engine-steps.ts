import { union } from 'lodash';
import type { ReadProperties } from '../../../provider/src/plugin/properties';
import type { Journal } from '../run/journal';
import { keptOptions } from './engine-graph';
import type { CallResult, ProviderHost, Witness } from './provider-host';
import type { SimulatedRun } from './simulated-run';
import { Snapshot } from './snapshot';
import {
  type DeclaredResource,
  isBranchUrn,
  type PendingOperation,
  type Stack,
  type StackState,
  type StoredResource,
} from './stack';

export interface EngineOptions {
  readonly isPreview?: boolean;
  /** `--refresh`. */
  readonly refreshesFirst?: boolean;
  /** `--replace`: the resources to replace although no argument asks for it. */
  readonly replaceTargets?: ReadonlySet<string>;
  /** `--target`; undefined: every resource. */
  readonly targets?: ReadonlySet<string>;
  /** `--exclude`. */
  readonly excludes?: ReadonlySet<string>;
  /** `--continue-on-error`: a step that fails stops only what depends on it. */
  readonly continuesOnError?: boolean;
}

export interface EngineParts {
  readonly stack: Stack;
  readonly run: SimulatedRun;
  readonly host: ProviderHost;
  readonly options: EngineOptions;
  readonly journal: Journal;
  readonly witness: Witness;
}

/** The steps of a plan that change something, each between two writes of the state (Pulumi's step.go). */
export class EngineSteps {
  readonly snapshot: Snapshot;
  /** What was done, or would be: `create URN`, `update URN` … */
  readonly taken: string[] = [];
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.snapshot = new Snapshot(parts.stack.state);
    this.#parts = parts;
  }

  get isPreview(): boolean {
    return this.#parts.options.isPreview === true;
  }

  async create(resource: DeclaredResource, inputs: ReadProperties, old?: StoredResource): Promise<void> {
    const { urn, deletesFirst } = resource;
    if (this.note('create', urn)) return this.#parts.host.previewCreate(urn, inputs);
    this.#parts.journal.count('creates');
    if (isBranchUrn(urn)) this.#parts.journal.count('creates of branches');
    await this.during({ urn, kind: 'creating' }, async () => {
      const result = await this.#parts.host.create(resource, inputs);
      if (old && !deletesFirst) old.isToDelete = true;
      this.snapshot.markNew(toStored(resource, inputs, result));
      if (old?.isPendingReplacement) this.snapshot.markDone(old);
      return result;
    });
  }

  async update(resource: DeclaredResource, old: StoredResource, inputs: ReadProperties): Promise<void> {
    const { urn } = resource;
    if (this.note('update', urn, old.id)) return this.#parts.host.previewUpdate({ ...old, urn }, inputs);
    this.#parts.journal.count('updates');
    await this.during({ urn, kind: 'updating' }, async () => {
      const result = await this.#parts.host.update({ ...old, urn }, resource, inputs);
      this.snapshot.markDone(old);
      const stored = toStored(resource, inputs, result);
      // After a failure the engine keeps the old inputs beside the new outputs (engine/update.go).
      this.snapshot.markNew(result.error === undefined ? stored : { ...stored, inputs: old.inputs });
      return result;
    });
  }

  /** @param isReplaced whether its successor is created next: the state keeps it until then */
  async delete(old: StoredResource, isReplaced: boolean): Promise<void> {
    if (this.note('delete', old.urn, old.id)) return;
    this.#parts.journal.count('deletes');
    await this.during({ urn: old.urn, kind: 'deleting' }, async () => {
      if (!old.retainOnDelete) await this.#parts.host.delete(old);
      if (isReplaced) old.isPendingReplacement = true;
      else this.snapshot.markDone(old);
      return undefined;
    });
  }

  /** Writes the state before and after the work. The work says whether it failed with something to keep. */
  async during(operation: PendingOperation, work: () => Promise<CallResult | undefined>): Promise<void> {
    this.snapshot.begin(operation);
    this.write();
    this.#parts.run.step();
    await this.#dieIfKilled();
    try {
      const result = await work();
      if (result?.error === undefined) return;
      this.#parts.journal.count('partial states');
      throw new Error(result.error);
    } finally {
      this.#parts.run.step();
      await this.#dieIfKilled();
      this.snapshot.end(operation);
      this.write();
      if (operation.kind === 'creating') this.#parts.witness.createEnded?.(operation.urn);
      this.#parts.run.step();
      await this.#dieIfKilled();
    }
  }

  /** Returns whether this is a preview, which changes nothing. */
  note(step: string, urn: string, id?: string): boolean {
    this.taken.push(`${step} ${urn}`);
    if (this.#parts.options.isPreview) return true;
    this.#parts.witness.step?.(step, urn, id);
    return false;
  }

  async #dieIfKilled(): Promise<void> {
    if (!this.#parts.run.isCliAlive) await new Promise(() => undefined);
  }

  write(): void {
    const state: StackState = this.snapshot.state;
    this.#parts.stack.state = state;
    this.#parts.witness.written?.();
  }
}

export function toStored(
  resource: DeclaredResource,
  inputs: ReadProperties,
  { id, outputs, error }: CallResult,
): StoredResource {
  return markSecretOutputs({
    ...keptOptions(resource),
    urn: resource.urn,
    id,
    inputs,
    outputs,
    hasInitErrors: error !== undefined,
    isTainted: false,
    isPendingReplacement: false,
    isToDelete: false,
  });
}

/** After each step, an output is secret if the input of the same name is (step_executor.go). */
export function markSecretOutputs(stored: StoredResource): StoredResource {
  const { inputs, outputs } = stored;
  const secret = inputs.secretNames.filter((name) => outputs.values[name] !== undefined);
  return { ...stored, outputs: { ...outputs, secretNames: union(outputs.secretNames, secret) } };
}
