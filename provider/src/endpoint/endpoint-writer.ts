import { without } from 'lodash';
import { isFromProxy, isNotFound } from '../control-api/control-api-error';
import { rereadUntil } from '../control-api/read-lag';
import type { Endpoint, EndpointChange, Operation } from '../control-api/wire-types';
import { isOutcomeUnknown } from '../control-api/write-once';
import { describeBlockers } from '../engine/progress';
import { describeGone, GoneError } from '../lifecycle/resource-errors';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import { outcomeOf } from '../operations/operation-outcome';
import { assessChange, describeRefusal, isDisruptive } from '../preview/change-impact';
import { matchesDesired } from './drift';
import { toAttributes } from './endpoint-changes';
import type { InputName } from './endpoint-inputs';
import type { EndpointOperations, EndpointWork } from './endpoint-operations';
import { toOutputs } from './endpoint-state';
import type { KnownEndpoint } from './known-endpoint';

/** Sends the writes of one create or update, each once, and never one that `allowRestart` forbids. */
export class EndpointWriter {
  readonly #work: EndpointWork;
  readonly #endpoint: KnownEndpoint;
  readonly #operations: EndpointOperations;
  #mayBeDone = false;
  #mayHaveWritten = false;

  constructor(work: EndpointWork, endpoint: KnownEndpoint, operations: EndpointOperations) {
    this.#work = work;
    this.#endpoint = endpoint;
    this.#operations = operations;
  }

  /** Whether the outcome of the latest write is unknown, or what it has started. */
  get mayBeDone(): boolean {
    return this.#mayBeDone;
  }

  /** Whether the service has accepted a write of this run, or may have. */
  get mayHaveWritten(): boolean {
    return this.#mayHaveWritten;
  }

  /**
   * @param lagMs how long reads may lag behind: one that shows no active compute may be stale
   * @throws Error when `allowRestart` is false and what is about to be sent would drop connections
   */
  async checkGate(
    changes: readonly InputName[],
    failed: readonly UnsettledOperation[],
    lagMs: number,
  ): Promise<void> {
    const { allowsRestart, endpointId, inputs, secretNames, settingNames, deadline } = this.#work;
    if (allowsRestart || !isDisruptive(changes, inputs, failed)) return;
    const assess = async () => {
      const live = await this.#endpoint.read();
      const outputs = toOutputs(live, inputs);
      return assessChange({ changes, failed, outputs, inputs, secretNames }, live);
    };
    const lag = deadline.next(Math.min(lagMs, deadline.remainingMs));
    const impact = await rereadUntil(lag, assess, ({ drops }) => drops, { firstMs: lagMs, longestMs: lagMs });
    if (impact.drops) throw new Error(describeRefusal(endpointId, impact, settingNames));
  }

  /** Sends the named arguments and nothing else. Undefined when the service knows none of them. */
  async update(names: readonly InputName[]): Promise<EndpointChange | undefined> {
    const { project, endpointId, inputs, deadline } = this.#work;
    const attributes = toAttributes(names, inputs);
    if (Object.keys(attributes).length === 0) return undefined;
    const sentAt = Date.now();
    // If the attributes alone can't show whether a lost request arrived, its operations do.
    const isAmbiguous = this.#operations.hasEarlier || names.includes('restartTriggers');
    const known = isAmbiguous ? await this.#operations.listKnown() : undefined;
    const isStopping = isDisruptive(without(names, 'restartTriggers'), inputs);
    // Another suspension is not of this request, such as that of a delete which failed.
    const action = isStopping ? undefined : 'apply_config';
    const findStarted = () =>
      this.#operations.findStarted(sentAt, known, action, this.#endpoint.latest?.updated_at);
    return this.#write(
      async () => {
        // While the write waited in the queue, the compute may have become active.
        await this.checkGate(names, this.#operations.earlierFailed, 0);
        return this.#noteOutcome(project.api.updateEndpoint(project.id, endpointId, attributes, deadline));
      },
      () => this.#findApplied(names, findStarted),
      findStarted,
    );
  }

