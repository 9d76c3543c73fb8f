import { union } from 'lodash';
import { ProviderConfig } from '../config/provider-config';
import type { SettingNames } from '../config/setting-names';
import type { ControlApi } from '../control-api/control-api';
import { messageOf } from '../control-api/control-api-error';
import type { Deadline } from '../control-api/deadline';
import { toPrintable } from '../control-api/printable';
import { makeRedactor } from '../control-api/redaction';
import { EngineDisplay } from '../engine/engine-display';
import { type ServicePacing, ServiceProjects } from '../operations/service-project';
import { PreviewDiagnostics } from '../preview/preview-diagnostics';
import { argumentTable } from './argument-effects';
import { findChanges } from './endpoint-changes';
import { type CheckedDeclaration, checkEndpoint, type UncheckedDeclaration } from './endpoint-check';
import { EndpointClaims } from './endpoint-claims';
import { createEndpoint } from './endpoint-create';
import { deleteEndpoint } from './endpoint-delete';
import { UnsettledEndpointError } from './endpoint-error';
import type { EndpointInputs, InputFailure, InputName } from './endpoint-inputs';
import { type FoundEndpoint, readEndpoint } from './endpoint-read';
import { EndpointRun } from './endpoint-run';
import { type EndpointOutputs, isUnsettled, type PriorState, withSettings } from './endpoint-state';
import { toCreateTarget } from './existing-endpoint';
import type { Declaration } from './resource-identity';
import { listSecretValues } from './secret-values';

/** What differs between the real service and one under test. */
export interface LifecycleOptions extends ServicePacing {
  /** Where to show progress and diagnostics. @default stderr */
  readonly display?: EngineDisplay | undefined;
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Aborted when the user interrupts the run: from then on, nothing is sent. */
  readonly signal?: AbortSignal | undefined;
  /** What the front door calls its settings. @default those of the dynamic provider */
  readonly settingNames?: SettingNames | undefined;
  /** How long a preview waits for a list of endpoints before it continues without. Milliseconds. @default 5000 */
  readonly previewPatienceMs?: number | undefined;
}

export interface EndpointDiff {
  readonly hasChanges: boolean;
  /** The arguments that differ from the state. */
  readonly changes: readonly InputName[];
  /** The arguments whose change replaces the endpoint. */
  readonly replaces: readonly InputName[];
  /** Whether the change restarts an active compute, or may do so. */
  readonly restarts: boolean;
}

/**
 * Check, diff, create, read, update and delete of a ComputeEndpoint, independent of the adapter that calls it. Every error
 * message may be shown: it holds no secret.
 */
export class EndpointLifecycle {
  readonly config: ProviderConfig;
  readonly #projects: ServiceProjects;
  readonly #claims = new EndpointClaims();
  readonly #display: EngineDisplay;
  readonly #diagnostics: PreviewDiagnostics;

