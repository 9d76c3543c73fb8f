import { intersection, isEqual } from 'lodash';
import type { ReadProperties } from '../../../provider/src/plugin/properties';
import { findReplacedWith, withOutputs } from './engine-dependents';
import { EngineFailures, type EngineResult } from './engine-failures';
import { dependenciesOf, inLevels, keptOptions } from './engine-graph';
import { applyRefresh, refreshResource } from './engine-refresh';
import { EngineScope } from './engine-scope';
import { type EngineParts, EngineSteps, markSecretOutputs, toStored } from './engine-steps';
import { nothing } from './provider-host';
import { type DeclaredResource, isBranchUrn, type StoredResource } from './stack';

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
  readonly #failures: EngineFailures;
  readonly #operatedOn = new Set<string>();
  readonly #imported = new Set<StoredResource>();
  /** What is replaced with what it depends on, and was deleted before that. */
  readonly #deletedEarly = new Map<string, StoredResource>();
  /** The resources in state under the URNs that the program gives them. */
  readonly #inState = new Map<string, StoredResource>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    this.#scope = new EngineScope(parts.options);
    this.#steps = new EngineSteps(parts);
    this.#failures = new EngineFailures(parts.options);
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
    return this.#failures.hasStopped || this.#parts.run.isInterrupted;
  }

  #conclude(): EngineResult {
    if (!this.#parts.options.isPreview) this.#steps.write();
    const failures = this.#failures.all;
    return { isSuccess: !this.#isStopped && failures.length === 0, failures, steps: this.#steps.taken };
  }

  /** The program goes on when the engine has answered these registrations. */
  async #register(resources: readonly DeclaredResource[]): Promise<void> {
    const chains: Promise<void>[] = [];
    for (const resource of resources) {
      if (this.#isStopped) break;
      const steps = await this.#failures.attempt(resource.urn, () =>
        this.#plan(withOutputs(resource, this.#steps, this.#inState)),
      );
      if (dependenciesOf(resource).some((urn) => this.#failures.skipped.has(urn)))
        this.#failures.skipped.add(resource.urn);
      else chains.push(this.#runChain(resource.urn, steps ?? []));
    }
    await Promise.all(chains);
  }

  /** What a registered resource needs. */
  async #plan(resource: DeclaredResource): Promise<readonly Step[]> {
    const { urn, aliases = [] } = resource;
    const left = this.#steps.snapshot.base.filter((each) => this.#isLeft(each));
    const old = [urn, ...aliases]
      .map((name) => left.find((each) => each.urn === name))
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
    if (this.#scope.lacksDependency(resource)) this.#failures.reportOutOfScope(urn, 'untargeted create');
    return steps;
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

  /** What has to be replaced because of a resource that is deleted first: it is deleted before that. */
  async #findReplacedWith(urn: string): Promise<readonly StoredResource[]> {
    const left = this.#steps.snapshot.base.filter((each) => this.#isLeft(each));
    const found = await findReplacedWith(urn, left, this.#parts.host);
    for (const each of found) this.#deletedEarly.set(each.urn, each);
    return found;
  }

  /** Whether the program has not registered it. */
  #isLeft({ urn, isToDelete }: StoredResource): boolean {
    return !isToDelete && !this.#operatedOn.has(urn);
  }

  async #runChain(urn: string, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#isStopped || this.#failures.skipped.has(urn)) return;
      await this.#failures.attemptStep(urn, step);
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
    const chosen = await this.#failures.attempt('', () => this.#chooseDeletes(rest));
    for (const level of inLevels(chosen ?? []).reverse()) {
      // What depends on it could not be deleted.
      const kept = new Set(
        snapshot.base.filter(({ urn }) => this.#failures.skipped.has(urn)).flatMap(dependenciesOf),
      );
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
    if (!isNamed) this.#failures.reportOutOfScope('', 'delete untargeted resource');
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
          ? this.#failures.attempt(old.urn, () => refreshResource(this.#parts, old))
          : Promise.resolve(old),
      ),
    );
    applyRefresh(this.#steps, refreshed);
  }
}
