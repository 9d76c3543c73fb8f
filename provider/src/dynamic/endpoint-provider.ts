import type { dynamic } from '@pulumi/pulumi';
import { isEmpty, omit, pick, pickBy, union } from 'lodash';
import { Deadline } from '../control-api/deadline';
import { messageOf } from '../control-api/error-message';
import { toPrintable } from '../control-api/printable';
import { EngineDisplay } from '../display/engine-display';
import { type Progress, silence } from '../display/progress';
import { argumentTable } from '../endpoint/argument-table';
import { ConnectedService, type ServiceOptions } from '../endpoint/connected-service';
import { EndpointClaims } from '../endpoint/endpoint-claims';
import { createEndpoint } from '../endpoint/endpoint-create';
import { deleteEndpoint } from '../endpoint/endpoint-delete';
import { PresentableError, UnsettledEndpointError } from '../endpoint/endpoint-error';
import {
  describeSizeInput,
  type EndpointInputs,
  findInputFailures,
  type InputFailure,
  isUnknown,
} from '../endpoint/endpoint-inputs';
import { hashName } from '../endpoint/endpoint-name';
import {
  deriveInputName,
  type EndpointOutputs,
  findChanges,
  isUnsettled,
  markSecrets,
  toInputs,
  toOutputs,
  toSecretNames,
  unsettledOutputs,
  withSettings,
} from '../endpoint/endpoint-outputs';
import { EndpointRun } from '../endpoint/endpoint-run';
import { ChangeAnnouncer } from '../preview/preview-diagnostics';

/** How long a create, update or delete may take, unless `timeouts` says otherwise. Seconds. */
const defaultTimeoutSeconds = 600;

type Inputs = Readonly<Record<string, unknown>>;

/** Check, diff, create, read, update and delete of a ComputeEndpoint, as Pulumi's dynamic provider host calls them. */
export class EndpointProvider implements dynamic.ResourceProvider<EndpointInputs, EndpointOutputs> {
  readonly #service: ConnectedService;
  readonly #claims = new EndpointClaims();
  readonly #display = new EngineDisplay(process.argv);
  readonly #announcer: ChangeAnnouncer;

  constructor(options: ServiceOptions = {}) {
    this.#service = new ConnectedService(options);
    this.#announcer = new ChangeAnnouncer(this.#service, this.#display);
  }

  /** The host does not wait for this before it calls check, so it ends without a pause. */
  async configure({ config }: dynamic.ConfigureRequest): Promise<void> {
    this.#service.readConfig = (key) => config.get(key);
  }

