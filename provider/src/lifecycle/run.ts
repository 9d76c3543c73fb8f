import { omit } from 'lodash';
import { isConflict, messageOf } from '../control-api/control-api-error';
import type { Operation } from '../control-api/wire-types';
import type { WaitResult } from '../operations/wait-for-operations';
import { evolve } from './evolve';
import { findReset } from './find-reset';
import { findStarted } from './find-started';
import { findLeft, isUnpaid, namesAt } from './ledger';
import { readBack } from './read-back';
import type { Resource } from './resource';
import {
  describeDrift,
  describeSubject,
  describeWaitResult,
  GoneError,
  UnsettledError,
} from './resource-errors';
import { ResourceRequests } from './resource-requests';
import { isUnsettled, unsettledOutputs } from './resource-state';
import { type Event, type Item, isOwn, isWaiting, type Situation, type Step, sinceOf } from './situation';
import { writeFailedLedger, writeLedger } from './stored-ledger';
import { awaited, decide, namesToSend } from './table';

/** A run with more steps than this is in a loop. */
const mostSteps = 100;
/** The state of the compute that each request asks for. */
const controlledStates = { start: 'active', suspend: 'idle' } as const;

type Action = Exclude<Step, 'done'>;

/** One create or update of one resource, once its id is known: performs what the table decides until it is done. */
export class Run<Shown extends Item, Outputs> {
  readonly #resource: Resource<Shown, Outputs>;
  readonly #requests: ResourceRequests<Shown>;
  #situation: Situation;

  constructor(resource: Resource<Shown, Outputs>, situation: Situation) {
    this.#resource = resource;
    this.#situation = situation;
    this.#requests = new ResourceRequests(resource, (event) => this.#learn(event));
  }

  /**
   * Resumes pending changes, and applies the named arguments.
   * @throws UnsettledError when the resource exists, but not as declared: the state keeps it with what is left
   */
  async run(names: readonly string[]): Promise<Outputs> {
    this.#learn({ kind: 'asked', names });
    try {
      for (let steps = 0; steps < mostSteps; steps += 1) {
        const step = decide(this.#situation);
        if (step === 'done') return this.#finish();
        this.#learn(await this.#perform(step));
      }
      throw new Error(`the run takes more than ${mostSteps} steps: ${decide(this.#situation)} repeats.`);
    } catch (error) {
      throw await this.#keepInState(error);
    }
  }

  #learn(event: Event): void {
    this.#situation = evolve(this.#situation, event, this.#resource.flow);
  }

