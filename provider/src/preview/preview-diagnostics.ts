import { Deadline } from '../control-api/deadline';
import { messageOf } from '../control-api/error-message';
import { toPrintable } from '../control-api/printable';
import type { Endpoint } from '../control-api/wire-types';
import type { EngineDisplay } from '../display/engine-display';
import { argumentNames, argumentTable } from '../endpoint/argument-table';
import type { ConnectedService } from '../endpoint/connected-service';
import { findBranchEndpoint, findExisting } from '../endpoint/create-once';
import {
  type EndpointInputs,
  type InputFailure,
  type InputName,
  isUnknown,
} from '../endpoint/endpoint-inputs';
import { type EndpointOutputs, findDeviations, isUnsettled, toOutputs } from '../endpoint/endpoint-outputs';
import { isFailed } from '../operations/operation-outcome';
import {
  type ChangeNotice,
  describeChange,
  describeRefusal,
  describeUnsettled,
  isDisruptive,
  type LiveEndpoint,
} from './change-impact';
import { describeLimits } from './limit-notes';

/** A list of endpoints serves all new endpoints of a preview for so long. Milliseconds. */
const listKeepsMs = 60_000;

/** Says under the resource what is going to happen, and stops what `allowRestart` forbids, before anything is changed. */
export class ChangeAnnouncer {
  readonly #service: ConnectedService;
  readonly #display: EngineDisplay;
  /** What was said already: a note about many endpoints appears once, and a warning once per resource. */
  readonly #said = new Set<string>();
  /** The projects whose endpoints could not be listed, and why. */
  readonly #unlisted = new Map<string, string>();

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
    const failed = (olds.unsettledOperations ?? []).filter(isFailed);
    if (isDisruptive(changes, news, failed)) {
      const live = await this.#read(olds.projectId, id);
      const notice = describeChange({ changes, failed, outputs: olds, inputs: news }, live);
      if (this.#isForbidden(notice, news)) throw new Error(describeRefusal(id, notice));
      if (live === 'gone') warnings.push(describeGone(id));
      warnings.push(...notice.sentences, ...this.#describeGate(notice, news));
    }
    await this.#say(news, warnings, describeLimits(changes, news));
  }

  /** For an endpoint that is not in state yet: new, or taken over. Returns why it must not be taken over so. */
  async announceCreation(inputs: EndpointInputs, isReplacing: boolean): Promise<InputFailure[]> {
    const given = argumentNames.filter((name) => inputs[name] !== undefined);
    const limits = describeLimits(given, inputs);
    const endpoints = await this.#list(inputs);
    const notes: string[] = [];
    const unlisted = this.#unlisted.get(inputs.projectId);
    if (unlisted !== undefined) limits.push(unlisted);
    try {
      if (inputs.adopt === true) {
        const adoption = this.#describeAdoption(inputs, endpoints);
        if (adoption.failures.length > 0) return adoption.failures;
        notes.push(...adoption.warnings);
      } else if (!isReplacing) notes.push(...describeExisting(inputs, endpoints));
    } catch (error) {
      // The create will stop. It is no failure yet: a replacement may delete that endpoint first.
      notes.push(messageOf(error));
    }
    await this.#say(inputs, notes, limits);
    return [];
  }

  /** A preview continues when the service can't be reached; the state then counts as active. */
  async #read(projectId: string, id: string): Promise<LiveEndpoint> {
    try {
      return (await this.#service.findEndpoint(projectId, id)) ?? 'gone';
    } catch {
      return 'unreadable';
    }
  }

  /** The endpoints of the project, as far as they are known: one list serves all that a preview creates. */
  async #list(inputs: EndpointInputs): Promise<readonly Endpoint[]> {
    const { projectId, branchId, type } = inputs;
    if (isUnknown([projectId, branchId, type]) || this.#unlisted.has(projectId)) return [];
    const { endpoints, writes } = this.#service.project(projectId);
    const patience = new Deadline(this.#service.previewPatienceMs);
    try {
      return await patience.bound(endpoints.recent(listKeepsMs, writes.latestAt), 'list of the endpoints');
    } catch (error) {
      // The preview continues without it.
      this.#unlisted.set(
        projectId,
        `the endpoints of the project could not be listed, so an existing endpoint that a new one meets is not reported (${messageOf(error)})`,
      );
      return [];
    }
  }

  #describeAdoption(inputs: EndpointInputs, endpoints: readonly Endpoint[]) {
    const existing = findExisting(inputs, endpoints);
    if (!existing || existing.kind === 'new') return { failures: [], warnings: [] };
    const { endpoint: adopted } = existing;
    const changes = findDeviations(adopted, inputs).filter((name) => argumentTable[name].read);
    const notice = describeChange({ changes, outputs: toOutputs(adopted, inputs), inputs }, adopted);
    const reason = describeRefusal(adopted.id, notice);
    const failures = this.#isForbidden(notice, inputs) ? [{ property: 'adopt', reason }] : [];
    const warnings = [
      describeAdoption(adopted, changes),
      ...notice.sentences,
      ...this.#describeGate(notice, inputs),
    ];
    return { failures, warnings };
  }

