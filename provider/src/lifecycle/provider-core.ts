import { once } from 'lodash';
import { ProviderConfig } from '../config/provider-config';
import type { SettingNames } from '../config/setting-names';
import type { ControlApi } from '../control-api/control-api';
import { messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { toPrintable } from '../control-api/printable';
import { makeRedactor } from '../control-api/redaction';
import { EngineDisplay, type Severity } from '../engine/engine-display';
import type { Progress } from '../engine/progress';
import { type ServicePacing, type ServiceProject, ServiceProjects } from '../operations/service-project';
import type { InputFailure } from './input-values';
import { ResourceClaims } from './resource-claims';
import { UnsettledError } from './resource-errors';
import type { CheckedDeclaration, Declared } from './resource-identity';
import type { Prior } from './resource-state';
import { listSecretValues } from './secret-values';

/** What differs between the real service and one under test. */
export interface CoreOptions extends ServicePacing {
  /** Where to show progress and diagnostics. @default stderr */
  readonly display?: EngineDisplay | undefined;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Aborted when the user interrupts the run: from then on, nothing is sent. */
  readonly signal?: AbortSignal | undefined;
  /** What the adapter calls its settings. @default those of the dynamic provider */
  readonly settingNames?: SettingNames | undefined;
  /** How long a preview waits for a list before it continues without. Milliseconds. @default 5000 */
  readonly previewPatienceMs?: number | undefined;
}

/** What one create or update works with. */
export interface Work<Inputs> {
  readonly project: ServiceProject;
  readonly inputs: Inputs;
  readonly deadline: Deadline;
  readonly progress: Progress;
  readonly settingNames: SettingNames;
}

const defaultPatienceMs = 5_000;

/** What the resources of all types share: settings, the projects of the service, and what the user sees. */
export class ProviderCore {
  readonly config: ProviderConfig;
  readonly projects: ServiceProjects;
  readonly previewPatienceMs: number;
  /** What this run knows of the resources of each type. */
  readonly claims = { endpoint: new ResourceClaims('endpoint'), branch: new ResourceClaims('branch') };
  /** Whether this run creates a branch, for the first time or as a replacement. */
  createsBranch = false;
  readonly #display: EngineDisplay;
  /** The lines that were shown already. */
  readonly #shown = new Set<string>();

  constructor(options: CoreOptions = {}) {
    this.config = new ProviderConfig(options.environment, options.settingNames);
    this.projects = new ServiceProjects(this.config, options, options.signal);
    this.previewPatienceMs = options.previewPatienceMs ?? defaultPatienceMs;
    this.#display = options.display ?? new EngineDisplay(undefined);
  }

  /** Whether connections of an active compute may be dropped. */
  allowsRestart({ allowRestart }: { readonly allowRestart?: unknown }): boolean {
    return Boolean(allowRestart ?? this.config.allowRestart);
  }

  findSettingFailures(): InputFailure[] {
    return this.config.findFailures().map((reason) => ({ property: '', reason }));
  }

  /** The failures of a check, without a secret. */
  presentFailures<Inputs extends object>(
    checked: CheckedDeclaration<Inputs>,
    failures: readonly InputFailure[],
  ) {
    const present = this.#presenter([checked]);
    const isSecret = (name: string) => checked.resource.secretNames?.includes(name) === true;
    return failures.map(({ property, reason }) =>
      // The engine would show the value of a named property, even of a secret.
      isSecret(property)
        ? { property: '', reason: present(`${property} ${reason}`) }
        : { property, reason: present(reason) },
    );
  }

  /** @param prior what is in state, so that its secrets are redacted too */
  startWork<Inputs extends { readonly projectId: string }>(
    declaration: Declared<Inputs>,
    deadline: Deadline,
    prior: readonly Declared<object>[] = [],
  ): Work<Inputs> {
    const { resource, inputs } = declaration;
    return {
      project: this.projects.project(inputs.projectId),
      inputs,
      deadline,
      progress: this.#display.forResource(resource.urn, this.#presenter([declaration, ...prior])),
      settingNames: this.config.names,
    };
  }

  /**
   * Shows lines under the resource: a warning once for each resource, a note once in a run. `preview --refresh` asks twice, and a
   * delete that waits for others is judged again.
   */
  async show(severity: Severity, declaration: Declared<object>, lines: readonly string[]): Promise<void> {
    const { urn } = declaration.resource;
    // Without a URN nothing is shown, so don't mark it as shown.
    if (urn === undefined) return;
    const isNew = (key: string) => !this.#shown.has(key) && this.#shown.add(key);
    const fresh = lines.filter((line) => isNew(severity === 'note' ? line : `${urn} ${line}`));
    if (fresh.length === 0) return;
    await this.#display.report(severity, urn, fresh.map(this.#presenter([declaration])).join('\n'));
  }

  /** Says that a delete leaves the resource alone, because another one keeps it. */
  async reportKept(what: string, urn: string | undefined, keeper: string): Promise<void> {
    const warning = `${what} was not deleted: ${keeper} took it over in this update`;
    await this.#display.report('warning', urn ?? keeper, warning);
  }

  /** Does the work, so that a failure reads as one sentence, without a secret. */
  async presentably<Result>(
    declarations: readonly Declared<object>[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const message = this.#presenter(declarations)(messageOf(error));
      if (!(error instanceof UnsettledError)) throw new Error(message);
      throw new UnsettledError(message, error.id, error.outputs);
    }
  }

  /** Reads what the service has now, without a resource. */
  async lookUp<Found>(read: (api: ControlApi) => Promise<Found>): Promise<Found> {
    return this.presentably([], async () => read(this.projects.api));
  }

  #presenter(declarations: readonly Declared<object>[]): (text: string) => string {
    // Most work shows nothing, and needs no redactor.
    const redactor = once(() =>
      makeRedactor([...this.config.secrets, ...declarations.flatMap(listSecretValues)]),
    );
    return (text) => toPrintable(redactor()(text));
  }
}

/** What is in state, so that the values that the program does not give are redacted too. */
export function asReported<Inputs extends object, Outputs extends Inputs>({
  resource,
  outputs,
}: Prior<Inputs, Outputs>): Declared<Outputs> {
  return { resource, inputs: outputs };
}
