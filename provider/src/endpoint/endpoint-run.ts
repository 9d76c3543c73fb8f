import { setTimeout as sleep } from 'node:timers/promises';
import { differenceBy, union } from 'lodash';
import { isNotFound } from '../control-api/control-api-error';
import { Deadline } from '../control-api/deadline';
import { messageOf } from '../control-api/error-message';
import type { Endpoint, EndpointChange, Operation } from '../control-api/wire-types';
import { describeBlockers } from '../display/progress';
import { isUnfinished } from '../operations/operation-outcome';
import { describeChange, describeRefusal, isDisruptive } from '../preview/change-impact';
import { EndpointGoneError, UnsettledEndpointError } from './endpoint-error';
import type { InputName } from './endpoint-inputs';
import { EndpointOperations, type EndpointWork } from './endpoint-operations';
import {
  type EndpointOutputs,
  findDeviations,
  isAsWanted,
  toAttributes,
  toOutputs,
  type UnsettledOperation,
} from './endpoint-outputs';

/** How long to pause before an endpoint that does not agree yet is read again: twice as long each time. Milliseconds. */
const rereadPauseMs = { first: 50, longest: 1_000 };
/** How long a read beyond the deadline may take. Milliseconds. */
const lastReadMs = 5_000;

/**
 * One create or update of one endpoint, from the first response that names it. Whatever happens from there on, the
 * id, the real attributes and the operations that are unfinished or failed come out, as outputs or in the error.
 */
export class EndpointRun {
  readonly #work: EndpointWork;
  readonly #operations: EndpointOperations;
  /** Whether this run has created the endpoint. */
  readonly #isNew: boolean;
  /** The last that is known of the endpoint. */
  #endpoint: Endpoint | undefined;
  /** The arguments that the service has not accepted yet. */
  #unapplied: readonly InputName[] = [];

  constructor(work: EndpointWork, endpoint?: Endpoint, isNew = false) {
    this.#work = work;
    this.#operations = new EndpointOperations(work);
    this.#isNew = isNew;
    this.#endpoint = endpoint;
  }

  /** Waits for the operations of a response. @throws Error when one failed, or has not ended at the deadline */
  async settle({ endpoint, operations }: EndpointChange): Promise<void> {
    this.#endpoint = endpoint;
    await this.#operations.settle(operations);
  }

  /** What an earlier create has left of the endpoint: its own was cut off, or its response was lost. */
  async findEarlier(isOwn: boolean): Promise<Operation[]> {
    return this.#operations.findEarlier((await this.read()).created_at, isOwn);
  }

