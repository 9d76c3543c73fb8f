import { intersection, isEqual, mapValues, partition } from 'lodash';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import type { ReadProperties } from '../../provider/src/plugin/properties';
import {
  type EngineOptions,
  type EngineParts,
  EngineSteps,
  type EngineWitness,
  markSecretOutputs,
  toStored,
} from './engine-steps';
import type { Journal } from './journal';
import { nothing, type ProviderHost, toState } from './provider-host';
import type { SimulatedRun } from './simulated-run';
import { type DeclaredResource, isBranchUrn, type StoredResource } from './stack';

export interface EngineResult {
  readonly isSuccess: boolean;
  /** The errors under Diagnostics. */
  readonly failures: readonly { readonly urn: string; readonly message: string }[];
  /** What the run did, or would do: `create URN`, `update URN` … */
  readonly steps: readonly string[];
}

/** One step of the plan; those of one resource run one after another. */
type Step = () => Promise<void>;

/**
 * The engine of one `pulumi up`, `preview`, `refresh` or `destroy`, as Pulumi 3.259 has it (step_generator.go, step.go,
 * backend/snapshot.go): resources are checked and compared one by one, their steps run in parallel, and the state is
 * written before and after every step. An error or an interruption starts nothing new; what runs continues to its end.
 */
export class Engine {
  readonly #run: SimulatedRun;
  readonly #host: ProviderHost;
  readonly #options: EngineOptions;
  readonly #journal: Journal;
  readonly #witness: EngineWitness;
  readonly #steps: EngineSteps;
  readonly #failures: { urn: string; message: string }[] = [];
  readonly #operatedOn = new Set<string>();
  readonly #imported = new Set<StoredResource>();
  /** What is replaced with its Branch, and was deleted before that. */
  readonly #deletedEarly = new Map<string, StoredResource>();

  constructor(parts: EngineParts) {
    this.#run = parts.run;
    this.#host = parts.host;
    this.#options = parts.options;
    this.#journal = parts.journal;
    this.#witness = parts.witness;
    this.#steps = new EngineSteps(parts);
  }

