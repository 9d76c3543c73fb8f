import { dependenciesOf, withDependencies, withDependents } from './engine-graph';
import type { DeclaredResource, StoredResource } from './stack';

/** Which resources a command is about: `--target` and `--exclude`, as Pulumi's step_generator.go treats them. */
export class EngineScope {
  readonly #targets: ReadonlySet<string> | undefined;
  readonly #excludes: ReadonlySet<string>;
  /** New resources outside the scope, which are not created. */
  readonly #notCreated = new Set<string>();

  constructor({ targets, excludes }: { targets?: ReadonlySet<string>; excludes?: ReadonlySet<string> }) {
    this.#targets = targets;
    this.#excludes = excludes ?? new Set();
  }

  includes(urn: string): boolean {
    return this.#targets ? this.#targets.has(urn) : !this.#excludes.has(urn);
  }

  skipCreate(urn: string): void {
    this.#notCreated.add(urn);
  }

  /** Whether the resource depends on one that is not created because it is outside the scope. */
  lacksDependency(resource: DeclaredResource): boolean {
    return dependenciesOf(resource).some((urn) => this.#notCreated.has(urn));
  }

  /** The targets in state, with all that depends on them. */
  targetsWithDependents(base: readonly StoredResource[]): string[] {
    const allowed = withDependents(this.#targets ?? [], base);
    return base.filter(({ urn }) => allowed.has(urn)).map(({ urn }) => urn);
  }

  /** Which of these resources the run deletes. Some of them may be outside the scope, which is an error. */
  chooseDeletes(rest: readonly StoredResource[], base: readonly StoredResource[]): StoredResource[] {
    const kept = withDependencies(this.#excludes, base);
    if (!this.#targets) return rest.filter(({ urn }) => !kept.has(urn));
    const allowed = withDependents(this.#targets, base);
    return rest.filter(({ urn }) => allowed.has(urn));
  }
}