  /**
   * Resumes what an earlier run left and applies the named arguments: waits for what still runs, sends what differs,
   * and repeats a suspension or a start that had failed. `isRestarting` means that the earlier run has begun, or was to
   * begin, the restart that `restartTriggers` asks for.
   */
  async resume(
    earlier: readonly UnsettledOperation[],
    names: readonly InputName[],
    isRestarting = false,
  ): Promise<void> {
    this.#unapplied = names;
    const failed = await this.#operations.settleEarlier(earlier);
    const due = failed.length > 0 ? union(names, this.#findDeviations(await this.read())) : names;
    this.#unapplied = due;
    await this.checkGate(due, failed);
    const started = await this.apply(due);
    // A start that was under way, and did not fail, has ended the earlier restart.
    const underWay = differenceBy(earlier.filter(isUnfinished), failed, 'id');
    await this.#restartIfDue(due, failed, [...started, ...(isRestarting ? underWay : [])], isRestarting);
    this.#unapplied = [];
    this.#operations.forgetEarlier();
  }

  /** @throws Error when `allowRestart` is false and what is about to be sent would drop connections */
  async checkGate(changes: readonly InputName[], failed: readonly UnsettledOperation[] = []): Promise<void> {
    const { allowsRestart, endpointId, inputs } = this.#work;
    if (allowsRestart || !isDisruptive(changes, inputs, failed)) return;
    const live = await this.read();
    const notice = describeChange({ changes, failed, outputs: toOutputs(live, inputs), inputs }, live);
    if (notice.drops) throw new Error(describeRefusal(endpointId, notice));
  }

  /** Sends the named arguments, and nothing else. Returns the operations that the service started. */
  async apply(names: readonly InputName[]): Promise<readonly Operation[]> {
    const attributes = toAttributes(names, this.#work.inputs);
    if (Object.keys(attributes).length === 0) return [];
    const { project, endpointId, deadline } = this.#work;
    this.#unapplied = names;
    const sentAt = Date.now();
    // Where the attributes alone can't tell whether a lost request has arrived, its operations do.
    const isRepeated = this.#operations.hasEarlier || names.includes('restartTriggers');
    const known = isRepeated ? await this.#operations.listKnown() : undefined;
    let isOutcomeUnknown = false;
    const { endpoint, operations } = await this.#write(
      async () => {
        // While the write waited in the queue, the compute may have become active.
        await this.checkGate(names, this.#operations.earlierFailed);
        return project.api.updateEndpoint(project.id, endpointId, attributes, deadline);
      },
      () => {
        isOutcomeUnknown = true;
        return this.#findApplied(names, sentAt, known);
      },
    );
    // Sent again, it changes nothing more; what it started the first time is to be found.
    const isLookupDue = isOutcomeUnknown && operations.length === 0;
    const change = {
      endpoint,
      operations: isLookupDue ? await this.#operations.findStarted(sentAt, known) : operations,
    };
    // The service has accepted it: from here on its operations alone record what is unfinished.
    this.#unapplied = names.filter((name) => name === 'restartTriggers');
    try {
      await this.settle(change);
    } catch (error) {
      if (this.#operations.hasFailed) this.#unapplied = names;
      throw error;
    }
    return change.operations;
  }

  /**
   * Reads the endpoint until it agrees with what was asked, except for an argument that is still to be applied. Reads may
   * lag behind writes, so a difference counts only when it persists.
   * @throws Error when the service reports other values, or no endpoint
   */
  async finish(except?: 'name'): Promise<EndpointOutputs> {
    const { project, inputs, deadline } = this.#work;
    const isWaiting = inputs.waitForOperations !== false;
    if (!isWaiting && !this.#isNew && this.#endpoint) return this.#outputs(this.#endpoint);
    const grace = new Deadline(project.graceMs);
    for (let pauseMs = rereadPauseMs.first; ; pauseMs = Math.min(rereadPauseMs.longest, pauseMs * 2)) {
      const endpoint = await this.#find(Math.max(lastReadMs, project.graceMs));
      const deviations =
        endpoint && isWaiting ? this.#findDeviations(endpoint).filter((name) => name !== except) : [];
      // A list that shows a new endpoint shows its elder twin too.
      const isProven = !this.#isNew || project.endpoints.latest.some(({ id }) => id === endpoint?.id);
      const isMoving = isWaiting && endpoint?.pending_state !== undefined;
      if (endpoint && deviations.length === 0 && isProven && !isMoving) return this.#outputs(endpoint);
      if (grace.hasPassed) {
        if (!endpoint) throw new Error(this.#describeGone());
        this.#unapplied = deviations;
        if (deviations.length > 0) throw new Error(this.#describeDeviations(deviations));
        if (!isMoving || !this.#operations.isUnproven) return this.#outputs(endpoint);
        if (deadline.hasPassed) throw new Error(this.#describeMoving(endpoint));
      }
      await sleep(pauseMs);
    }
  }

  /** The last step of a create: until here a repeated create finds the endpoint by the derived name. */
  async finishNamed(finished: EndpointOutputs): Promise<EndpointOutputs> {
    const { name } = this.#work.inputs;
    if (name === undefined || name === this.#endpoint?.name) return finished;
    await this.apply(['name']);
    return this.finish();
  }

  /** Turns a failure into one that keeps the endpoint in state. */
  async keepInState<Outputs extends EndpointOutputs | undefined>(
    outcome: Promise<Outputs>,
  ): Promise<Outputs> {
    try {
      return await outcome;
    } catch (error) {
      await this.#find(lastReadMs).catch(() => undefined);
      const isGone = error instanceof EndpointGoneError && !this.#isNew;
      if (isGone || !this.#endpoint) throw error;
      const outputs = this.#outputs(this.#endpoint);
      throw new UnsettledEndpointError(messageOf(error), this.#work.endpointId, outputs, { cause: error });
    }
  }

  /** The endpoint as it is now. @throws EndpointGoneError */
  async read(): Promise<Endpoint> {
    const { project, endpointId, deadline } = this.#work;
    const within = new Deadline(Math.max(lastReadMs, deadline.remainingMs));
    const endpoint = await project.endpoints.findPatiently(endpointId, project.graceMs, within);
    if (!endpoint) throw new EndpointGoneError(this.#describeGone());
    this.#endpoint = endpoint;
    return endpoint;
  }

  async #find(withinMs: number): Promise<Endpoint | undefined> {
    const { project, endpointId } = this.#work;
    const endpoint = await project.endpoints.find(endpointId, { deadline: new Deadline(withinMs) });
    this.#endpoint = endpoint ?? this.#endpoint;
    return endpoint;
  }

  #outputs(endpoint: Endpoint): EndpointOutputs {
    return toOutputs(endpoint, this.#work.inputs, this.#operations.latest, this.#unapplied);
  }

  #findDeviations(endpoint: Endpoint): InputName[] {
    return findDeviations(endpoint, this.#work.inputs);
  }

  /** After a request whose outcome is unknown: the endpoint if it is as desired, and what the request started. */
  async #findApplied(
    names: readonly InputName[],
    sentAt: number,
    known: ReadonlySet<string> | undefined,
  ): Promise<EndpointChange | undefined> {
    const endpoint = await this.read();
    // Settings that the service adds look like settings that were not removed.
    if (names.includes('pgSettings')) return undefined;
    if (!names.every((name) => isAsWanted(endpoint, this.#work.inputs, name))) return undefined;
    const operations = await this.#operations.findStarted(sentAt, known);
    if (this.#operations.hasEarlier && operations.length === 0) return undefined;
    return { endpoint, operations };
  }

  /** A change of size restarts an active compute by itself; a trigger, or a restart that had failed, does not. */
  async #restartIfDue(
    names: readonly InputName[],
    failed: readonly UnsettledOperation[],
    started: readonly Pick<Operation, 'action'>[],
    isRestarting: boolean,
  ): Promise<void> {
    const hasFailed = (action: string) => failed.some((operation) => operation.action === action);
    const isRestarted = started.some(({ action }) => action === 'start_compute');
    const hasFailedRestart = hasFailed('suspend_compute') && hasFailed('start_compute');
    if (isRestarted) return;
    if (names.includes('restartTriggers') || hasFailedRestart) await this.#restart(isRestarting);
    else if (hasFailed('suspend_compute')) await this.#control('suspend');
    else if (hasFailed('start_compute')) await this.#start();
  }

  /** Not by the restart call: that one can't be sent again after a lost response without restarting twice. */
  async #restart(isRestarting: boolean): Promise<void> {
    // Don't trust a read for the compute's state: reads may lag behind. A suspension that starts no operation means that
    // the compute was idle, unless an earlier run of this restart has suspended it already.
    if ((await this.#control('suspend')) || isRestarting) await this.#start();
  }

  async #start(): Promise<void> {
    const isDisabled = this.#endpoint?.disabled ?? (await this.read()).disabled;
    if (!isDisabled) await this.#control('start');
  }

  /** Returns whether it has, or may have, changed the state of the compute. */
  async #control(verb: 'start' | 'suspend'): Promise<boolean> {
    const { project, endpointId, deadline } = this.#work;
    let isOutcomeUnknown = false;
    const change = await this.#write(
      async () => {
        // While it waited in the queue, the compute may have become active.
        if (verb === 'suspend') await this.checkGate(['restartTriggers']);
        return project.api.controlEndpoint(project.id, endpointId, verb, deadline);
      },
      async () => {
        // To a compute that is there already it does nothing, so it is simply sent again.
        isOutcomeUnknown = true;
        return undefined;
      },
    );
    await this.settle(change);
    return isOutcomeUnknown || change.operations.length > 0;
  }

  async #write(
    send: () => Promise<EndpointChange>,
    findDone: () => Promise<EndpointChange | undefined>,
  ): Promise<EndpointChange> {
    const { project, deadline, progress } = this.#work;
    try {
      return await project.write({
        send,
        findDone,
        deadline,
        startedBy: ({ operations }) => operations,
        onLocked: (blocking) => progress.show(describeBlockers(blocking), deadline.elapsedMs),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new EndpointGoneError(`${error.message}. ${this.#describeGone()}`, { cause: error });
    }
  }

  #describeGone(): string {
    return `${this.#subject}: the endpoint no longer exists. To create it again, run \`pulumi up --refresh\`; if it was deleted on purpose, remove it from the program.`;
  }

  #describeDeviations(deviations: readonly InputName[]): string {
    return `${this.#subject}: every operation finished, but the service reports a different ${deviations.join(', ')} than declared. Another client may have changed it; the next \`pulumi up\` applies it again.`;
  }

  #describeMoving({ pending_state }: Endpoint): string {
    return `${this.#subject}: the service no longer shows its operation, and the endpoint is still becoming ${pending_state}. The next \`pulumi up\` continues.`;
  }

  get #subject(): string {
    return `${this.#work.action} of endpoint ${this.#work.endpointId}`;
  }
}
