import { difference, differenceBy, intersectionBy, union, unionBy, without } from 'lodash';
import { messageOf } from '../control-api/control-api-error';
import { rereadUntil } from '../control-api/read-lag';
import type { Endpoint, EndpointChange, Operation } from '../control-api/wire-types';
import { isSame } from '../lifecycle/input-values';
import {
  describeDrift,
  describeGone,
  describeTransition,
  GoneError,
  UnsettledError,
} from '../lifecycle/resource-errors';
import { isSuspension, isUnsettled, type UnsettledOperation } from '../lifecycle/resource-state';
import { isUnfinished } from '../operations/operation-outcome';
import { findDisruptive, isEnabling, isStopTakenBack } from '../preview/change-impact';
import { argumentNames, argumentTable } from './argument-effects';
import { isSizeName } from './compute-size';
import { findDrift, findRepeatable, readAttributes } from './drift';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import { EndpointOperations, type EndpointWork } from './endpoint-operations';
import { type EndpointOutputs, toOutputs, toUnchangedOutputs, toUnreadOutputs } from './endpoint-state';
import { EndpointWriter } from './endpoint-writer';
import { newerOf } from './existing-endpoint';
import { KnownEndpoint } from './known-endpoint';

/** How long to pause before an endpoint that does not agree yet is read again. */
const readBackPauses = { firstMs: 50, longestMs: 1_000 };

/** The state of the compute that each call asks for. */
const controlledStates = { start: 'active', suspend: 'idle' } as const;

/** The arguments that no `apply_config` applies. */
const argumentsOutsideConfig = ['name', 'restartTriggers'] as const;

/** What an earlier run left, and what of it is due now. */
interface Leftovers {
  /** The arguments to send: those that were to be sent, and those for which a failed operation has left drift. */
  readonly due: readonly InputName[];
  readonly failed: readonly UnsettledOperation[];
  /** Whether the earlier run also recorded a start. A move or a stop records only a suspension. */
  readonly wasRestart: boolean;
}

interface FinishOptions {
  readonly except?: 'name';
  readonly before?: EndpointOutputs;
}

/** What the read-back found: the endpoint, if a read shows it, and in what it does not agree yet. */
interface ReadBack {
  readonly endpoint: Endpoint | undefined;
  readonly drift: readonly InputName[];
  readonly isTransitioning: boolean;
  readonly isAgreed: boolean;
}

/**
 * One create or update of one endpoint, from the first response that names it. From there on, every outcome reports the
 * id, the real attributes and the operations that are unfinished or failed: as outputs, or in the error.
 */
export class EndpointRun {
  readonly #work: EndpointWork;
  readonly #endpoint: KnownEndpoint;
  readonly #operations: EndpointOperations;
  readonly #writer: EndpointWriter;
  /** Whether this run has created the endpoint. */
  readonly #isNew: boolean;
  /**
   * What the next update has to send again: arguments that the service has not accepted yet, or whose operations are still to be
   * found, and after a failure those that it resets if the program takes them back.
   */
  #unapplied: readonly InputName[] = [];
  /** The arguments that this run has sent. */
  #sent: readonly InputName[] = [];
  /** Those for which the compute has not been suspended, or not started again: the endpoint was disabled, or had the values already. */
  #undone: readonly InputName[] = [];
  #written: Endpoint | undefined;
  /** Whether a request of an earlier run, whose response may be lost, may have started operations. */
  #mayHaveArrived = false;
  /**
   * Whether this run or an earlier create may have left duplicates. If it fails then, the state records it, and the next update or
   * delete looks for them.
   */
  mayHaveDuplicates = false;
  /** Whether this run takes over the resource's own endpoint, on which an earlier program may have set more than this one. */
  takesOver = false;
  /** How long reads may lag behind when the next check decides whether a change drops connections. Milliseconds. */
  #gateLagMs: number;

  constructor(work: EndpointWork, endpoint?: Endpoint, isNew = false) {
    this.#work = work;
    this.#endpoint = new KnownEndpoint(work, endpoint);
    this.#operations = new EndpointOperations(work);
    this.#writer = new EndpointWriter(work, this.#endpoint, this.#operations);
    this.#isNew = isNew;
    this.#gateLagMs = work.project.readLagMs;
  }

