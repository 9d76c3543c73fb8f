import { differenceBy } from 'lodash';
import type { Operation } from 'postgres-control-emulator';
import type { EngineResult } from '../engine/engine-failures';
import type { EngineOptions } from '../engine/engine-steps';
import { type Mishap, noMishap, SimulatedRun } from '../engine/simulated-run';
import type { Stack } from '../engine/stack';
import type { SentRequest } from '../network/network';
import { ResetRules } from '../rules/reset-rules';
import { RestartRules } from '../rules/restart-rules';
import { RuleBook } from '../rules/rule-book';
import { Watch } from '../rules/watch';
import type { CountedEvent, Journal } from '../run/journal';
import type { BranchPlan } from '../scenario/branch-plan';
import type { Scenario } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import type { Served } from '../service/in-process-reply';
import type { ServedPlane } from '../service/served-plane';
import type { Randomness } from '../time/seeded-randomness';
import { trueTime } from '../time/virtual-time';
import { branchName, slotName } from './declared-slot';
import { Ground } from './ground';

export const apiKey = 'key-canary-of-the-account';

/** The shortest pages of operations that a schedule has. */
const shortestPage = 2;

export type Command = 'up' | 'refresh' | 'destroy';

/** What the user runs, and what happens to it. */
export interface Invocation extends EngineOptions {
  readonly command: Command;
  readonly mishap?: Mishap;
  readonly onEvent?: (event: number) => void;
}

export interface RunResult extends EngineResult {
  readonly run: SimulatedRun;
  readonly startedAt: number;
}

export interface WorldParts {
  readonly scenario: Scenario;
  readonly randomness: Randomness;
  readonly service: ServedPlane;
  readonly journal: Journal;
  readonly stacks: readonly Stack[];
}

/** The user's stacks and the service of one schedule. What runs the commands is simulated, or real. */
export abstract class World {
  readonly scenario: Scenario;
  readonly randomness: Randomness;
  readonly journal: Journal;
  readonly ground: Ground;
  readonly book: RuleBook;
  readonly watch: Watch;
  readonly restarts: RestartRules;
  readonly resets: ResetRules;
  readonly stacks: readonly Stack[];
  /** What the programs declare now. */
  plans: readonly SlotPlan[] = [];
  /** How far reads may lag behind writes. Milliseconds. */
  lagMs = 0;
  /** Whether the network neither stalls nor repeats requests. */
  isCalm = false;
  /** Whether a process of this schedule was killed. */
  hasKilled = false;
  readonly #service: ServedPlane;
  #runs = 0;

  constructor({ scenario, randomness, service, journal, stacks }: WorldParts) {
    this.scenario = scenario;
    this.randomness = randomness;
    this.journal = journal;
    this.stacks = stacks;
    this.#service = service;
    this.ground = new Ground(service, scenario);
    const perMinute = scenario.requestsPerMinute ?? 700;
    this.ground.branchInState = (slot) =>
      this.stacks.map((stack) => stack.find(this.branchUrnOf(stack, slot))).find((found) => found)?.id;
    this.book = new RuleBook(journal);
    const limits = { perMinute, slotCount: 2 * scenario.traits.length };
    this.watch = new Watch(this.ground, this.book, limits, apiKey);
    this.restarts = new RestartRules(this);
    this.resets = new ResetRules(this);
  }

  /** The slots of a stack. */
  slotsOf(stack: Stack): number[] {
    const isFirst = stack === this.stacks[0];
    const { secondStackFrom } = this.scenario;
    return this.plans.flatMap((_plan, slot) => (slot < secondStackFrom === isFirst ? [slot] : []));
  }

  /** The slots that a stack declares. */
  declared(stack: Stack): { readonly slot: number; readonly plan: SlotPlan }[] {
    return this.slotsOf(stack).flatMap((slot) => {
      const plan = this.plans[slot];
      return plan?.isDeclared ? [{ slot, plan }] : [];
    });
  }

  /** The slots whose Branch a stack declares. */
  declaredBranches(stack: Stack): { readonly slot: number; readonly plan: BranchPlan }[] {
    return this.slotsOf(stack).flatMap((slot) => {
      const plan = this.ground.branches.declared(slot);
      return plan ? [{ slot, plan }] : [];
    });
  }

  urnOf(stack: Stack, slot: number): string {
    return stack.urnOf(slotName(slot));
  }

  branchUrnOf(stack: Stack, slot: number): string {
    return stack.urnOf(branchName(slot), 'Branch');
  }

  slotOfUrn(urn: string): number {
    return Number(urn.slice(urn.lastIndexOf('-') + 1));
  }