  async #perform(step: Action): Promise<Event> {
    const names = namesToSend(step, this.#situation, this.#resource.flow);
    const perform: Readonly<Record<Action, () => Promise<Event>>> = {
      fail: () => Promise.reject(this.#toFailure()),
      wait: () => this.#wait(),
      observe: async () => ({ kind: 'observed', listed: await this.#listNew((found) => found.length > 0) }),
      trace: () => this.#trace(),
      send: () => this.#send(names),
      reset: () => this.#reset(),
      suspend: () => this.#control('suspend'),
      start: () => this.#control('start'),
      'read back': async () => ({ kind: 'read back', ...(await this.#readBack()) }),
      rename: () => this.#send(names),
    };
    try {
      return await perform[step]();
    } catch (error) {
      this.#learn({ kind: 'broken off', step, names });
      throw error;
    }
  }

  async #wait(): Promise<Event> {
    const operations = awaited(this.#situation);
    const result = await this.#requests.wait(operations);
    const event: Event = { kind: 'waited', awaited: operations, operations: result.operations };
    if (result.outcome !== 'timed out' && result.outcome !== 'interrupted') return event;
    this.#learn(event);
    throw this.#toError(result);
  }

  /**
   * The operations that the state does not account for.
   * @param isEnough only after a request of this run whose response was lost: a list may not show its operations yet
   */
  async #listNew(isEnough: (found: readonly Operation[]) => boolean): Promise<readonly Operation[]> {
    const since = sinceOf(this.#situation, this.#situation.item ?? (await this.#requests.read()));
    return this.#requests.list(
      () => since,
      (found) => this.#situation.writes !== 'unknown' || isEnough(found),
    );
  }

  async #trace(): Promise<Event> {
    const find = (listed: readonly Operation[]) => findStarted(this.#situation, listed, this.#resource.flow);
    return { kind: 'traced', found: find(await this.#listNew((listed) => find(listed).length > 0)) };
  }

  /** Sends these arguments, and nothing else. */
  async #send(names: readonly string[]): Promise<Event> {
    const send = this.#resource.update(names);
    if (!send) return { kind: 'accepted', names, started: [] };
    const { operations } = await this.#requests.write(send, () => this.#check());
    return { kind: 'accepted', names, started: operations };
  }

  async #reset(): Promise<Event> {
    const { reset } = this.#resource;
    if (!reset) throw new Error(`${describeSubject(this.#resource.work)}: it has no data to reset.`);
    const send = () => reset.send(this.#item);
    const find = () =>
      findReset(this.#resource, this.#situation, this.#requests, (isEnough) => this.#listNew(isEnough));
    const { operations } = await this.#requests.write(send, () => this.#check(), find);
    return { kind: 'accepted', names: ['resetTriggers'], started: operations };
  }

  async #control(verb: 'suspend' | 'start'): Promise<Event> {
    const { control } = this.#resource;
    if (!control) throw new Error(`${describeSubject(this.#resource.work)}: it has no compute to ${verb}.`);
    const send = () => control(verb);
    const change = await this.#requests
      .write(send, () => this.#check())
      .catch(async (error: unknown) => {
        // Others may have stopped the endpoint since: then nothing starts it.
        const now = isConflict(error) ? await this.#requests.read() : undefined;
        if (now?.disabled !== true) throw error;
        return now;
      });
    if (!('operations' in change)) return { kind: 'shown', item: change };
    const { item, operations, sentAfter } = change;
    const mayBeDone = this.#situation.writes === 'unknown';
    const isUnderWay = item.current_state !== controlledStates[verb];
    const controlled = {
      kind: 'controlled',
      verb,
      isOwn: operations.length > 0 || mayBeDone,
      isUnderWay,
    } as const;
    if (operations.length > 0 || !(isUnderWay || mayBeDone)) return { ...controlled, found: operations };
    // An earlier request or another client has started one.
    const find = (listed: readonly Operation[]) => {
      const newest = listed.find(
        (each) => each.action === `${verb}_compute` && !isOwn(this.#situation, each),
      );
      return newest && (mayBeDone || isUnpaid(newest)) ? [newest] : [];
    };
    const listed = await this.#requests.list(isUnderWay ? () => 0 : sentAfter, (all) => find(all).length > 0);
    return { ...controlled, found: find(listed) };
  }

  async #check(): Promise<void> {
    await this.#resource.checkGate?.(this.#situation, () => this.#requests.read());
  }

  async #readBack() {
    const find = async () => ((await this.#requests.find()) ? this.#item : undefined);
    const shown = await readBack(this.#resource, this.#situation, find);
    if (shown.failed.length > 0) throw this.#toError({ outcome: 'failed', operations: shown.failed });
    return shown;
  }

  #finish(): Outputs {
    const item = this.#item;
    const { ledger } = this.#situation;
    const left = isWaiting(this.#situation) ? findLeft(ledger) : [];
    if (!item || left.length > 0)
      throw new Error(
        `${describeSubject(this.#resource.work)}: the run ended with ${left.join(', ') || 'nothing seen'} left. Please report this; the next \`pulumi up\` resumes.`,
      );
    return this.#resource.toOutputs(item, writeLedger(ledger), []);
  }

  /** Turns a failure into one that keeps the resource in state, with what is left. */
  async #keepInState(error: unknown): Promise<unknown> {
    const { flow, work, before } = this.#resource;
    const { isResettable } = flow.arguments;
    const { origin, writes, ledger } = this.#situation;
    const isUnwritten = writes === 'none';
    // What was to be adopted is not ours.
    if (isUnwritten && origin === 'adopted') return error;
    const gone = error instanceof GoneError ? error : await this.#findGone();
    if (gone && origin !== 'new') return gone;
    const asked = namesAt(ledger, 'asked');
    const item = this.#item;
    // A killed run, or an earlier create, may already have set these. Stored as due, they are reset once the program removes them.
    const mayBeSet = asked.filter((name) =>
      before ? isUnwritten && item && !flow.arguments.isReported(item, before, name) : isResettable(name),
    );
    // Nothing was written over a clean state.
    if (isUnwritten && before && !isUnsettled(before) && mayBeSet.length === 0) return error;
    const resendable = [...mayBeSet, ...namesAt(ledger, 'sent').filter(isResettable)];
    const left = writeFailedLedger(this.#situation, resendable);
    // Without a write, the outputs stay as they were.
    const outputs =
      item && !(before && isUnwritten)
        ? this.#resource.toOutputs(item, left, asked)
        : before && { ...(omit(before, unsettledOutputs) as Outputs), ...left }; // They are optional.
    return outputs === undefined
      ? error
      : new UnsettledError(messageOf(gone ?? error), work.id, outputs, { cause: error });
  }

  /** Others may have deleted it, and the service then cancels its operations. A read that fails proves nothing. */
  async #findGone(): Promise<GoneError | undefined> {
    const isKnown = await this.#requests.find().then(
      (found) => found !== undefined,
      () => true,
    );
    if (isKnown || this.#resource.work.deadline.hasPassed) return undefined;
    const read = this.#requests.read().then(() => undefined);
    return read.catch((error: unknown) => (error instanceof GoneError ? error : undefined));
  }

  get #item(): Shown | undefined {
    return this.#situation.item as Shown | undefined; // Only the requests of this resource show items.
  }

  #toFailure(): Error {
    const { view, own, ledger } = this.#situation;
    if (view === 'differs') return new Error(describeDrift(this.#resource.work, namesAt(ledger, 'due')));
    return this.#toError({ outcome: 'failed', operations: own });
  }

  #toError(result: WaitResult): Error {
    const { work } = this.#resource;
    const { deadline, settingNames } = work;
    return new Error(describeWaitResult(work, result, deadline.elapsedMs, settingNames.timeouts));
  }
}