  /** Waits for the operations of a response. @throws Error when one failed, or has not finished at the deadline */
  async awaitChange({ endpoint, operations }: EndpointChange): Promise<void> {
    this.#noteWritten(endpoint);
    await this.#operations.await(operations);
  }

  /**
   * The operations of an earlier create or update that was interrupted, or whose response was lost.
   * @param due the arguments that the state records as not applied if this fails, so that the next update repeats it
   */
  async findEarlier(isOwn: boolean, due: readonly InputName[]): Promise<Operation[]> {
    this.#unapplied = due;
    // A create looks at what it takes over, and then sends what differs.
    this.#mayHaveArrived = this.#work.action === 'update';
    return this.#operations.findEarlier((await this.#endpoint.read()).created_at, isOwn);
  }

  /** @throws Error when `allowRestart` is false and a change of these would drop connections */
  async checkGate(changes: readonly InputName[]): Promise<void> {
    await this.#writer.checkGate(changes, [], this.#gateLagMs);
    // A later check sees what this one has waited for.
    this.#gateLagMs = 0;
  }

  /** @throws GoneError when the endpoint no longer exists, although reads show it */
  async confirm(name: string): Promise<void> {
    const { endpoint } = await this.#writer.confirm(name);
    this.#noteWritten(endpoint);
  }