  async check(olds: Inputs, news: Inputs): Promise<dynamic.CheckResult<EndpointInputs>> {
    const given = pickBy(
      omit(news, 'restartOnChange', '__replaces'),
      (value) => value !== undefined && value !== null,
    );
    const { urn, replaces } = this.#identify(olds, given);
    if (urn !== undefined && isEmpty(olds)) this.#claims.noteCreatedAnew(urn);
    const identity = { ...given, ...(replaces !== undefined && { __replaces: replaces }) };
    // An endpoint that is taken over keeps the name that it has; every other one gets its name here, once.
    const isNamedHere = isEmpty(olds) && given.adopt !== true;
    const name = given.name ?? olds.name ?? (isNamedHere ? deriveInputName(identity) : undefined);
    const isSizeSecret = toSecretNames(given).some((secret) => String(secret).startsWith('autoscalingLimit'));
    const restartOnChange = isSizeSecret ? undefined : describeSizeInput(given);
    // The engine marks what the program gives; a secret name that it gives no longer stays a secret.
    const kept = given.name === undefined && toSecretNames(olds).includes('name') ? ['name'] : [];
    const checked = {
      ...identity,
      ...(name !== undefined && { name }),
      ...(kept.length > 0 && { __secrets: union(toSecretNames(given), kept) }),
      ...(restartOnChange && { restartOnChange }),
    };
    // What the failures let through has the type of the inputs, or is not known yet.
    const inputs = checked as unknown as EndpointInputs;
    const failures = [...this.#service.findConnectionFailures(), ...findInputFailures(given)];
    if (failures.length === 0) failures.push(...this.#findNameFailures(inputs));
    if (failures.length === 0 && isEmpty(olds)) {
      const isReplacing = urn !== undefined && this.#claims.nameInState(urn) !== undefined;
      failures.push(...(await this.#announcer.announceCreation(inputs, isReplacing)));
    }
    const present = this.#presenter([inputs]);
    return {
      inputs: markSecrets(inputs, kept),
      failures: failures.map((failure) => ({ ...failure, reason: present(failure.reason) })),
    };
  }

  async diff(id: string, olds: EndpointOutputs, news: EndpointInputs): Promise<dynamic.DiffResult> {
    return this.#presentably([olds, news], async () => {
      const changes = findChanges(olds, news);
      const replaces = changes.filter((name) => argumentTable[name].effect === 'replace');
      // Don't claim an endpoint that is about to be replaced: its delete must go through.
      if (news.__urn && replaces.length === 0) {
        this.#claimInState(id, news.__urn);
        if (changes.includes('branchId')) this.#claims.noteLeaving(id, news.__urn);
      }
      await this.#announcer.announceChange(id, union(changes, olds.__unapplied), olds, news);
      return {
        changes: changes.length > 0 || isUnsettled(olds),
        replaces,
        // A branch has at most one read_write endpoint, so the old one has to go first.
        deleteBeforeReplace: olds.type === 'read_write',
      };
    });
  }

  async create(inputs: EndpointInputs): Promise<dynamic.CreateResult<EndpointOutputs>> {
    return this.#presentably([inputs], () =>
      createEndpoint({
        ...this.#startWork(inputs, 'create'),
        claims: this.#claims,
        claim: (endpointId) => this.#claim(endpointId, inputs),
      }),
    );
  }

  async read(id: string, props?: EndpointOutputs): Promise<dynamic.ReadResult<EndpointOutputs>> {
    return this.#presentably([props], async () => {
      if (!props)
        throw new Error(`read of endpoint ${id}: its projectId is not known, so it can't be found.`);
      const endpoint = await this.#service.readEndpoint(props.projectId, id);
      if (!endpoint) return {};
      const inputs = toInputs(endpoint, props);
      const outs = { ...toOutputs(endpoint, inputs), ...pick(props, unsettledOutputs) };
      return { id, props: outs, inputs: markSecrets(inputs, toSecretNames(inputs)) };
    });
  }

  async update(
    id: string,
    olds: EndpointOutputs,
    news: EndpointInputs,
  ): Promise<dynamic.UpdateResult<EndpointOutputs>> {
    const declared = findChanges(olds, news);
    const changes = union(declared, olds.__unapplied).filter((name) => argumentTable[name].effect !== 'none');
    if (changes.length === 0 && !isUnsettled(olds)) return { outs: withSettings(olds, news) };
    return this.#presentably([olds, news], async () => {
      const work = { ...this.#startWork(news, 'update'), action: 'update', endpointId: id } as const;
      const run = new EndpointRun(work);
      // A trigger that has changed once more asks for a restart of its own.
      const isRestarting =
        olds.__unapplied?.includes('restartTriggers') === true && !declared.includes('restartTriggers');
      const resumed = run.resume(olds.unsettledOperations ?? [], changes, isRestarting);
      return { outs: await run.keepInState(resumed.then(() => run.finish())) };
    });
  }

  async delete(id: string, props: EndpointOutputs): Promise<void> {
    await this.#presentably([props], async () => {
      const keeper = this.#claims.creatorOf(id) ?? this.#findHolder(id, props);
      if (keeper !== undefined) return this.#announceKept(id, keeper, props);
      const { project, deadline, progress } = this.#startWork(props, 'delete');
      await deleteEndpoint(project, id, deadline, progress);
    });
  }

  /**
   * The engine calls check twice for a replacement: with the inputs in state, then without. Where the program creates
   * the new endpoint before it deletes the old one, the new one's derived name covers the old one's.
   */
  #identify({ name }: Inputs, { __urn: urn, __createsBeforeDelete }: Inputs) {
    if (typeof urn !== 'string') return {};
    if (typeof name === 'string') this.#claims.noteInState(urn, name);
    const isReplacing = __createsBeforeDelete === true && name === undefined;
    const replaced = isReplacing ? this.#claims.nameInState(urn) : undefined;
    return { urn, replaces: replaced === undefined ? undefined : hashName(replaced) };
  }

  #startWork(inputs: EndpointInputs, action: 'create' | 'update' | 'delete') {
    return {
      project: this.#service.project(inputs.projectId),
      inputs,
      deadline: toDeadline(inputs, action),
      progress: this.#progress(inputs),
      allowsRestart: this.#service.allowsRestart(inputs),
    };
  }

  /**
   * A resource that has the endpoint in state and keeps it: another one, or the same one. A forced replacement that was
   * cut off leaves the endpoint in state twice, once to be deleted.
   */
  #findHolder(id: string, { __urn }: EndpointOutputs): string | undefined {
    const holder = this.#claims.holderOf(id);
    return holder === __urn && this.#claims.isCreatedAnew(holder) ? undefined : holder;
  }

  async #announceKept(id: string, keeper: string, { __urn }: EndpointOutputs): Promise<void> {
    const warning = `endpoint ${id} was kept: in this update it has become the endpoint of ${keeper}`;
    await this.#display.tell('warning', __urn ?? keeper, warning);
  }

  #findNameFailures({ projectId, name, __urn }: EndpointInputs): InputFailure[] {
    if (name === undefined || __urn === undefined || isUnknown([projectId, name])) return [];
    const holder = this.#claims.claimName(projectId, name, __urn);
    if (holder === undefined) return [];
    return [
      { property: 'name', reason: `is already the name of another endpoint of this program: ${holder}` },
    ];
  }

  /** @throws Error when a create of this run has returned the endpoint for another resource */
  #claimInState(endpointId: string, urn: string): void {
    const holder = this.#claims.claimEndpoint(endpointId, urn);
    if (holder === undefined || this.#claims.creatorOf(endpointId) !== holder) return;
    throw new Error(
      `endpoint ${endpointId} already belongs to ${holder}, whose create in this update has taken it over.`,
    );
  }

  #claim(endpointId: string, { __urn, name }: EndpointInputs): void {
    if (__urn === undefined) return;
    const holder = this.#claims.claimEndpoint(endpointId, __urn);
    if (holder !== undefined)
      throw new Error(`create of endpoint "${name}": endpoint ${endpointId} already belongs to ${holder}.`);
    this.#claims.noteCreated(endpointId, __urn);
  }

  #progress(inputs: EndpointInputs): Progress {
    if (!inputs.__urn) return silence;
    return this.#display.forResource(inputs.__urn, this.#service.redactorFor(inputs));
  }

  /** Does what the engine asked for, so that a failure reads as one sentence, without a secret. */
  async #presentably<Result>(
    inputs: readonly (EndpointInputs | undefined)[],
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const message = this.#presenter(inputs)(messageOf(error));
      if (error instanceof UnsettledEndpointError) throw error.withMessage(message);
      throw new PresentableError(message);
    }
  }

  #presenter(inputs: readonly (EndpointInputs | undefined)[]): (text: string) => string {
    const redact = this.#service.redactorFor(...inputs);
    return (text) => toPrintable(redact(text));
  }
}

function toDeadline({ timeouts }: EndpointInputs, action: 'create' | 'update' | 'delete'): Deadline {
  return new Deadline((timeouts?.[action] ?? defaultTimeoutSeconds) * 1000, 'later');
}
