import { argumentNames, argumentTable } from './argument-table';
import {
  type ChangeNotice,
  describeChange,
  describeRefusal,
  describeUnsettled,
  findDisruptive,
} from './change-notice';
import type { ConnectedService } from './connected-service';
import type { Endpoint } from './control-api/wire-types';
import { findBranchEndpoint } from './endpoint-create';
import { type EndpointInputs, type InputFailure, type InputName, isUnknown } from './endpoint-inputs';
import { type EndpointOutputs, findDeviations, isUnsettled, toOutputs } from './endpoint-state';
import type { EngineDisplay } from './engine-display';
import { describeLimits } from './limit-notice';

/** Says under the resource what is going to happen, and stops what `allowRestart` forbids, before anything is changed. */
export class ChangeAnnouncer {
  readonly #service: ConnectedService;
  readonly #display: EngineDisplay;
  /** What is true of many endpoints is told under the first of them. */
  readonly #toldLimits = new Set<string>();

  constructor(service: ConnectedService, display: EngineDisplay) {
    this.#service = service;
    this.#display = display;
  }

  /** For an endpoint in state. @throws Error when `allowRestart` is false and connections drop */
  async announceChange(
    id: string,
    changes: readonly InputName[],
    olds: EndpointOutputs,
    news: EndpointInputs,
  ): Promise<void> {
    const warnings = isUnsettled(olds) ? [describeUnsettled(olds)] : [];
    if (findDisruptive(changes, news).length > 0) {
      // A preview goes on when the service can't be reached; the state then counts as active.
      const live = await this.#service.findEndpoint(olds.projectId, id).catch(() => undefined);
      const notice = describeChange(changes, olds, news, live);
      if (this.#isForbidden(notice, news)) throw new Error(describeRefusal(id, notice));
      warnings.push(...notice.sentences, ...this.#describeGate(notice, news));
    }
    await this.#say(news, warnings, describeLimits(changes, news));
  }

  /** For an endpoint that is not in state yet: new, or taken over. Returns why it must not be taken over so. */
  async announceCreation(inputs: EndpointInputs): Promise<InputFailure[]> {
    const given = argumentNames.filter((name) => inputs[name] !== undefined);
    const limits = describeLimits(given, inputs);
    const adopted = await this.#findAdopted(inputs);
    if (!adopted) {
      await this.#say(inputs, [], limits);
      return [];
    }
    const changes = findDeviations(adopted, inputs).filter((name) => argumentTable[name].read);
    const notice = describeChange(changes, toOutputs(adopted, inputs), inputs, adopted);
    if (this.#isForbidden(notice, inputs))
      return [{ property: 'adopt', reason: describeRefusal(adopted.id, notice) }];
    const warnings = [
      describeAdoption(adopted, changes),
      ...notice.sentences,
      ...this.#describeGate(notice, inputs),
    ];
    await this.#say(inputs, warnings, limits);
    return [];
  }

  /** The endpoint that the create will take over, as far as that is known yet. */
  async #findAdopted(inputs: EndpointInputs): Promise<Endpoint | undefined> {
    if (inputs.adopt !== true || isUnknown([inputs.projectId, inputs.branchId, inputs.type]))
      return undefined;
    const { endpoints } = this.#service.project(inputs.projectId);
    // What is wrong with the service or the project, the create tells.
    return findBranchEndpoint(inputs, await endpoints.fresh().catch(() => []));
  }

  #isForbidden({ dropping }: ChangeNotice, inputs: EndpointInputs): boolean {
    return dropping.length > 0 && !this.#allowsRestart(inputs);
  }

  /** A preview can't stop what is not known yet; the update does. */
  #describeGate({ mayDrop }: ChangeNotice, inputs: EndpointInputs): string[] {
    if (mayDrop.length === 0 || this.#allowsRestart(inputs)) return [];
    return [`allowRestart is false: \`pulumi up\` stops if the new ${mayDrop.join(', ')} drops connections`];
  }

  #allowsRestart({ allowRestart }: EndpointInputs): boolean {
    return allowRestart ?? this.#service.readConfig('postgresCompute:allowRestart') !== 'false';
  }

  async #say(
    { __urn }: EndpointInputs,
    warnings: readonly string[],
    limits: readonly string[],
  ): Promise<void> {
    if (__urn === undefined) return;
    if (warnings.length > 0) await this.#display.tell('warning', __urn, warnings.join('\n'));
    const news = limits.filter((limit) => !this.#toldLimits.has(limit));
    for (const limit of news) this.#toldLimits.add(limit);
    if (news.length > 0) await this.#display.tell('note', __urn, news.join('\n'));
  }
}

function describeAdoption({ id, name, branch_id }: Endpoint, changes: readonly InputName[]): string {
  const named = name ? `${id} ("${name}")` : id;
  const what = changes.length > 0 ? `changes its ${changes.join(', ')}` : 'changes nothing on it';
  return `adopt takes over endpoint ${named} of branch ${branch_id} and ${what}`;
}
