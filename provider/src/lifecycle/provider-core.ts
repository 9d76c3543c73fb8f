import { map, once, union } from 'lodash';
import { ProviderConfig } from '../config/provider-config';
import type { SettingNames } from '../config/setting-names';
import { findRefusal, messageOf } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import { toPrintable } from '../control-api/printable';
import { makeRedactor } from '../control-api/redaction';
import { EngineDisplay } from '../engine/engine-display';
import { describePause, type Progress } from '../engine/progress';
import { type ServicePacing, type ServiceProject, ServiceProjects } from '../operations/service-project';
import { makeClaims } from './resource-claims';
import { UnsettledError } from './resource-errors';
import type { Declared } from './resource-identity';
import type { Prior } from './resource-state';
import { listSecretValues } from './secrets';

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

/** What one create or update works with: the program's declaration, and what it is applied with. */
export interface Work<Inputs> extends Declared<Inputs> {
  readonly project: ServiceProject;
  /** Whether connections of an active compute may be dropped. */
  readonly allowsRestart: boolean;
  readonly deadline: Deadline;
  readonly progress: Progress;
  readonly settingNames: SettingNames;
}

const defaultPatienceMs = 5_000;
/** How long one list serves a preview. Milliseconds. */
export const maxListAgeMs = 60_000;

/** What the resources of all types share: settings, the projects of the service, and what the user sees. */
export class ProviderCore {
  readonly config: ProviderConfig;
  readonly projects: ServiceProjects;
  /** What this run knows of the resources of each type. */
  readonly claims = makeClaims();
  #hasFailed = false;
  readonly #display: EngineDisplay;
  readonly #previewPatienceMs: number;
  /** The lines that were shown already, and the projects that a preview could not read. */
  readonly #shown = new Set<string>();

  constructor(options: CoreOptions = {}) {
    this.config = new ProviderConfig(options.environment, options.settingNames);
    this.#display = options.display ?? new EngineDisplay(undefined);
    const onPause = (pauseMs: number) => this.#display.showWait(describePause(pauseMs));
    this.projects = new ServiceProjects(this.config, { onPause, ...options }, options.signal);
    this.#previewPatienceMs = options.previewPatienceMs ?? defaultPatienceMs;
  }

  /** Whether a call for a resource has failed in this run. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether connections of an active compute may be dropped. */
  allowsRestart({ allowRestart }: { readonly allowRestart?: unknown }): boolean {
    return Boolean(allowRestart ?? this.config.allowRestart);
  }

  /** @param prior what is in state, so that its secrets are secrets too */
  startWork<Inputs extends { readonly projectId: string; readonly allowRestart?: boolean }>(
    declaration: Declared<Inputs>,
    deadline: Deadline,
    prior: readonly Declared<object>[] = [],
  ): Work<Inputs> {
    const { resource, inputs } = declaration;
    const secretNames = union(...[declaration, ...prior].map((each) => each.resource.secretNames));
    return {
      project: this.projects.project(inputs.projectId),
      resource: { ...resource, secretNames },
      inputs,
      allowsRestart: this.allowsRestart(inputs),
      deadline,
      progress: this.#display.forResource(resource.urn, this.presenter([declaration, ...prior])),
      settingNames: this.config.names,
    };
  }

  /**
   * Shows warnings under the resource, each once: `preview --refresh` asks twice, and a delete that waits for others is judged again.
   */
  async warn(declaration: Declared<object>, lines: readonly string[]): Promise<void> {
    const { urn } = declaration.resource;
    // Without a URN nothing is shown, so don't mark it as shown.
    if (urn === undefined) return;
    const fresh = lines.filter((line) => !this.#shown.has(`${urn} ${line}`));
    if (fresh.length === 0) return;
    for (const line of fresh) this.#shown.add(`${urn} ${line}`);
    await this.#display.warn(urn, fresh.map(this.presenter([declaration])).join('\n'));
  }

  /**
   * Reads for a preview, which continues without what the service does not show in time. The first resource of the project has a
   * warning; the others don't wait again.
   * @throws Error when the service refuses: `pulumi up` would fail, too
   */
  async glimpse<Result>(
    declaration: Declared<object>,
    { id, api }: ServiceProject,
    what: string,
    read: () => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.isOutOfReach(id)) return undefined;
    const patience = new Deadline(this.#previewPatienceMs);
    try {
      return await patience.bound(read(), `${what} of project ${id}`);
    } catch (error) {
      if (findRefusal(error)) throw error;
      const reason = messageOf(patience.hasPassed ? (api.contact.latestFault ?? error) : error);
      if (this.isOutOfReach(id) || declaration.resource.urn === undefined) return undefined;
      this.#shown.add(id);
      const warning = `the state of the service is unknown, so conflicts and restarts may not be reported: ${reason}`;
      await this.warn(declaration, [warning]);
      return undefined;
    }
  }

  /** Whether a preview of the project has continued without what the service did not show. */
  isOutOfReach(projectId: string): boolean {
    return this.#shown.has(projectId);
  }

  /** What a project has, for a preview: one list serves all its resources. Empty where the service can't be reached. */
  async list<Kind extends 'endpoints' | 'branches'>(
    declaration: Declared<{ readonly projectId: string }>,
    kind: Kind,
  ): Promise<ServiceProject[Kind]['latest']> {
    const project = this.projects.project(declaration.inputs.projectId);
    const list: { recent(maxAgeMs: number, after: number): Promise<ServiceProject[Kind]['latest']> } =
      project[kind];
    const read = () => list.recent(maxListAgeMs, project.writes.latestAt);
    return (await this.glimpse(declaration, project, `the ${kind}`, read)) ?? [];
  }

  /** Warns that a delete leaves the item at the service, because another resource keeps it. */
  async reportKept(what: string, urn: string | undefined, keeper: string): Promise<void> {
    const warning = `${what} was not deleted: ${keeper} has it now`;
    await this.#display.warn(urn ?? keeper, warning);
  }

  /** Does the work. The message of a failure is in one line and holds no secret. */
  async presentably<Result>(
    declarations: readonly Declared<object>[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.#hasFailed = true;
      const message = this.presenter(declarations)(messageOf(error));
      if (!(error instanceof UnsettledError)) throw new Error(message);
      throw new UnsettledError(message, error.id, error.outputs);
    }
  }

  /** Returns a function that puts a text into one line, without the secrets of these declarations and those that the program marks. */
  presenter(declarations: readonly Declared<object>[]): (text: string) => string {
    // Most work shows nothing, and needs no redactor.
    const redactor = once(() => {
      // A message may name another resource, such as the source of a reset, or what the program declares in place of this one.
      const marked = map(this.claims, ({ secrets }) => [...secrets]);
      return makeRedactor([
        ...this.config.secrets,
        ...marked.flat(),
        ...declarations.flatMap(listSecretValues),
      ]);
    });
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
