import type { InternalAxiosRequestConfig } from 'axios';
import { differenceBy } from 'lodash';
import type { Operation } from 'postgres-control-emulator';
import { slotName } from '../chaos/declared-slot';
import type { SlotPlan } from '../chaos/slot-plan';
import { Engine } from './engine';
import type { EngineResult } from './engine-failures';
import type { EngineOptions } from './engine-steps';
import { Ground } from './ground';
import type { Served } from './in-process-reply';
import type { CountedEvent, Journal } from './journal';
import type { Carriage, Carrier, Network, Sender, SentRequest } from './network';
import { branchName, declareBranches, declaredSlots, declareProgram } from './program';
import { ProviderHost } from './provider-host';
import { RestartRules } from './restart-rules';
import type { Scenario } from './scenario';
import { Randomness } from './seeded-randomness';
import { type Mishap, noMishap, SimulatedRun } from './simulated-run';
import type { SimulatedService } from './simulated-service';
import { isBranchUrn, Stack } from './stack';
import type { VirtualTime } from './virtual-time';
import { Watch } from './watch';

export const apiKey = 'key-canary-of-the-account';

/** The share of requests whose response is delayed by up to `longestStallMs`. The provider's time-out is 30 s. */
const stalledShare = 0.002;
/** The same share for reads of one operation where reads lag behind: when the stale response arrives, the operation is visible. */
const stalledLookupShare = 0.2;
const longestStallMs = 45_000;
/** The shortest pages of operations that a schedule has. */
const shortestPage = 2;
const duplicatedShare = 0.005;
/** The share of schedules in which somebody sets the clock now and then, of requests at which that happens, and how far it can be off. */
const clockSteps = { ofSchedules: 0.25, ofRequests: 0.1, mostHours: 5 };

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

interface WorldParts {
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly randomness: Randomness;
  readonly network: Network;
  readonly service: SimulatedService;
  readonly journal: Journal;
}

/** The user's stacks, the service and the network of one schedule. */
export class World implements Carrier {
  readonly scenario: Scenario;
  readonly time: VirtualTime;
  readonly randomness: Randomness;
  readonly service: SimulatedService;
  readonly journal: Journal;
  readonly ground: Ground;
  readonly watch: Watch;
  readonly restarts: RestartRules;
  readonly stacks: readonly Stack[] = [new Stack('one'), new Stack('two')];
  /** What the programs declare now. */
  plans: readonly SlotPlan[] = [];
  /** How far reads may lag behind writes. Milliseconds. */
  lagMs = 0;
  /** Whether the network neither stalls nor repeats requests. */
  isCalm = false;
  /** Whether a process of this schedule was killed. */
  hasKilled = false;
  readonly #network: Network;
  /** When the service last did a write of each run. */
  readonly #wroteAt = new Map<SimulatedRun, number>();
  /** Of its own, because the clock must make no difference. */
  readonly #clockRandomness: Randomness;
  readonly #isClockSet: boolean;
  #runs = 0;

  constructor(parts: WorldParts) {
    this.scenario = parts.scenario;
    this.time = parts.time;
    this.randomness = parts.randomness;
    this.service = parts.service;
    this.journal = parts.journal;
    this.#network = parts.network;
    this.#clockRandomness = new Randomness(~parts.scenario.seed);
    this.#isClockSet = this.#clockRandomness.happens(clockSteps.ofSchedules);
    this.ground = new Ground(parts.service, parts.scenario);
    const perMinute = parts.scenario.requestsPerMinute ?? 700;
    this.ground.branchInState = (slot) =>
      this.stacks.map((stack) => stack.find(this.branchUrnOf(stack, slot))).find((found) => found)?.id;
    this.watch = new Watch(this.ground, { perMinute, slotCount: 2 * parts.scenario.traits.length }, apiKey);
    this.restarts = new RestartRules(this);
    this.#network.reset(this);
  }

  /** The slots of a stack. */
  slotsOf(stack: Stack): number[] {
    const isFirst = stack === this.stacks[0];
    const { secondStackFrom } = this.scenario;
    return this.plans.flatMap((_plan, slot) => (slot < secondStackFrom === isFirst ? [slot] : []));
  }