  #isForbidden({ drops }: ChangeNotice, inputs: EndpointInputs): boolean {
    return drops && !this.#service.allowsRestart(inputs);
  }

  /** A preview can't stop what is not known yet; the update does. */
  #describeGate({ mayDrop }: ChangeNotice, inputs: EndpointInputs): string[] {
    if (mayDrop.length === 0 || this.#service.allowsRestart(inputs)) return [];
    return [`allowRestart is false: \`pulumi up\` stops if the new ${mayDrop.join(', ')} drops connections`];
  }

  async #say(inputs: EndpointInputs, warnings: readonly string[], notes: readonly string[]): Promise<void> {
    const { __urn } = inputs;
    if (__urn === undefined) return;
    const isNew = (key: string) => !this.#said.has(key) && this.#said.add(key);
    // `preview --refresh` asks twice.
    const newWarnings = warnings.filter((warning) => isNew(`${__urn} ${warning}`));
    const newNotes = notes.filter(isNew);
    if (newWarnings.length + newNotes.length === 0) return;
    const redact = this.#service.redactorFor(inputs);
    const show = (lines: readonly string[]) => lines.map((line) => toPrintable(redact(line))).join('\n');
    if (newWarnings.length > 0) await this.#display.tell('warning', __urn, show(newWarnings));
    if (newNotes.length > 0) await this.#display.tell('note', __urn, show(newNotes));
  }
}

/** Which existing endpoint the create will meet. @throws Error when the create will stop */
function describeExisting(inputs: EndpointInputs, endpoints: readonly Endpoint[]): string[] {
  const existing = findExisting(inputs, endpoints);
  if (existing?.kind === 'own')
    return [
      `endpoint ${describeEndpoint(existing.endpoint)} has the name of this resource: \`pulumi up\` takes it over, unless it replaces the resource and deletes that endpoint first`,
    ];
  const holder = findBranchEndpoint(inputs, endpoints);
  if (!holder) return [];
  return [
    `the branch already has a read_write endpoint: ${describeEndpoint(holder)}. It can have only one, so \`pulumi up\` fails unless that one is moved or deleted first; adopt: true takes it over`,
  ];
}

function describeAdoption(adopted: Endpoint, changes: readonly InputName[]): string {
  const what = changes.length > 0 ? `changes its ${changes.join(', ')}` : 'changes nothing on it';
  return `adopt takes over endpoint ${describeEndpoint(adopted)} and ${what}`;
}

function describeGone(id: string): string {
  return `endpoint ${id} no longer exists: \`pulumi up\` fails; \`pulumi up --refresh\` creates it again`;
}

/** Without its name, which may be a secret of an earlier program. */
function describeEndpoint({ id, created_at }: Endpoint): string {
  return `${id} (since ${created_at})`;
}