  constructor(options: LifecycleOptions = {}) {
    const display = options.display ?? new EngineDisplay(undefined);
    this.config = new ProviderConfig(options.environment, options.settingNames);
    this.#display = display;
    this.#projects = new ServiceProjects(this.config, options, options.signal);
    this.#diagnostics = new PreviewDiagnostics({
      projects: this.#projects,
      patienceMs: options.previewPatienceMs,
      allowsRestart: (inputs) => this.#allowsRestart(inputs),
      settingNames: this.config.names,
      show: async (severity, declaration, lines) => {
        const text = lines.map(this.#presenter([declaration])).join('\n');
        const { urn } = declaration.resource;
        if (urn !== undefined) await display.report(severity, urn, text);
      },
    });
  }

  /** @param olds what is in state; undefined when the resource is created */
  async check(
    olds: UncheckedDeclaration | undefined,
    news: UncheckedDeclaration,
  ): Promise<CheckedDeclaration> {
    const checked = checkEndpoint(olds, news, this.#claims);
    const settings = this.config.findFailures().map((reason) => ({ property: '', reason }));
    const failures = [...settings, ...checked.failures];
    if (failures.length === 0 && !olds) {
      const { urn } = checked.resource;
      const isReplacing = urn !== undefined && this.#claims.nameInState(urn) !== undefined;
      failures.push(...(await this.#diagnostics.reportCreation(checked, isReplacing)));
    }
    if (failures.length === 0) return checked;
    const present = this.#presenter([checked]);
    const isSecret = (name: string) => checked.resource.secretNames?.includes(name) === true;
    const toShown = ({ property, reason }: InputFailure) =>
      // The engine would show the value of a named property, even of a secret.
      isSecret(property)
        ? { property: '', reason: present(`${property} ${reason}`) }
        : { property, reason: present(reason) };
    return { ...checked, failures: failures.map(toShown) };
  }

  /**
   * Reports under the resource what the change does, unless the engine only compares what a refresh has read.
   * @throws Error when `allowRestart` is false and connections drop
   */
  async diff(id: string, prior: PriorState, news: Declaration): Promise<EndpointDiff> {
    return this.#presentably([asReported(prior), news], async () => {
      const changes = findChanges(prior, news.inputs);
      const replaces = changes.filter((name) => argumentTable[name].effect === 'replace');
      const hasChanges = changes.length > 0 || isUnsettled(prior.outputs);
      const { urn } = news.resource;
      // A claim would keep the endpoint from being deleted by `destroy --refresh`.
      if (this.#claims.isRefreshed(id, urn)) return { hasChanges, changes, replaces, restarts: false };
      // Don't claim an endpoint that is about to be replaced: its delete must go through.
      if (urn !== undefined && replaces.length === 0) {
        this.#claims.claimInState(id, urn);
        if (changes.includes('branchId')) this.#claims.noteMoving(id, urn);
      }
      const due = union(changes, prior.outputs.__unapplied);
      const { restarts } = await this.#diagnostics.reportChange(id, due, prior.outputs, news);
      return { hasChanges, changes, replaces, restarts };
    });
  }

  /** @throws UnsettledEndpointError when the endpoint exists, but not as declared: it must be kept in state */
  async create(
    news: Declaration,
    deadline: Deadline,
  ): Promise<{ readonly id: string; readonly outputs: EndpointOutputs }> {
    return this.#presentably([news], () =>
      createEndpoint({
        ...this.#startWork(news, deadline),
        target: toCreateTarget(news),
        claims: this.#claims,
        declaration: news,
      }),
    );
  }

  /**
   * The endpoint as it is now; undefined when it does not exist.
   * @param declared the inputs to return: those in state, or for an endpoint that is not in state the ones that declare it
   */
  async read(
    id: string,
    prior: PriorState,
    declared: 'in state' | 'as found' = 'in state',
  ): Promise<FoundEndpoint | undefined> {
    if (declared === 'in state') this.#claims.noteRead(id, prior.resource.urn);
    return this.#presentably([asReported(prior)], () =>
      readEndpoint(this.#projects.project(prior.inputs.projectId), id, prior, declared),
    );
  }

  /** @throws UnsettledEndpointError when the endpoint is not as declared: its outputs must be kept in state */
  async update(
    id: string,
    prior: PriorState,
    news: Declaration,
    deadline: Deadline,
  ): Promise<EndpointOutputs> {
    const { outputs } = prior;
    const declared = findChanges(prior, news.inputs);
    const isSent = (name: InputName) => argumentTable[name].effect !== 'none';
    const changes = union(declared, outputs.__unapplied).filter(isSent);
    if (changes.length === 0 && !isUnsettled(outputs)) return withSettings(outputs, news.inputs);
    return this.#presentably([asReported(prior), news], async () => {
      const work = { ...this.#startWork(news, deadline), action: 'update', endpointId: id } as const;
      const run = new EndpointRun(work);
      // A trigger that has changed again needs a restart of its own.
      const isRestarting =
        outputs.__unapplied?.includes('restartTriggers') === true && !declared.includes('restartTriggers');
      const resume = async () => {
        // If the state holds no operations of what was not applied, its request may have arrived all the same.
        const isOutcomeUnknown = outputs.__unapplied !== undefined && !outputs.unsettledOperations;
        const earlier = isOutcomeUnknown ? await run.findEarlier(false) : (outputs.unsettledOperations ?? []);
        await run.resume(earlier, changes, isRestarting);
        return run.finish();
      };
      return run.keepInState(resume(), outputs);
    });
  }

  /** Deletes the endpoint, unless a resource of this run keeps it. One that no longer exists is deleted. */
  async delete(id: string, prior: PriorState, deadline: Deadline): Promise<void> {
    const reported = asReported(prior);
    await this.#presentably([reported], async () => {
      const { urn } = prior.resource;
      const keeper = this.#claims.keeperOf(id, urn);
      if (keeper === undefined) {
        const { project, progress } = this.#startWork(reported, deadline);
        return deleteEndpoint(project, id, deadline, progress);
      }
      const warning = `endpoint ${id} was not deleted: ${keeper} took it over in this update`;
      await this.#display.report('warning', urn ?? keeper, warning);
    });
  }

  /** Reads what the service has now, without a resource. */
  async lookUp<Found>(read: (api: ControlApi) => Promise<Found>): Promise<Found> {
    return this.#presentably([], async () => read(this.#projects.api));
  }

  #startWork(declaration: Declaration, deadline: Deadline) {
    const { resource, inputs } = declaration;
    return {
      project: this.#projects.project(inputs.projectId),
      inputs,
      deadline,
      progress: this.#display.forResource(resource.urn, this.#presenter([declaration])),
      allowsRestart: this.#allowsRestart(inputs),
      settingNames: this.config.names,
    };
  }

  #allowsRestart({ allowRestart }: EndpointInputs): boolean {
    return allowRestart ?? this.config.allowRestart;
  }

  /** Does the work, so that a failure reads as one sentence, without a secret. */
  async #presentably<Result>(
    declarations: readonly Declaration[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const message = this.#presenter(declarations)(messageOf(error));
      if (!(error instanceof UnsettledEndpointError)) throw new Error(message);
      throw new UnsettledEndpointError(message, error.id, error.outputs);
    }
  }

  #presenter(declarations: readonly Declaration[]): (text: string) => string {
    const redact = makeRedactor([...this.config.secrets, ...declarations.flatMap(listSecretValues)]);
    return (text) => toPrintable(redact(text));
  }
}

/** What is in state, with what the program does not give: values of these too are secret, such as those of settings. */
function asReported({ resource, outputs }: PriorState): Declaration {
  return { resource, inputs: outputs };
}