  /** Whether a stack has the endpoint. */
  isInState(endpointId: string): boolean {
    return this.stacks.some(({ state }) => state.resources.some(({ id }) => id === endpointId));
  }

  /** The URN of the resource on which the others of the stack depend. */
  dependedOn(stack: Stack): string | undefined {
    const isDependent = this.scenario.areDependent && stack === this.stacks[0];
    return isDependent ? this.urnOf(stack, 0) : undefined;
  }

  /** Runs a command of the CLI to its end, or to the death of the CLI. */
  async run(stack: Stack, invocation: Invocation): Promise<RunResult> {
    this.#runs += 1;
    const { command, mishap = noMishap, onEvent, isPreview = false, refreshesFirst } = invocation;
    const what = isPreview ? 'preview' : command;
    const isReading = isPreview || command === 'refresh';
    const run = new SimulatedRun(`${what} ${this.#runs} ${stack.name}`, isReading, mishap, this.journal);
    run.onEvent = onEvent;
    const startedAt = trueTime();
    run.startedAt = startedAt;
    this.restarts.begin(run);
    this.resets.begin(run);
    this.journal.count(isPreview ? 'previews' : 'runs');
    this.journal.note(run.name, () => `pulumi ${what}${refreshesFirst ? ' --refresh' : ''}`);
    const result = await this.perform(stack, run, invocation);
    this.hasKilled ||= run.isKilled;
    if (!result.isSuccess) this.journal.count('failed runs');
    this.journal.note(run.name, () => describeResult(result));
    this.watch.traffic.ended(run);
    const concluded = { ...result, run, startedAt };
    if (!isReading) this.restarts.end(run, concluded);
    if (!isReading) this.resets.end(run, concluded);
    return concluded;
  }

  /** Runs the command. */
  protected abstract perform(stack: Stack, run: SimulatedRun, invocation: Invocation): Promise<EngineResult>;

  /** Checks, when the run has shown what it has to show until now. */
  protected abstract whenShown(run: SimulatedRun, check: () => void): void;

  /** Lets the service do the work of a request. Also returns the operations that it has started. */
  protected work<Result>(run: SimulatedRun, request: SentRequest, work: () => Result) {
    const { method, path } = request;
    this.#service.receive(run, method);
    if (method === 'GET') return { result: work(), started: [] };
    const { branches } = this.ground;
    const earlier = this.ground.ownOperations();
    const isNewBranch = method === 'POST' && path.endsWith('/branches');
    const before = isNewBranch ? branches.held() : [];
    const result = work();
    if (isNewBranch)
      for (const branch of differenceBy(branches.held(), before, 'id')) branches.noteCreated(branch);
    const started = differenceBy(this.ground.ownOperations(), earlier, 'id');
    this.watch.worked(run, request, started);
    const takenDown = this.watch.findTakenDown(run, request, started);
    if (takenDown !== undefined) this.whenShown(run, () => this.watch.checkForetold(run, takenDown));
    this.restarts.worked(run, request, started);
    this.resets.worked(run, request, started);
    return { result, started };
  }

  /** The service has responded. */
  protected served(
    run: SimulatedRun,
    request: SentRequest,
    served: Served,
    started: readonly Operation[],
  ): void {
    const { method, path } = request;
    this.watch.served(run, request, served, started);
    const isTold = served.kind === 'whole' && served.status < 400 && run.isAlive;
    if (method !== 'GET' && !isTold) this.#crowdPage(path);
    this.journal.note('service', () => `${method} ${path.split('?')[0]}: ${describeServed(served)}`);
    const counted = served.kind === 'lost' ? undefined : countedStatuses[served.status];
    if (counted) this.journal.count(counted);
  }

  /** Where pages are shortest, others are busy: what a write without a response has started is soon on a later page. */
  #crowdPage(path: string): void {
    const { longestPage } = this.scenario;
    const [, projectId] = /^\/projects\/([^/]+)/.exec(path) ?? [];
    if (longestPage === shortestPage && projectId) this.ground.fillPage(projectId, longestPage);
  }
}

const countedStatuses: Readonly<Record<number, CountedEvent>> = { 423: '423', 429: '429' };

function describeServed(served: Served): string {
  if (served.kind === 'lost') return 'the connection is closed';
  return `${served.status}${served.kind === 'cut off' ? ', which breaks off' : ''} ${served.body}`;
}

function describeResult({ isSuccess, failures }: EngineResult): string {
  if (isSuccess) return 'ends: success';
  return `ends: ${failures.map(({ urn, message }) => `${urn} ${message}`).join('; ') || 'interrupted'}`;
}