  #noteWritten(endpoint: Endpoint): void {
    this.#endpoint.latest = endpoint;
    this.#written = endpoint;
  }

  /**
   * Resumes what an earlier run left, and applies the named arguments.
   * @param before the outputs in state, if there are any: they show what a failed suspension was for
   */
  async resume(
    earlier: readonly UnsettledOperation[],
    names: readonly InputName[],
    before?: EndpointOutputs,
  ): Promise<void> {
    let leftovers = await this.#awaitLeftovers(earlier, names, before);
    let started = await this.#applyLeftovers(leftovers);
    // A start alone belongs to the create, not to a change that is still due.
    const hasEarlierChange = earlier.some(({ action }) => action !== 'start_compute');
    const unknown = await this.#findUnknown(leftovers, started, hasEarlierChange);
    if (unknown.length > 0) {
      const left = unionBy(leftovers.failed, unknown, 'id');
      leftovers = {
        due: leftovers.due,
        failed: await this.#operations.awaitEarlier(left),
        // The start of a restart whose suspension failed may have succeeded: the compute was active.
        wasRestart: this.#operations.hasEarlierRestart || !this.#stops(leftovers.due),
      };
      // A stale list may show an older start as one that this run has begun.
      if (leftovers.failed.length > 0)
        started = [...startedSince(unknown, started), ...(await this.#applyLeftovers(leftovers))];
    }
    // A start of others that was under way, and did not fail, has finished the restart.
    const underWay = leftovers.failed.length === 0 ? unknown.filter(isUnfinished) : [];
    // An earlier restart may have suspended the compute without starting it again.
    const hasBegun = before?.__unapplied?.includes('restartTriggers') === true;
    const isDone = await this.#restartIfDue(leftovers, [...started, ...underWay], hasBegun);
    this.#unapplied = isDone ? [] : ['restartTriggers'];
    this.#operations.forgetEarlier();
    // Without waiting, the suspension of a stop may still fail.
    if (this.#work.inputs.disabled) this.#unapplied = union(this.#unapplied, this.#findHeldUp());
  }

  /**
   * Applies what only the response to a write shows to be due: the reads of a take-over may be stale.
   * @param toDue the arguments to send, given the endpoint as it is
   */
  async applyMissed(toDue: (endpoint: Endpoint) => readonly InputName[], sent: readonly InputName[]) {
    const missed = this.#written ? difference(toDue(this.#written), sent) : [];
    if (missed.length > 0) await this.resume([], union(this.#unapplied, missed));
  }

  async #applyLeftovers({ due, failed }: Leftovers): Promise<readonly Operation[]> {
    await this.#writer.checkGate(due, failed, this.#gateLagMs);
    return this.apply(due);
  }

  /**
   * The unsuccessful operations of a request for the same change: the service had the values already, perhaps because a run that
   * was killed has sent them. Others may have, so what drops connections is repeated only for a change that does so itself.
   */
  async #findUnknown(
    { due, failed }: Leftovers,
    started: readonly Operation[],
    hasEarlierChange: boolean,
  ): Promise<Operation[]> {
    const sent = without(due, ...argumentsOutsideConfig);
    const disruptive = findDisruptive(sent, this.#work.inputs);
    const mayBeKnown = disruptive.length > 0 && (started.length === 0 || this.#isUnsuspended(started));
    if (!mayBeKnown && (sent.length === 0 || started.length > 0 || hasEarlierChange)) return [];
    // If the list can't be read, the next update sends the change again, and looks again.
    this.#unapplied = due;
    // The failed suspension of a stop that is taken back does not show that an earlier request for the rest has not arrived.
    const enables = isEnabling(due, this.#work.inputs);
    const isKnown = hasEarlierChange && !enables;
    const isPatient = (mayBeKnown || this.#mayHaveArrived) && !isKnown;
    // After a stop that is taken back, a lone suspension may be of that stop.
    const mayBeOfStop = this.#stops(due) || (enables && !hasEarlierChange);
    const left = await this.#operations.findUnknown(mayBeOfStop, isPatient);
    this.#unapplied = due.filter((name) => name === 'restartTriggers');
    if (mayBeKnown) return differenceBy(left, failed, 'id');
    // Values that don't drop connections have just been sent again, so earlier failures need nothing more. If an earlier request had
    // set them already, its operation may have failed since.
    return left.filter(
      (operation) => operation.action === 'apply_config' && (this.#mayHaveArrived || isUnfinished(operation)),
    );
  }

  /** Whether a change of these suspends the compute without starting it again: a move or a stop. */
  #stops(names: readonly InputName[]): boolean {
    const disruptive = findDisruptive(names, this.#work.inputs);
    return disruptive.some((name) => argumentTable[name].effect === 'disconnect');
  }

  /** Whether the compute stayed up after a request that started these: a disruptive change had its values in place already. */
  #isUnsuspended(started: readonly Operation[]): boolean {
    const { latest } = this.#endpoint;
    return latest?.current_state !== 'idle' && !started.some(isSuspension);
  }

  async #awaitLeftovers(
    earlier: readonly UnsettledOperation[],
    names: readonly InputName[],
    before: EndpointOutputs | undefined,
  ): Promise<Leftovers> {
    this.#unapplied = names;
    const failed = await this.#operations.awaitEarlier(earlier);
    const wasRestart = this.#operations.hasEarlierRestart;
    if (failed.length === 0) return { due: names, failed, wasRestart };
    const drifted = union(names, findDrift(await this.#endpoint.read(), this.#work.inputs));
    const isOfStop = mayHaveStopped(before) && !wasRestart;
    const isInterrupted = drifted.includes('disabled') && failed.some(isSuspension) && !isOfStop;
    const differing = isInterrupted ? union(drifted, findInterrupted(names, wasRestart)) : drifted;
    // An apply_config failed after its run had ended. The service reports the new values, so nothing that it applies differs.
    const isUnsent = without(differing, ...argumentsOutsideConfig).length === 0;
    const isUnapplied = isUnsent && failed.some(({ action }) => action === 'apply_config');
    const due = isUnapplied ? union(differing, findRepeatable(this.#work.inputs)) : differing;
    this.#unapplied = due;
    return { due, failed, wasRestart };
  }

  /** Sends the named arguments, and waits. Returns the operations that the service started. */
  async apply(names: readonly InputName[]): Promise<readonly Operation[]> {
    this.#unapplied = names;
    this.#sent = union(this.#sent, names);
    const change = await this.#writer.update(names);
    if (!change) return [];
    // The service has accepted the change: from here on its operations record what is unfinished. If the values of a disruptive
    // change were in place already, another request has started its operations, which are still to be found.
    this.#noteWritten(change.endpoint);
    const disruptive = this.#isUnsuspended(change.operations) ? findDisruptive(names, this.#work.inputs) : [];
    this.#undone = disruptive;
    const isRestarting = hasStart(change.operations);
    this.#unapplied = names.filter(
      (name) => (name === 'restartTriggers' && !isRestarting) || disruptive.includes(name),
    );
    this.#operations.forgetEarlier(['apply_config', ...change.operations.map(({ action }) => action)]);
    if (isStopTakenBack(names, this.#work.inputs)) this.#operations.forgetSuspension();
    await this.#operations.await(change.operations);
    return change.operations;
  }

  /**
   * Sends the restart for a trigger, or for an earlier one that failed; after a change of size the service restarts the compute
   * by itself. Returns false if the restart is still due.
   * @param hasBegun whether an earlier restart for `restartTriggers` may have suspended the compute
   */
  async #restartIfDue(
    { due, failed, wasRestart }: Leftovers,
    started: readonly Pick<Operation, 'action'>[],
    hasBegun: boolean,
  ): Promise<boolean> {
    const { inputs } = this.#work;
    if (hasStart(started)) {
      // The service has restarted a compute whose stop had failed.
      if (inputs.disabled) await this.#control('suspend');
      return true;
    }
    const suspensions = isStopTakenBack(due, inputs) ? [] : failed.filter(isSuspension);
    // While this run waited for the lock, a request of a killed one may have restarted the compute.
    const isSuspendDue = (await this.#operations.findStillFailed(suspensions)).length > 0;
    const isStartDue = hasStart(failed);
    const isRestart = wasRestart || (findDisruptive(due, inputs).length > 0 && !this.#stops(due));
    // A start that was sent after a suspension that failed may have succeeded: the compute was active. If a start failed, an
    // earlier try may have suspended it.
    if (due.includes('restartTriggers') || (isSuspendDue && isRestart))
      return this.#restart(hasBegun || isStartDue);
    if (isSuspendDue) await this.#control('suspend');
    // Without waiting, the suspension of a restart may look unfinished. A start without effect means that it failed, too.
    else if (isStartDue) return (await this.#start()) || !this.#operations.isSuspending;
    return true;
  }

  /** Without the restart call: sent again after a lost response, it would restart the compute twice. */
  async #restart(hasBegun: boolean): Promise<boolean> {
    const unapplied = this.#unapplied;
    const due: readonly InputName[] = union(unapplied, ['restartTriggers']);
    const isSuspended = await this.#control('suspend').catch((error: unknown) => {
      // It may be under way, or done all the same: the compute then needs its start.
      if (this.#writer.mayBeDone || this.#operations.isSuspending) this.#unapplied = due;
      throw error;
    });
    // If the compute was idle, nothing may have suspended it, or an earlier restart.
    if (!isSuspended && !hasBegun) return true;
    // If the service does not accept the start, the restart is still due, also one that no trigger has asked for.
    this.#unapplied = due;
    const isStarted = await this.#start().catch((error: unknown) => {
      // Rather leave the compute idle than restart it twice: a client that connects starts it.
      if (this.#writer.mayBeDone) this.#unapplied = unapplied;
      throw error;
    });
    // Without waiting, a start without effect means that the suspension was cancelled, or had not begun.
    return isStarted || !isSuspended || this.#work.inputs.waitForOperations !== false;
  }

  /** Starts the compute. Returns false only if it was active; a disabled endpoint counts as done. */
  async #start(): Promise<boolean> {
    const { disabled } = this.#endpoint.latest ?? (await this.#endpoint.read());
    if (!disabled) return this.#control('start');
    this.#undone = ['restartTriggers'];
    return true;
  }

  /** Starts or suspends the compute, and waits. Returns false if it was in that state already. */
  async #control(verb: 'start' | 'suspend'): Promise<boolean> {
    const change = await this.#writer.control(verb);
    const { endpoint, operations } = change;
    // Don't trust a read for the compute's state: reads may lag behind. Others may have requested the same, and it is under way.
    const isUnderWay = operations.length === 0 && endpoint.current_state !== controlledStates[verb];
    const requested = isUnderWay ? await this.#operations.findRequested(`${verb}_compute`) : [];
    // Until here, a restart whose start was not accepted is repeated as a whole.
    if (verb === 'start') this.#operations.forgetEarlier(['suspend_compute', 'start_compute']);
    else this.#undone = [];
    if (hasStart([...operations, ...requested]))
      this.#unapplied = without(this.#unapplied, 'restartTriggers');
    await this.awaitChange(change);
    const failed = isUnderWay ? await this.#operations.awaitEarlier(requested) : [];
    if (intersectionBy(failed, requested, 'id').length > 0) await this.#control(verb);
    return operations.length > 0 || isUnderWay;
  }

  /**
   * Reads the endpoint until it agrees with what was requested. Reads may lag behind writes, so a difference counts only when
   * it persists, and without waiting not even then.
   * @param except an argument that is still to be applied
   * @param before the outputs in state, which count if nothing was written
   * @throws Error when the service reports other values, or no endpoint
   * @throws GoneError in a create: if it took the endpoint over, its next attempt creates one
   */
  async finish({ except, before }: FinishOptions = {}): Promise<EndpointOutputs> {
    const { action, project, inputs, deadline } = this.#work;
    const isWaiting = inputs.waitForOperations !== false;
    if (!isWaiting && !this.#isNew && this.#written) return this.#toOutputs(this.#written);
    const known = this.#written ? readAttributes(this.#written, inputs) : before;
    const expected = this.#isNew ? undefined : known;
    const readUntil = (withinMs: number, isEnough: (latest: ReadBack) => boolean) =>
      rereadUntil(deadline.next(withinMs), () => this.#readBack(except, expected), isEnough, readBackPauses);
    const isOnlyTransitioning = (latest: ReadBack) => latest.isTransitioning && latest.drift.length === 0;
    let latest = await readUntil(project.readLagMs, ({ isAgreed }) => isAgreed);
    // When the service no longer shows the operation, only the endpoint shows when it has finished.
    if (isOnlyTransitioning(latest) && this.#operations.hasVanished) {
      latest = await readUntil(deadline.remainingMs, (each) => !isOnlyTransitioning(each));
      if (latest.endpoint && isOnlyTransitioning(latest))
        throw new Error(describeTransition(this.#work, latest.endpoint));
    }
    const { endpoint } = latest;
    // The state must keep what an update has done.
    const NoEndpoint = action === 'create' ? GoneError : Error;
    if (!endpoint) throw new NoEndpoint(describeGone(this.#work));
    const drift = isWaiting ? latest.drift : [];
    // Another client or a killed run has stopped the endpoint.
    this.#unapplied = isEnabling(drift, inputs) ? union(drift, this.#undone) : drift;
    if (drift.length > 0) throw new Error(describeDrift(this.#work, drift));
    return this.#toOutputs(endpoint);
  }

  async #readBack(
    except: FinishOptions['except'],
    expected: Partial<EndpointInputs> | undefined,
  ): Promise<ReadBack> {
    const { project, inputs, deadline } = this.#work;
    // The read may have to wait for the rate limiter, or be sent again: it has as long as the whole action.
    const endpoint = await this.#endpoint.find(Math.max(project.readLagMs, deadline.remainingMs));
    if (!endpoint) return { endpoint, drift: [], isTransitioning: false, isAgreed: false };
    const drift = findDrift(endpoint, inputs).filter((name) => name !== except);
    const isTransitioning = inputs.waitForOperations !== false && endpoint.pending_state !== undefined;
    // A list that shows a new endpoint also shows an older duplicate.
    const isListed = !this.#isNew || project.endpoints.latest.some(({ id }) => id === endpoint.id);
    // What the program leaves out has no desired value, but a stale read still shows the one before the reset.
    const leftOut = argumentNames.filter((name) => inputs[name] === undefined && isResettable(name));
    const isAsKnown = leftOut.every((name) => isAsExpected(endpoint, name, expected?.[name]));
    const isAgreed = drift.length === 0 && !isTransitioning && isListed && isAsKnown;
    return { endpoint, drift, isTransitioning, isAgreed };
  }

  /**
   * The last step of a create: until here a repeated create finds the endpoint by the derived name.
   * @param isDue whether to send the name even if the endpoint is read with it: nothing else shows that it still exists
   */
  async finishNamed(finished: EndpointOutputs, isDue = false): Promise<EndpointOutputs> {
    const { name } = this.#work.inputs;
    if (name === undefined || (!isDue && name === this.#endpoint.latest?.name)) return finished;
    await this.apply(['name']);
    // Nothing more is read then. A list that lags behind would bring the derived name back.
    const isWaiting = this.#work.inputs.waitForOperations !== false;
    return !isWaiting && this.#written ? this.#toOutputs(this.#written) : this.finish();
  }

  /**
   * Turns a failure into one that keeps the endpoint in state. If nothing was written, the state records only what
   * earlier runs have left: taking the change back then needs no update.
   * @param before the outputs in state: kept if the endpoint can't be read, as after an interruption
   */
  async keepInState<Outputs extends EndpointOutputs | undefined>(
    outcome: Promise<Outputs>,
    before?: EndpointOutputs,
  ): Promise<Outputs> {
    try {
      return await outcome;
    } catch (error) {
      if (before && !isUnsettled(before) && !this.#writer.mayHaveWritten) throw error;
      await this.#endpoint.find().catch(() => undefined);
      if (this.mayHaveDuplicates) this.#unapplied = union(this.#unapplied, ['adopt'], this.#findTakenOver());
      // After a failure the engine keeps the old inputs, and the outputs may come from a stale list. Without this mark, removing
      // such an argument would not reset it.
      this.#unapplied = union(this.#unapplied, this.#sent.filter(isResettable), this.#findHeldUp());
      const isGone = error instanceof GoneError && !this.#isNew;
      const outputs = this.#latestOutputs(before);
      if (isGone || !outputs) throw error;
      throw new UnsettledError(messageOf(error), this.#work.endpointId, outputs, { cause: error });
    }
  }

  /**
   * What the next update sends again after a failed take-over. This run may have read stale values, which hide what an earlier
   * program set. A stop is not among them: to send it again would take it back.
   */
  #findTakenOver(): readonly InputName[] {
    if (!this.takesOver) return [];
    const reset = argumentNames.filter(
      (name) => isResettable(name) && argumentTable[name].effect === 'update',
    );
    return union(findRepeatable(this.#work.inputs), reset);
  }

  /** Undefined when there is nothing to add to what is in state. */
  #latestOutputs(before: EndpointOutputs | undefined): EndpointOutputs | undefined {
    // A stale list shows the values before the change, and the next program may take it back.
    const [read, written] = [this.#endpoint.latest, this.#written];
    const latest = read && written ? newerOf(read, written) : read;
    const { mayHaveWritten } = this.#writer;
    if (latest && before && !mayHaveWritten)
      return toUnchangedOutputs(latest, before, this.#operations.unsettled, this.#unapplied);
    if (latest) return this.#toOutputs(latest);
    if (!before || !this.#writer.mayBeDone) return undefined;
    return toUnreadOutputs(before, this.#work.inputs, this.#operations.unsettled, this.#unapplied);
  }

  #toOutputs(endpoint: Endpoint): EndpointOutputs {
    return toOutputs(endpoint, this.#work.inputs, this.#operations.unsettled, this.#unapplied);
  }

  /** A move or a change of size that was sent with a stop, whose suspension has not succeeded. It stays due if the stop is taken back. */
  #findHeldUp(): readonly InputName[] {
    if (!this.#sent.includes('disabled') || !this.#operations.unsettled.some(isSuspension)) return [];
    return without(findDisruptive(this.#sent, this.#work.inputs), 'disabled', 'restartTriggers');
  }
}

/** Whether an earlier run was to stop the endpoint. */
function mayHaveStopped({ disabled = false, __unapplied = [] }: Partial<EndpointOutputs> = {}): boolean {
  return disabled || __unapplied.includes('disabled');
}

/**
 * What is sent with a change of `disabled`, so that a restart or a move whose suspension has failed stays due: both sizes or the branch.
 * @param due the arguments that are due anyway: a trigger among them restarts the compute
 */
function findInterrupted(due: readonly InputName[], wasRestart: boolean): readonly InputName[] {
  if (wasRestart) return argumentNames.filter(isSizeName);
  return due.includes('restartTriggers') ? [] : ['branchId'];
}

/** Whether the service gets the default when the program no longer gives the argument. */
function isResettable(name: InputName): boolean {
  const { read, whenRemoved } = argumentTable[name];
  return read !== undefined && whenRemoved !== undefined;
}

/** @param expected undefined: not known */
function isAsExpected(endpoint: Endpoint, name: InputName, expected: unknown): boolean {
  return expected === undefined || isSame(expected, argumentTable[name].read?.(endpoint));
}

/** Those that are no older than what was found. */
function startedSince(found: readonly Operation[], started: readonly Operation[]): readonly Operation[] {
  const sinceAt = Math.max(...found.map(({ created_at }) => Date.parse(created_at)));
  return started.filter(({ created_at }) => Date.parse(created_at) >= sinceAt);
}

/** Whether they are of a restart: a move or a stop starts nothing. */
function hasStart(operations: readonly Pick<Operation, 'action'>[]): boolean {
  return operations.some(({ action }) => action === 'start_compute');
}