  declared(stack: Stack) {
    return declaredSlots(this.plans, this.slotsOf(stack));
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

  /** Runs a command of the CLI to its end, or to the death of the CLI. */
  async run(
    stack: Stack,
    { command, mishap = noMishap, onEvent, ...options }: Invocation,
  ): Promise<RunResult> {
    this.#runs += 1;
    const { isPreview = false } = options;
    const what = isPreview ? 'preview' : command;
    const isReading = isPreview || command === 'refresh';
    const run = new SimulatedRun(`${what} ${this.#runs} ${stack.name}`, isReading, mishap, this.journal);
    run.onEvent = onEvent;
    const startedAt = this.time.now;
    run.startedAt = startedAt;
    const conclude = (result: EngineResult): RunResult => {
      this.journal.note(run.name, () => describeResult(result));
      const concluded = { ...result, run, startedAt };
      if (!isReading) this.restarts.end(run, concluded);
      return concluded;
    };
    this.restarts.begin(run);
    const fail = (message: string) =>
      conclude({ isSuccess: false, failures: [{ urn: '', message }], steps: [] });
    this.journal.count(isPreview ? 'previews' : 'runs');
    if (stack.lockedBy !== undefined && !isPreview) {
      this.journal.count('runs refused by the lock');
      return fail(`the stack is currently locked by ${stack.lockedBy}`);
    }
    if (!isPreview) stack.lockedBy = run.name;
    this.journal.note(run.name, () => `pulumi ${what}${options.refreshesFirst ? ' --refresh' : ''}`);
    const work = this.#start(stack, run, command, options);
    const died = run.cliDied.then(() => undefined);
    const result = await Promise.race([work, died]);
    this.hasKilled ||= run.isKilled;
    if (!result) {
      this.journal.count('failed runs');
      return fail('killed');
    }
    run.end();
    if (!isPreview) stack.lockedBy = undefined;
    if (!result.isSuccess) this.journal.count('failed runs');
    return conclude(result);
  }

  carry({ method, path }: SentRequest): Carriage {
    const { randomness, journal } = this;
    const delay = () => randomness.between(0, this.scenario.longestDelayMs);
    const { lateListsMs = 0, lateGetsMs = 0 } = this.scenario.service;
    const isHidden = lateListsMs > 0 && lateGetsMs > 0 && path.includes('/operations/');
    const isStalled = !this.isCalm && randomness.happens(isHidden ? stalledLookupShare : stalledShare);
    if (isStalled) journal.count('stalled requests');
    // A create is not safe to repeat, and no proxy repeats it.
    const isCreate = method === 'POST' && /\/(endpoints|branches)$/.test(path);
    const isDuplicated = !this.isCalm && !isCreate && randomness.happens(duplicatedShare);
    if (isDuplicated) journal.count('duplicated requests');
    const returnMs = isStalled ? randomness.between(0, longestStallMs) : delay();
    return { outwardMs: delay(), returnMs, isDuplicated };
  }

  sent(sender: Sender, request: SentRequest): void {
    const { method, path, body } = request;
    // Only runs send requests.
    const run = sender as SimulatedRun;
    this.watch.traffic.sent(run, request);
    if (method !== 'GET') run.write();
    if (this.#isClockSet && this.#clockRandomness.happens(clockSteps.ofRequests)) this.#setClock();
    this.journal.count('requests');
    this.journal.note(sender.name, () => `  -> ${method} ${path} ${body ?? ''}`);
  }

  arriving(sender: Sender, request: SentRequest): void {
    this.watch.arrives(sender as SimulatedRun, request);
  }

  async arrive(
    sender: Sender,
    request: SentRequest,
    { headers }: InternalAxiosRequestConfig,
  ): Promise<Served> {
    const { method, path, body } = request;
    const run = sender as SimulatedRun;
    let started: readonly Operation[] = [];
    const served = await this.service.server.handle({
      method,
      url: `/api/v2${this.#withPageSize(path)}`,
      headers: { authorization: String(headers.get('Authorization')) },
      body,
      // The response may take longer, and other requests work meanwhile.
      onWork: (work) => {
        // What others wrote, and dead processes, is never missing from reads: only what this process has written.
        this.service.longestLagMs = this.time.now - Math.max(run.startedAt, this.#othersWroteAt(run));
        if (method === 'GET') return work();
        this.#wroteAt.set(run, this.time.now);
        const earlier = this.ground.ownOperations();
        const isNewBranch = method === 'POST' && path.endsWith('/branches');
        const branches = isNewBranch ? this.ground.branches.held() : [];
        const result = work();
        if (isNewBranch)
          for (const branch of differenceBy(this.ground.branches.held(), branches, 'id'))
            this.ground.branches.noteCreated(branch);
        started = differenceBy(this.ground.ownOperations(), earlier, 'id');
        this.watch.worked(run, request, started);
        this.restarts.worked(run, request, started);
        return result;
      },
    });
    this.watch.served(run, request, served, started);
    const isTold = served.kind === 'whole' && served.status < 400 && sender.isAlive;
    if (method !== 'GET' && !isTold) this.#crowdPage(path);
    this.journal.note('service', () => `${method} ${path.split('?')[0]}: ${describeServed(served)}`);
    const counted = served.kind === 'lost' ? undefined : countedStatuses[served.status];
    if (counted) this.journal.count(counted);
    return served;
  }

  #othersWroteAt(run: SimulatedRun): number {
    return Math.max(0, ...[...this.#wroteAt].map(([other, at]) => (other === run ? 0 : at)));
  }

  /** Where pages are shortest, others are busy: what a write without a response has started is soon on a later page. */
  #crowdPage(path: string): void {
    const { longestPage } = this.scenario;
    const [, projectId] = /^\/projects\/([^/]+)/.exec(path) ?? [];
    if (longestPage === shortestPage && projectId) this.ground.fillPage(projectId, longestPage);
  }

  /** The service may return shorter pages than a client asks for. */
  #withPageSize(path: string): string {
    const { longestPage = 1_000 } = this.scenario;
    return path.replace(/limit=(\d+)/, (_whole, limit) => `limit=${Math.min(Number(limit), longestPage)}`);
  }

  delivered(sender: Sender, request: SentRequest, served: Served): void {
    const run = sender as SimulatedRun;
    this.watch.delivered(run, request, served);
    if (request.method !== 'GET') run.write();
  }

  #setClock(): void {
    const { mostHours } = clockSteps;
    this.time.clockErrorMs = this.#clockRandomness.between(-mostHours, mostHours) * 3_600_000;
    this.journal.count('clock steps');
  }

  async #start(
    stack: Stack,
    run: SimulatedRun,
    command: Command,
    options: EngineOptions,
  ): Promise<EngineResult> {
    const { requestsPerMinute } = this.scenario;
    const settings = {
      apiKey,
      baseUrl: this.#network.connect(run),
      ...(requestsPerMinute && { requestsPerMinute }),
    };
    const host = new ProviderHost(run, settings, {
      shown: (_run, text) => {
        this.watch.shown(run, text);
        this.journal.note(run.name, () => `  shows: ${text}`);
      },
      ended: (_run, call, startedAt, seconds) => this.watch.callEnded(run, call, startedAt, seconds),
    });
    run.onInterrupt = () => host.cancel();
    const isDependent = this.scenario.areDependent && stack === this.stacks[0];
    const dependedOn = isDependent ? this.urnOf(stack, 0) : undefined;
    const engine = new Engine({
      stack,
      run,
      host,
      options,
      journal: this.journal,
      witness: {
        written: () => this.watch.written(run, stack),
        step: (_run, step, urn, id) => this.journal.note(run.name, () => `${step} ${urn} ${id ?? ''}`),
        forgotten: (_run, urn, id) =>
          isBranchUrn(urn) ? this.watch.branches.forgotten(run, id) : this.watch.forgotten(run, id),
        createEnded: (_run, urn) => {
          const slot = this.slotOfUrn(urn);
          if (isBranchUrn(urn)) this.watch.branches.createEnded(run, stack, slot);
          else this.watch.createEnded(run, stack, slot);
        },
      },
    });
    if (command === 'refresh') return engine.refresh();
    if (command === 'destroy') return engine.destroy();
    return engine.update([
      ...declareBranches(stack, this.ground, this.scenario, this.slotsOf(stack)),
      ...declareProgram(stack, this.ground, this.scenario, dependedOn, this.declared(stack)),
    ]);
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