  /** `pulumi up`, or `pulumi preview`. */
  async update(program: readonly DeclaredResource[]): Promise<EngineResult> {
    if (this.#options.refreshesFirst) await this.#refreshAll();
    const [dependents, others] = partition(program, (resource) => this.#isDependent(resource));
    await this.#register(others);
    await this.#register(dependents);
    if (!this.#isStopped) await this.#deleteRest();
    return this.#conclude();
  }

  /** The program goes on when the engine has answered these registrations. */
  async #register(resources: readonly DeclaredResource[]): Promise<void> {
    const chains: Promise<void>[] = [];
    for (const resource of resources) {
      if (this.#isStopped) break;
      const steps = await this.#attempt(resource.urn, () => this.#plan(this.#withOutput(resource)));
      chains.push(this.#runChain(resource.urn, steps ?? []));
    }
    await Promise.all(chains);
  }

  #isDependent({ urn, onBranch }: Pick<StoredResource, 'urn' | 'onBranch'>): boolean {
    return onBranch !== undefined || isDependent(urn, this.#options.dependedOn);
  }

  /** A preview does not know the outputs of a resource that is created. */
  #withOutput(resource: DeclaredResource): DeclaredResource {
    const { isPreview, dependedOn } = this.#options;
    const { onBranch } = resource;
    if (onBranch !== undefined) {
      const isNew = isPreview && this.#steps.taken.includes(`create ${onBranch}`);
      const branchId = isNew ? unknownValue : this.#steps.snapshot.find(onBranch)?.id;
      return { ...resource, inputs: withValues(resource.inputs, { branchId }) };
    }
    const isUnknown = isPreview && this.#steps.taken.includes(`create ${dependedOn}`);
    return isUnknown && this.#isDependent(resource)
      ? { ...resource, inputs: withUnknownOutput(resource.inputs) }
      : resource;
  }

  /** `pulumi refresh`. */
  async refresh(): Promise<EngineResult> {
    await this.#refreshAll();
    return this.#conclude();
  }

  /** `pulumi destroy`, which needs no program. */
  async destroy(): Promise<EngineResult> {
    if (this.#options.refreshesFirst) await this.#refreshAll();
    if (!this.#isStopped) await this.#deleteRest();
    return this.#conclude();
  }

  get #isStopped(): boolean {
    return this.#failures.length > 0 || this.#run.isInterrupted;
  }

  #conclude(): EngineResult {
    if (!this.#options.isPreview) this.#steps.write();
    return { isSuccess: !this.#isStopped, failures: this.#failures, steps: this.#steps.taken };
  }

  /** What a registered resource needs. */
  async #plan(resource: DeclaredResource): Promise<readonly Step[]> {
    const { urn, importId } = resource;
    const old = this.#steps.snapshot.base.find((each) => each.urn === urn && !each.isToDelete);
    this.#operatedOn.add(urn);
    const deleted = this.#deletedEarly.get(urn);
    if (deleted) {
      const fresh = await this.#host.check(urn, nothing, resource.inputs);
      return [() => this.#steps.create(resource, fresh, deleted)];
    }
    if (old) return this.#planChange(resource, old);
    if (importId !== undefined) return [() => this.#import(resource, importId)];
    const inputs = await this.#host.check(urn, nothing, resource.inputs);
    return [() => this.#steps.create(resource, inputs)];
  }

  /** What a resource needs that is in state. */
  async #planChange(resource: DeclaredResource, old: StoredResource): Promise<readonly Step[]> {
    const { urn, importId } = resource;
    const isForced = this.#options.replaceTargets?.has(urn) === true || old.isTainted;
    const inputs = await this.#host.check(urn, isForced ? nothing : old.inputs, resource.inputs);
    const diff = isForced ? undefined : await this.#host.diff(old, inputs);
    const isReplaced =
      isForced ||
      (diff && diff.replaces.length > 0) ||
      intersection(diff?.changes, resource.replaceOnChanges).length > 0 ||
      old.isPendingReplacement;
    if (isReplaced && importId !== undefined && !this.#options.isPreview)
      throw new Error('previously-imported resources that still specify an ID may not be replaced');
    if (isReplaced) return this.#planReplacement(resource, old, isForced ? inputs : undefined);
    if (diff?.hasChanges || old.hasInitErrors) return [() => this.#steps.update(resource, old, inputs)];
    if (!this.#imported.has(old)) this.#keepSame(old, inputs, resource.timeoutSeconds);
    return [];
  }

  /** @param checked the inputs of a forced replacement, which are checked once; others are checked again without the old ones */
  async #planReplacement(
    resource: DeclaredResource,
    old: StoredResource,
    checked: ReadProperties | undefined,
  ): Promise<readonly Step[]> {
    const inputs = checked ?? (await this.#host.check(resource.urn, nothing, resource.inputs));
    this.#journal.count('replacements');
    if (isBranchUrn(resource.urn)) this.#journal.count('replacements of branches');
    if (!resource.deletesFirst) return [() => this.#steps.create(resource, inputs, old)];
    if (resource.urn === this.#options.dependedOn) await this.#askDependents();
    const goWithIt = await this.#findReplacedWith(resource.urn);
    const steps: Step[] = [() => this.#steps.create(resource, inputs, old)];
    if (!old.isPendingReplacement) steps.unshift(() => this.#steps.delete(old, true));
    for (const each of goWithIt)
      if (!each.isPendingReplacement) steps.unshift(() => this.#steps.delete(each, true));
    return steps;
  }

  /** The resources on a Branch that have to be replaced with it, by the state: they are deleted before it. */
  async #findReplacedWith(branchUrn: string): Promise<readonly StoredResource[]> {
    const found: StoredResource[] = [];
    for (const old of this.#steps.snapshot.base) {
      if (old.onBranch !== branchUrn || old.isToDelete) continue;
      const { replaces } = await this.#host.diff(old, withValues(old.inputs, { branchId: unknownValue }));
      if (replaces.length === 0) continue;
      this.#deletedEarly.set(old.urn, old);
      found.push(old);
    }
    return found;
  }

  /**
   * Before a delete-before-replace, the engine asks whether the resources that depend on it, by the state, have to be replaced too.
   * The argument that depends on it never asks for that.
   */
  async #askDependents(): Promise<void> {
    for (const old of this.#steps.snapshot.base) {
      if (!isDependent(old.urn, this.#options.dependedOn)) continue;
      const { replaces } = await this.#host.diff(old, withUnknownOutput(old.inputs));
      if (replaces.length > 0) throw new Error(`${old.urn} is replaced because of ${replaces}`);
    }
  }

  async #runChain(urn: string, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#isStopped) return;
      await this.#attempt(urn, step);
    }
  }

  async #attempt<Result>(urn: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#failures.push({ urn, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  }

  /** `import: ID`: reads the resource, and then treats it as one in state. */
  async #import(resource: DeclaredResource, importId: string): Promise<void> {
    const { urn, timeoutSeconds } = resource;
    let imported: StoredResource | undefined;
    const read = async () => {
      const found = await this.#host.read(importId, { urn, inputs: nothing, outputs: nothing });
      if (!found) throw new Error(`resource ${importId} does not exist`);
      const { onBranch } = resource;
      imported = { ...toStored(urn, found.inputs, timeoutSeconds, { ...found, error: undefined }), onBranch };
      this.#imported.add(imported);
      this.#steps.snapshot.markNew(imported);
      return undefined;
    };
    if (this.#steps.note('import', urn, importId)) await read();
    else await this.#steps.during({ urn, kind: 'importing' }, read);
    if (imported) await this.#runChain(urn, await this.#planChange(resource, imported));
  }

  #keepSame(old: StoredResource, inputs: ReadProperties, timeoutSeconds: number): void {
    const isChanged = old.timeoutSeconds !== timeoutSeconds || !isEqual(old.inputs, inputs);
    this.#steps.snapshot.markDone(old);
    const kept = markSecretOutputs({ ...old, inputs, timeoutSeconds, hasInitErrors: false });
    this.#steps.snapshot.markNew(kept);
    if (isChanged && !this.#options.isPreview) this.#steps.write();
  }

  /** Deletes what the program no longer declares, and what replacements have left: dependents first. */
  async #deleteRest(): Promise<void> {
    const rest = this.#steps.snapshot.base.filter(
      ({ urn, isToDelete }) => isToDelete || !this.#operatedOn.has(urn),
    );
    for (const part of partition(rest, (old) => this.#isDependent(old)))
      await Promise.all(
        part.map(async (old) => {
          if (old.isPendingReplacement && !old.isToDelete) return this.#steps.snapshot.markDone(old);
          await this.#runChain(old.urn, [() => this.#steps.delete(old, false)]);
        }),
      );
  }

  async #refreshAll(): Promise<void> {
    this.#journal.count('refreshes');
    const refreshed = await Promise.all(
      this.#steps.snapshot.base.map((old) => this.#attempt(old.urn, () => this.#refreshOne(old))),
    );
    // What could not be read stays as it is.
    this.#steps.snapshot.base = this.#steps.snapshot.base.flatMap((old, index) => {
      const outcome = refreshed[index];
      if (outcome === 'gone') return [];
      return [outcome ?? old];
    });
  }

  async #refreshOne(old: StoredResource): Promise<StoredResource | 'gone'> {
    if (old.isPendingReplacement) return old;
    this.#witness.step(this.#run, 'read', old.urn, old.id);
    const read = await this.#host.read(old.id, toState(old));
    if (!read) {
      this.#witness.forgotten(this.#run, old.urn, old.id);
      return 'gone';
    }
    const refreshed = markSecretOutputs({ ...old, ...read, hasInitErrors: false });
    // The engine compares the other way round, to show what has drifted.
    await this.#host.diff(refreshed, old.inputs);
    return refreshed;
  }
}

/** The argument that dependents take from the resource that they depend on. Its value never changes. */
export const dependentArgument = { poolerMode: 'transaction' };

/** @param dependedOn the resource that all others of the stack depend on, if there is one */
export function isDependent(resource: string, dependedOn: string | undefined): boolean {
  return dependedOn !== undefined && resource !== dependedOn;
}

function withUnknownOutput(inputs: ReadProperties): ReadProperties {
  return withValues(
    inputs,
    mapValues(dependentArgument, () => unknownValue),
  );
}

function withValues(inputs: ReadProperties, values: Record<string, unknown>): ReadProperties {
  return { ...inputs, values: { ...inputs.values, ...values } };
}
