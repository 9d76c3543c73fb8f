import type { InternalAxiosRequestConfig } from 'axios';
import type { Operation } from 'postgres-control-emulator';
import type { EngineResult } from '../engine/engine-failures';
import type { EngineOptions } from '../engine/engine-steps';
import type { SimulatedRun } from '../engine/simulated-run';
import { Stack } from '../engine/stack';
import { startEngine } from '../engine/start-engine';
import type { Carriage, Carrier, Network, Sender, SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import type { SimulatedService } from '../service/simulated-service';
import { Randomness } from '../time/seeded-randomness';
import type { VirtualTime } from '../time/virtual-time';
import { declareStack, toDeclared } from './program';
import { apiKey, type Command, type Invocation, World, type WorldParts } from './world';

/** The share of requests whose response is delayed by up to `longestStallMs`. The provider's time-out is 30 s. */
const stalledShare = 0.002;
/** The same share for reads of one operation where reads lag behind: when the stale response arrives, the operation is visible. */
const stalledLookupShare = 0.2;
const longestStallMs = 45_000;
const duplicatedShare = 0.005;
/** The share of schedules in which somebody sets the clock now and then, of requests at which that happens, and how far it can be off. */
const clockSteps = { ofSchedules: 0.25, ofRequests: 0.1, mostHours: 5 };

interface SimulatedParts extends Omit<WorldParts, 'stacks'> {
  readonly time: VirtualTime;
  readonly network: Network;
  readonly service: SimulatedService;
}

/** The engine, the network and time of one schedule are simulated, too. */
export class SimulatedWorld extends World implements Carrier {
  readonly #time: VirtualTime;
  readonly #service: SimulatedService;
  readonly #network: Network;
  /** Of its own, because the clock must make no difference. */
  readonly #clockRandomness: Randomness;
  readonly #isClockSet: boolean;

  constructor(parts: SimulatedParts) {
    super({ ...parts, stacks: [new Stack('one'), new Stack('two')] });
    this.#time = parts.time;
    this.#service = parts.service;
    this.#network = parts.network;
    this.#clockRandomness = new Randomness(~parts.scenario.seed);
    this.#isClockSet = this.#clockRandomness.happens(clockSteps.ofSchedules);
    this.#network.reset(this);
  }

  protected async perform(
    stack: Stack,
    run: SimulatedRun,
    { command, ...options }: Invocation,
  ): Promise<EngineResult> {
    const fail = (message: string) => ({ isSuccess: false, failures: [{ urn: '', message }], steps: [] });
    const { isPreview = false } = options;
    if (stack.lockedBy !== undefined && !isPreview) {
      this.journal.count('runs refused by the lock');
      return fail(`the stack is currently locked by ${stack.lockedBy}`);
    }
    if (!isPreview) stack.lockedBy = run.name;
    const work = this.#start(stack, run, command, options);
    const result = await Promise.race([work, run.cliDied]);
    if (!result) return fail('killed');
    run.end();
    if (!isPreview) stack.lockedBy = undefined;
    return result;
  }

  protected whenShown(_run: SimulatedRun, check: () => void): void {
    check();
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
    const run = sender as SimulatedRun;
    let started: readonly Operation[] = [];
    const paged = { ...request, path: this.#withPageSize(request.path) };
    const served = await this.#service.serve(paged, headers.get('Authorization'), (work) => {
      // The response may take longer, and other requests work meanwhile.
      const done = this.work(run, request, work);
      started = done.started;
      return done.result;
    });
    this.served(run, request, served, started);
    return served;
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
    this.#time.clockErrorMs = this.#clockRandomness.between(-mostHours, mostHours) * 3_600_000;
    this.journal.count('clock steps');
  }

  async #start(
    stack: Stack,
    run: SimulatedRun,
    command: Command,
    options: EngineOptions,
  ): Promise<EngineResult> {
    const { watch, journal } = this;
    const { requestsPerMinute } = this.scenario;
    const engine = startEngine({
      stack,
      run,
      network: this.#network,
      settings: { apiKey, ...(requestsPerMinute && { requestsPerMinute }) },
      options,
      journal,
      witness: {
        shown: (text) => watch.shown(run, text),
        ended: (call, startedAt, seconds) => watch.callEnded(run, call, startedAt, seconds),
        written: () => watch.written(run, stack),
        forgotten: (id) => watch.ids.forgotten(run, id),
        createEnded: (urn) => watch.ids.createEnded(run, stack, urn, this.slotOfUrn(urn)),
      },
    });
    if (command === 'refresh') return engine.refresh();
    if (command === 'destroy') return engine.destroy();
    return engine.update(declareStack(this, stack).map(toDeclared));
  }
}
