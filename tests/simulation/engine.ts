import { intersection, isEqual } from 'lodash';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import type { ReadProperties } from '../../provider/src/plugin/properties';
import { dependenciesOf, inLevels, keptOptions, withUnknown, withValues } from './engine-graph';
import { applyRefresh, refreshResource } from './engine-refresh';
import { EngineScope } from './engine-scope';
import { type EngineParts, EngineSteps, markSecretOutputs, toStored } from './engine-steps';
import { nothing } from './provider-host';
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
 * deployment_executor.go, backend/snapshot.go): resources are checked and compared one by one, their steps run in parallel, and the
 * state is written before and after every step. An error or an interruption starts nothing new; what runs continues to its end. With
 * `--continue-on-error`, a step that fails stops only what depends on it; an error of a check or a diff stops the run.
 */
export class Engine {
  readonly #parts: EngineParts;
  readonly #scope: EngineScope;
  readonly #steps: EngineSteps;
  readonly #failures: { urn: string; message: string }[] = [];
  readonly #operatedOn = new Set<string>();
  readonly #imported = new Set<StoredResource>();
  /** What is replaced with what it depends on, and was deleted before that. */
  readonly #deletedEarly = new Map<string, StoredResource>();
  /** The resources in state under the URNs that the program gives them. */
  readonly #inState = new Map<string, StoredResource>();
  /** Steps that have failed with `--continue-on-error`, and what was skipped because of them. */
  readonly #skipped = new Set<string>();
  #hasFailed = false;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#scope = new EngineScope(parts.options);
    this.#steps = new EngineSteps(parts);
  }

  /** `pulumi up`, or `pulumi preview`. */
  async update(program: readonly DeclaredResource[]): Promise<EngineResult> {
    if (this.#parts.options.refreshesFirst) await this.#refreshAll();
    for (const level of inLevels(program)) await this.#register(level);
    if (!this.#isStopped) await this.#deleteRest();
    return this.#conclude();
  }

  /** `pulumi refresh`. */
  async refresh(): Promise<EngineResult> {
    await this.#refreshAll();
    return this.#conclude();
  }

  /** `pulumi destroy`, which needs no program. */
  async destroy(): Promise<EngineResult> {
    if (this.#parts.options.refreshesFirst) await this.#refreshAll();
    if (!this.#isStopped) await this.#deleteRest();
    return this.#conclude();
  }

  get #isStopped(): boolean {
    return this.#hasFailed || this.#parts.run.isInterrupted;
  }

  #conclude(): EngineResult {
    if (!this.#parts.options.isPreview) this.#steps.write();
    const isSuccess = !this.#isStopped && this.#failures.length === 0;
    return { isSuccess, failures: this.#failures, steps: this.#steps.taken };
  }

  /** The program goes on when the engine has answered these registrations. */
  async #register(resources: readonly DeclaredResource[]): Promise<void> {
    const chains: Promise<void>[] = [];
    for (const resource of resources) {
      if (this.#isStopped) break;
      const steps = await this.#attempt(resource.urn, () => this.#plan(this.#withOutputs(resource)));
      if (dependenciesOf(resource).some((urn) => this.#skipped.has(urn))) this.#skipped.add(resource.urn);
      else chains.push(this.#runChain(resource.urn, steps ?? []));
    }
    await Promise.all(chains);
  }

  /** A preview does not know the outputs of a resource that is created. */
  #withOutputs(resource: DeclaredResource): DeclaredResource {
    const { snapshot, taken } = this.#steps;
    const values: Record<string, unknown> = {};
    for (const [name, { urn, output }] of Object.entries(resource.references ?? {})) {
      const found = snapshot.find(urn) ?? this.#inState.get(urn);
      if (this.#parts.options.isPreview && taken.includes(`create ${urn}`)) values[name] = unknownValue;
      else if (output === 'id') values[name] = found?.id;
    }
    return { ...resource, inputs: withValues(resource.inputs, values) };
  }

  /** What a registered resource needs. */
  async #plan(resource: DeclaredResource): Promise<readonly Step[]> {
    const { urn, aliases = [] } = resource;
    const isOld = (each: StoredResource) => !each.isToDelete && !this.#operatedOn.has(each.urn);
    const old = [urn, ...aliases]
      .map((name) => this.#steps.snapshot.base.find((each) => each.urn === name && isOld(each)))
      .find((found) => found);
    this.#operatedOn.add(urn);
    if (old) {
      this.#operatedOn.add(old.urn);
      this.#inState.set(urn, old);
    }
    if (!this.#scope.includes(urn)) {
      if (!old) this.#scope.skipCreate(urn);
      return [];
    }
    const steps = await this.#planInScope(resource, old);
    if (this.#scope.lacksDependency(resource)) this.#reportOutOfScope(urn, 'untargeted create');
    return steps;
  }

  /** A preview goes on, to report all of them. */
  #reportOutOfScope(urn: string, message: string): void {
    if (!this.#parts.options.isPreview) throw new Error(message);
    this.#failures.push({ urn, message });
  }

  async #planInScope(resource: DeclaredResource, old: StoredResource | undefined): Promise<readonly Step[]> {
    const { urn, importId } = resource;
    const { host } = this.#parts;
    const deleted = this.#deletedEarly.get(old?.urn ?? urn);
    if (deleted) {
      const fresh = await host.check(urn, nothing, resource.inputs);
      return [() => this.#steps.create(resource, fresh, deleted)];
    }
    if (old) return this.#planChange(resource, old);
    if (importId !== undefined) return [() => this.#import(resource, importId)];
    const inputs = await host.check(urn, nothing, resource.inputs);
    return [() => this.#steps.create(resource, inputs)];
  }

  /** What a resource needs that is in state. */
  async #planChange(resource: DeclaredResource, old: StoredResource): Promise<readonly Step[]> {
    const { urn, importId } = resource;
    const { host, options } = this.#parts;
    const isForced = options.replaceTargets?.has(urn) === true || old.isTainted;
    const inputs = await host.check(urn, isForced ? nothing : old.inputs, resource.inputs);
    const diff = isForced ? undefined : await host.diff({ ...old, urn }, inputs);
    const isReplaced =
      isForced ||
      (diff && diff.replaces.length > 0) ||
      intersection(diff?.changes, resource.replaceOnChanges).length > 0 ||
      old.isPendingReplacement;
    if (isReplaced && importId !== undefined && !options.isPreview)
      throw new Error('previously-imported resources that still specify an ID may not be replaced');
    if (isReplaced) return this.#planReplacement(resource, old, isForced ? inputs : undefined);
    if (diff?.hasChanges || old.hasInitErrors) return [() => this.#steps.update(resource, old, inputs)];
    if (!this.#imported.has(old)) this.#keepSame(resource, old, inputs);
    return [];
  }

  /** @param checked the inputs of a forced replacement, which are checked once; others are checked again without the old ones */
  async #planReplacement(
    resource: DeclaredResource,
    old: StoredResource,
    checked: ReadProperties | undefined,
  ): Promise<readonly Step[]> {
    const { host, journal } = this.#parts;
    const inputs = checked ?? (await host.check(resource.urn, nothing, resource.inputs));
    journal.count('replacements');
    if (isBranchUrn(resource.urn)) journal.count('replacements of branches');
    if (!resource.deletesFirst) return [() => this.#steps.create(resource, inputs, old)];
    const goWithIt = await this.#findReplacedWith(old.urn);
    const steps: Step[] = [() => this.#steps.create(resource, inputs, old)];
    if (!old.isPendingReplacement) steps.unshift(() => this.#steps.delete(old, true));
    for (const each of goWithIt)
      if (!each.isPendingReplacement) steps.unshift(() => this.#steps.delete(each, true));
    return steps;
  }

  /**
   * Before a delete-before-replace, the engine asks whether the resources that depend on it, by the state, have to be replaced too:
   * they are deleted before it.
   */
  async #findReplacedWith(urn: string): Promise<readonly StoredResource[]> {
    const found: StoredResource[] = [];
    const replaced = new Set([urn]);
    const old = this.#steps.snapshot.base.filter(
      (each) => !each.isToDelete && !this.#operatedOn.has(each.urn),
    );
    for (const each of inLevels(old).flat()) {
      const inputs = withUnknown(each, replaced);
      if (!inputs) continue;
      const { replaces } = await this.#parts.host.diff(each, inputs);
      if (replaces.length === 0) continue;
      replaced.add(each.urn);
      this.#deletedEarly.set(each.urn, each);
      found.push(each);
    }
    return found;
  }

  async #runChain(urn: string, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#isStopped || this.#skipped.has(urn)) return;
      await this.#attempt(urn, step, this.#parts.options.continuesOnError);
    }
  }

  async #attempt<Result>(
    urn: string,
    work: () => Promise<Result>,
    continues = false,
  ): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#failures.push({ urn, message: error instanceof Error ? error.message : String(error) });
      if (continues) this.#skipped.add(urn);
      else this.#hasFailed = true;
      return undefined;
    }
  }

  /** `import: ID`: reads the resource, and then treats it as one in state. */
  async #import(resource: DeclaredResource, importId: string): Promise<void> {
    const { urn } = resource;
    let imported: StoredResource | undefined;
    const read = async () => {
      const found = await this.#parts.host.read(importId, { urn, inputs: nothing, outputs: nothing });
      if (!found) throw new Error(`resource ${importId} does not exist`);
      imported = toStored(resource, found.inputs, { ...found, error: undefined });
      this.#imported.add(imported);
      this.#steps.snapshot.markNew(imported);
      return undefined;
    };
    if (this.#steps.note('import', urn, importId)) await read();
    else await this.#steps.during({ urn, kind: 'importing' }, read);
    if (imported) await this.#runChain(urn, await this.#planChange(resource, imported));
  }

  #keepSame(resource: DeclaredResource, old: StoredResource, inputs: ReadProperties): void {
    const kept = { ...old, ...keptOptions(resource), urn: resource.urn, inputs, hasInitErrors: false };
    this.#steps.snapshot.markDone(old);
    this.#steps.snapshot.markNew(markSecretOutputs(kept));
    if (!isEqual(kept, old) && !this.#parts.options.isPreview) this.#steps.write();
  }

  /** Deletes what the program no longer declares, and what replacements have left: dependents first. */
  async #deleteRest(): Promise<void> {
    const { snapshot } = this.#steps;
    const rest = snapshot.base.filter(({ urn, isToDelete }) => isToDelete || !this.#operatedOn.has(urn));
    const chosen = await this.#attempt('', () => this.#chooseDeletes(rest));
    for (const level of inLevels(chosen ?? []).reverse()) {
      // What depends on it could not be deleted.
      const kept = new Set(snapshot.base.filter(({ urn }) => this.#skipped.has(urn)).flatMap(dependenciesOf));
      const part = level.filter(({ urn }) => !kept.has(urn));
      await Promise.all(part.map((old) => this.#deleteOne(old)));
    }
  }

  /** Before it deletes targets, the engine asks which of their dependents have to be replaced. */
  async #chooseDeletes(rest: readonly StoredResource[]): Promise<readonly StoredResource[]> {
    const { base } = this.#steps.snapshot;
    for (const urn of this.#scope.targetsWithDependents(base)) await this.#findReplacedWith(urn);
    const chosen = this.#scope.chooseDeletes(rest, base);
    const isNamed = chosen.every(({ urn }) => this.#scope.includes(urn));
    if (!isNamed) this.#reportOutOfScope('', 'delete untargeted resource');
    return chosen;
  }

  async #deleteOne(old: StoredResource): Promise<void> {
    if (old.isPendingReplacement && !old.isToDelete) return this.#steps.snapshot.markDone(old);
    await this.#runChain(old.urn, [() => this.#steps.delete(old, false)]);
  }

  async #refreshAll(): Promise<void> {
    this.#parts.journal.count('refreshes');
    const refreshed = await Promise.all(
      this.#steps.snapshot.base.map((old) =>
        this.#scope.includes(old.urn)
          ? this.#attempt(old.urn, () => refreshResource(this.#parts, old))
          : Promise.resolve(old),
      ),
    );
    applyRefresh(this.#steps, refreshed);
  }
}
