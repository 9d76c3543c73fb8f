import type { dynamic } from '@pulumi/pulumi';
import { isEmpty, pick, pickBy, union } from 'lodash';
import { argumentTable } from './argument-table';
import { ChangeAnnouncer } from './change-announcer';
import { ConnectedService, type ServiceOptions } from './connected-service';
import { Deadline } from './control-api/deadline';
import { EndpointClaims } from './endpoint-claims';
import { createOnce, isSurvivor } from './endpoint-create';
import { deleteEndpoint } from './endpoint-delete';
import { PresentableError } from './endpoint-error';
import {
  describeRestartTrigger,
  type EndpointInputs,
  findInputFailures,
  type InputFailure,
  isUnknown,
} from './endpoint-inputs';
import { EndpointRun } from './endpoint-run';
import {
  deriveInputName,
  type EndpointOutputs,
  findChanges,
  findDeviations,
  isUnsettled,
  toInputs,
  toOutputs,
  unsettledOutputs,
  withSettings,
} from './endpoint-state';
import { EngineDisplay } from './engine-display';
import { type Progress, silence } from './progress';

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
    const { restartOnChange: _, ...given } = pickBy(news, (value) => value !== undefined && value !== null);
    const restartOnChange = describeRestartTrigger(given);
    // An endpoint that is taken over keeps the name that it has; every other one gets its name when it is created.
    const isNamedHere = isEmpty(olds) && given.adopt !== true;
    const name = given.name ?? olds.name ?? (isNamedHere ? deriveInputName(given) : undefined);
    const checked = {
      ...given,
      ...(name !== undefined && { name }),
      ...(restartOnChange && { restartOnChange }),
    };
    // What the failures let through has the type of the inputs, or is not known yet.
    const inputs = checked as unknown as EndpointInputs;
    const failures = [...this.#service.findConnectionFailures(), ...findInputFailures(given)];
    if (failures.length === 0) failures.push(...this.#findNameFailures(inputs));
    if (failures.length === 0 && isEmpty(olds))
      failures.push(...(await this.#announcer.announceCreation(inputs)));
    return { inputs, failures };
  }

  async diff(id: string, olds: EndpointOutputs, news: EndpointInputs): Promise<dynamic.DiffResult> {
    return presentably(async () => {
      const changes = findChanges(olds, news);
      const replaces = changes.filter((name) => argumentTable[name].effect === 'replace');
      // An endpoint that is replaced is nobody's soon, and free to be deleted.
      if (news.__urn && replaces.length === 0) this.#claims.claimEndpoint(id, news.__urn);
      await this.#announcer.announceChange(id, changes, olds, news);
      return {
        changes: changes.length > 0 || isUnsettled(olds),
        replaces,
        // A branch has at most one read_write endpoint, so the old one has to go first.
        deleteBeforeReplace: olds.type === 'read_write',
      };
    });
  }

  async create(inputs: EndpointInputs): Promise<dynamic.CreateResult<EndpointOutputs>> {
    const project = this.#service.project(inputs.projectId);
    const deadline = toDeadline(inputs, 'create');
    const progress = this.#progress(inputs);
    const creation = await createOnce(project, inputs, deadline, progress);
    const { endpoint } = 'made' in creation ? creation.made : { endpoint: creation.found };
    this.#claim(endpoint.id, inputs);
    const work = { action: 'create', project, endpointId: endpoint.id, inputs, deadline, progress } as const;
    const run = new EndpointRun(work, endpoint);
    const bring = async () => {
      if ('found' in creation) await run.resume(await run.findUnsettled(), findDeviations(endpoint, inputs));
      else await run.settle(creation.made);
      return run.finish();
    };
    const outs = await run.keepInState(bring());
    if ('found' in creation || isSurvivor(project, endpoint)) return { id: endpoint.id, outs };
    // Another process, whose program was the same, has made the endpoint as well, and before us: ours goes.
    await deleteEndpoint(project, endpoint.id, inputs, deadline, progress);
    return this.create(inputs);
  }

  async read(id: string, props?: EndpointOutputs): Promise<dynamic.ReadResult<EndpointOutputs>> {
    return presentably(async () => {
      if (!props)
        throw new Error(`read of endpoint ${id}: its projectId is not known, so it can't be found.`);
      const endpoint = await this.#service.findEndpoint(props.projectId, id);
      if (!endpoint) return {};
      const inputs = toInputs(endpoint, props);
      const outs = { ...toOutputs(endpoint, inputs), ...pick(props, unsettledOutputs) };
      // The host's type takes outputs for inputs; the engine wants the inputs alone.
      return { id, props: outs, inputs: inputs as EndpointOutputs };
    });
  }

  async update(
    id: string,
    olds: EndpointOutputs,
    news: EndpointInputs,
  ): Promise<dynamic.UpdateResult<EndpointOutputs>> {
    const changes = union(findChanges(olds, news), olds.__unapplied);
    const isAtService = changes.some((name) => argumentTable[name].effect !== 'none');
    if (!isAtService && !isUnsettled(olds)) return { outs: withSettings(olds, news) };
    const project = this.#service.project(news.projectId);
    const deadline = toDeadline(news, 'update');
    const progress = this.#progress(news);
    const run = new EndpointRun({
      action: 'update',
      project,
      endpointId: id,
      inputs: news,
      deadline,
      progress,
    });
    const outs = await run.keepInState(
      run.resume(olds.unsettledOperations ?? [], changes).then(() => run.finish()),
    );
    return { outs };
  }

  async delete(id: string, props: EndpointOutputs): Promise<void> {
    await presentably(async () => {
      const holder = this.#claims.holderOf(id);
      // Another resource of this run has taken the endpoint over, under the name that both gave.
      if (holder !== undefined && holder !== props.__urn) return;
      await deleteEndpoint(
        this.#service.project(props.projectId),
        id,
        props,
        toDeadline(props, 'delete'),
        this.#progress(props),
      );
    });
  }

  #findNameFailures({ projectId, name, __urn }: EndpointInputs): InputFailure[] {
    if (name === undefined || __urn === undefined || isUnknown([projectId, name])) return [];
    const holder = this.#claims.claimName(projectId, name, __urn);
    if (holder === undefined) return [];
    return [
      { property: 'name', reason: `is the name of another endpoint of this program already: ${holder}` },
    ];
  }

  #claim(endpointId: string, { __urn, name }: EndpointInputs): void {
    const holder = __urn && this.#claims.claimEndpoint(endpointId, __urn);
    if (!holder) return;
    throw new Error(
      `create of endpoint "${name}": endpoint ${endpointId} of that name belongs to ${holder} already.`,
    );
  }

  #progress({ __urn }: EndpointInputs): Progress {
    return __urn ? this.#display.forResource(__urn) : silence;
  }
}

/** Calls what the engine asked for, so that a failure reads as one sentence. */
async function presentably<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new PresentableError(error);
  }
}

function toDeadline({ timeouts }: EndpointInputs, action: 'create' | 'update' | 'delete'): Deadline {
  return new Deadline((timeouts?.[action] ?? defaultTimeoutSeconds) * 1000, 'later');
}