  /** Starts or suspends the compute. The service starts no operation when it was in that state already, or moving to it. */
  control(verb: 'start' | 'suspend'): Promise<EndpointChange> {
    const { project, endpointId, deadline } = this.#work;
    const sentAt = Date.now();
    return this.#write(
      async () => {
        // While the write waited in the queue, the compute may have become active.
        if (verb === 'suspend') await this.checkGate(['restartTriggers'], [], 0);
        return this.#noteOutcome(project.api.controlEndpoint(project.id, endpointId, verb, deadline));
      },
      // A second call has no effect, so it is simply sent again.
      async () => undefined,
      () => this.#operations.findStarted(sentAt, undefined, `${verb}_compute`),
    );
  }

  /**
   * Sends the name that the endpoint has already. Reads may lag behind, so only a write shows that the endpoint still exists.
   * @throws GoneError when it does not
   */
  confirm(name: string): Promise<EndpointChange> {
    const { project, endpointId, deadline } = this.#work;
    return this.#write(
      () => project.api.updateEndpoint(project.id, endpointId, { name }, deadline),
      async () => undefined,
      async () => [],
    );
  }

  /** After a request whose outcome is unknown: the endpoint if it is as desired, and what the request started. */
  async #findApplied(
    names: readonly InputName[],
    findStarted: () => Promise<Operation[]>,
  ): Promise<EndpointChange | undefined> {
    // Settings that the service adds can't be told from settings that were not removed.
    if (names.includes('pgSettings')) return undefined;
    const endpoint = await this.#findDesired(names);
    if (!endpoint) return undefined;
    const operations = await findStarted();
    if (operations.some((operation) => outcomeOf(operation) !== 'succeeded')) return { endpoint, operations };
    if (operations.length === 0 && this.#operations.hasEarlier) return undefined;
    // The first read may show what was there before a change that this request takes back, and the operations may be of that
    // change. By now reads can no longer lag behind.
    const now = await this.#findDesired(names);
    return now && { endpoint: now, operations };
  }

  /** The endpoint, if a read shows it as desired. */
  async #findDesired(names: readonly InputName[]): Promise<Endpoint | undefined> {
    const endpoint = await this.#endpoint.read();
    return names.every((name) => matchesDesired(endpoint, this.#work.inputs, name)) ? endpoint : undefined;
  }

  async #write(
    send: () => Promise<EndpointChange>,
    findDone: () => Promise<EndpointChange | undefined>,
    findStarted: () => Promise<Operation[]>,
  ): Promise<EndpointChange> {
    const { project, deadline, progress } = this.#work;
    // Whether the request was sent again after one whose outcome is unknown.
    let isRepeated = false;
    try {
      const { endpoint, operations } = await project.write({
        send,
        findDone: async () => {
          const done = await findDone();
          isRepeated = done === undefined;
          return done;
        },
        deadline,
        startedBy: (change) => change.operations,
        onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
      });
      // It then changes nothing more, so the operations of the first one have to be looked up.
      const isLookupDue = isRepeated && operations.length === 0;
      const started = isLookupDue ? await findStarted() : operations;
      this.#mayBeDone = false;
      return { endpoint, operations: started };
    } catch (error) {
      if (!isNotFound(error)) throw error;
      project.endpoints.hide(this.#work.endpointId);
      throw new GoneError(`${error.message}. ${describeGone(this.#work)}`, { cause: error });
    }
  }

  async #noteOutcome(sent: Promise<EndpointChange>): Promise<EndpointChange> {
    try {
      const change = await sent;
      this.#mayHaveWritten = true;
      return change;
    } catch (error) {
      this.#mayBeDone ||= isOutcomeUnknown(error) || isFromProxy(error);
      this.#mayHaveWritten ||= this.#mayBeDone;
      throw error;
    }
  }
}
