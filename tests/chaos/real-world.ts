import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineResult } from '../simulation/engine/engine-failures';
import type { Mishap, SimulatedRun } from '../simulation/engine/simulated-run';
import type { StoredResource } from '../simulation/engine/stack';
import type { Journal } from '../simulation/run/journal';
import type { Scenario } from '../simulation/scenario/scenario';
import { ServedPlane } from '../simulation/service/served-plane';
import { Randomness } from '../simulation/time/seeded-randomness';
import { declareStack } from '../simulation/user/program';
import { apiKey, type Invocation, World } from '../simulation/user/world';
import { hostExitMs } from '../support/provider-hosts';
import { declare } from './program';
import { type CommandEnd, RealCommand, toArguments } from './real-command';
import type { RealStack } from './real-stack';
import { type RequestWitness, serveRun } from './serve-run';

/** The real CLI, real processes and the emulator over HTTP. */
export class RealWorld extends World {
  readonly #service: ServedPlane;
  /** The runs that change a stack now. */
  readonly #changing = new Map<RealStack, SimulatedRun>();
  readonly #shownLater = new Map<SimulatedRun, (() => void)[]>();
  /** What has to end with the schedule. */
  readonly #ends: (() => Promise<unknown>)[] = [];

  constructor(scenario: Scenario, journal: Journal, stacks: readonly RealStack[]) {
    const service = new ServedPlane({ ...scenario.service, apiKey });
    super({ scenario, journal, stacks, service, randomness: new Randomness(scenario.seed) });
    this.#service = service;
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    this.#service.stop();
  }

  /** What a run shows is known when it ends. */
  protected whenShown(run: SimulatedRun, check: () => void): void {
    this.#shownLater.set(run, [...(this.#shownLater.get(run) ?? []), check]);
  }

  protected async perform(
    stack: RealStack,
    run: SimulatedRun,
    invocation: Invocation,
  ): Promise<EngineResult> {
    const { isPreview = false } = invocation;
    if (!isPreview) await this.#waitForLock(stack, run);
    await declare(stack.pulumi.folder, stack.door, declareStack(this, stack));
    const command = await this.#serve(stack, run);
    const before = stack.state.resources;
    const args = toArguments(invocation);
    const end = await command.run(args, (limitMs) =>
      this.book.violate('calls end in time', `${run.name} takes longer than ${limitMs} ms`),
    );
    this.journal.note(run.name, () => `pulumi ${args.join(' ')}: exit ${end.exitCode}\n${end.screen}`);
    await stack.read();
    this.#checkShown(stack, run, end);
    if (run.isCliAlive) this.#checkEnd(stack, run, invocation.command === 'refresh' ? before : []);
    if (this.#changing.get(stack) === run) this.#changing.delete(stack);
    if (!run.isCliAlive && (await stack.isLocked())) stack.lockedBy = run.name;
    return toResult(run, end);
  }

  /** A second run of a stack starts when the first holds the lock, as a user would start it. */
  async #waitForLock(stack: RealStack, run: SimulatedRun): Promise<void> {
    if (!this.#changing.has(stack)) {
      this.#changing.set(stack, run);
      return;
    }
    this.journal.note(run.name, () => 'waits until the other run holds the lock');
    while (this.#changing.has(stack) && !(await stack.isLocked())) await sleep(20);
  }

  /** Serves the plane to a command that is not running yet. */
  async #serve(stack: RealStack, run: SimulatedRun): Promise<RealCommand> {
    const { longestPage } = this.scenario;
    const server = await serveRun(
      this.#service,
      longestPage,
      this.#witness(run, () => command.findHost()),
    );
    this.#ends.push(server.close);
    const command = new RealCommand(stack, run.name, server.url);
    run.onCutOff = (kind) => this.#cutOff(run, kind, command);
    return command;
  }

  #witness(run: SimulatedRun, findHost: () => Promise<void>): RequestWitness {
    return {
      arrives: async (request) => {
        const { method, path, body } = request;
        await findHost();
        this.journal.count('requests');
        this.journal.note(run.name, () => `  -> ${method} ${path} ${body ?? ''}`);
        if (method !== 'GET') run.write();
        run.step();
        this.watch.arrives(run, request);
      },
      work: (request, work) => this.work(run, request, work),
      answered: (request, served, started) => {
        this.served(run, request, served, started);
        run.step();
      },
      delivered: (request, served) => {
        if (!run.isAlive) return;
        this.watch.delivered(run, request, served);
        if (request.method !== 'GET') run.write();
        run.step();
      },
    };
  }

  #cutOff(run: SimulatedRun, kind: Mishap['kind'], command: RealCommand): void {
    command.cutOff(kind);
    if (kind !== 'kill of the CLI') return;
    const ending = command.hostEnds().then((hasEnded) => {
      run.end();
      if (!hasEnded)
        this.book.violate('nothing keeps running', `the host still runs ${hostExitMs} ms after its CLI`);
    });
    this.#ends.unshift(() => ending);
  }

  #checkShown(stack: RealStack, run: SimulatedRun, { shown, screen }: CommandEnd): void {
    for (const text of [...shown, screen]) this.watch.shown(run, text);
    this.watch.written(run, stack);
    // The last messages of a killed CLI are lost with it.
    if (!run.isKilled) for (const check of this.#shownLater.get(run) ?? []) check();
  }

  /** Checks what a run has left whose CLI was not killed. */
  #checkEnd(stack: RealStack, run: SimulatedRun, refreshed: readonly StoredResource[]): void {
    const { watch } = this;
    for (const slot of this.slotsOf(stack))
      for (const urn of [this.urnOf(stack, slot), this.branchUrnOf(stack, slot)])
        watch.ids.createEnded(run, stack, urn, slot);
    for (const { id } of refreshed)
      if (!stack.state.resources.some((resource) => resource.id === id)) watch.ids.forgotten(run, id);
    run.end();
  }
}

/** An error that names no resource is the whole screen. */
function toResult(run: SimulatedRun, { isSuccess, failures, steps, screen }: CommandEnd): EngineResult {
  const isUnexplained = !isSuccess && !run.isCutOff && failures.length === 0;
  return {
    isSuccess: isSuccess && !run.isInterrupted,
    failures: isUnexplained ? [{ urn: '', message: screen }] : failures,
    steps,
  };
}
