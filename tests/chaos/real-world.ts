import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineResult } from '../simulation/engine';
import type { EngineOptions } from '../simulation/engine-steps';
import type { Journal } from '../simulation/journal';
import { declareStack } from '../simulation/program';
import type { Scenario } from '../simulation/scenario';
import { Randomness } from '../simulation/seeded-randomness';
import { ServedPlane } from '../simulation/served-plane';
import type { Mishap, SimulatedRun } from '../simulation/simulated-run';
import { isBranchUrn } from '../simulation/stack';
import { apiKey, type Command, type Invocation, World } from '../simulation/world';
import { findHosts, hostExitMs, kill, waitForHosts } from '../support/provider-hosts';
import type { PulumiStack } from '../support/pulumi-stack';
import { readEvents } from './engine-events';
import { declare } from './program';
import type { RealStack } from './real-stack';
import { type RequestWitness, serveRun } from './serve-run';

/** No command takes longer, however busy the machine is. Milliseconds. */
const longestRunMs = 300_000;

const commands: Readonly<Record<Command, readonly string[]>> = {
  up: ['up', '--yes', '--skip-preview'],
  refresh: ['refresh', '--yes', '--skip-preview'],
  destroy: ['destroy', '--yes', '--skip-preview'],
};

/** What the CLI takes for each option of the simulated engine. */
const flags: {
  readonly [Name in keyof EngineOptions]-?: (value: NonNullable<EngineOptions[Name]>) => readonly string[];
} = {
  // Another command.
  isPreview: () => [],
  refreshesFirst: (isFirst) => (isFirst ? ['--refresh'] : []),
  replaceTargets: (urns) => [...urns].flatMap((urn) => ['--replace', urn]),
  // In the program.
  dependedOn: () => [],
};

/** The real CLI, real processes and the emulator over HTTP. */
export class RealWorld extends World {
  readonly #service: ServedPlane;
  /** What has to end with the schedule. */
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #shownLater = new Map<SimulatedRun, (() => void)[]>();

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
    { command, ...options }: Invocation,
  ): Promise<EngineResult> {
    let hosts: Promise<readonly number[]> | undefined;
    const server = await serveRun(
      this.#service,
      this.scenario.longestPage,
      this.#witness(run, async () => {
        hosts ??= findHosts(pulumi);
        pids = await hosts;
      }),
    );
    this.#ends.push(server.close);
    const eventLog = join(stack.pulumi.folder, `${run.name}.jsonl`.replaceAll(' ', '-'));
    const pulumi = stack.commandOf({
      POSTGRES_COMPUTE_BASE_URL: server.url,
      PULUMI_DEBUG_COMMANDS: 'true',
    });
    let pids: readonly number[] = [];
    const isPreview = options.isPreview === true;
    if (!isPreview) await this.#waitForLock(stack, run);
    await declare(stack.pulumi.folder, stack.door, declareStack(this, stack), this.dependedOn(stack));
    const before = stack.state.resources;
    const args = [...(isPreview ? ['preview'] : commands[command]), ...toFlags(options)];
    const cli = pulumi.start(...args, '--event-log', eventLog);
    run.onCutOff = (kind) => this.#cutOff(run, kind, cli.pid ?? 0, pids, pulumi);
    const timer = setTimeout(() => {
      this.watch.violate('calls end in time', `${run.name} takes longer than ${longestRunMs} ms`);
      for (const pid of [cli.pid ?? 0, ...pids]) kill(pid, 'SIGKILL');
    }, longestRunMs);
    const { exitCode = -1, all } = await cli.catch((error) => error);
    clearTimeout(timer);
    this.#busy.delete(stack);
    this.journal.note(run.name, () => `pulumi ${args.join(' ')}: exit ${exitCode}\n${all}`);
    await stack.read();
    const { shown, ...result } = await readEvents(eventLog);
    const isSuccess = exitCode === 0 && !run.isInterrupted;
    const failures =
      isSuccess || run.isCutOff || result.failures.length > 0
        ? result.failures
        : [{ urn: '', message: String(all) }];
    for (const text of [...shown, String(all)]) this.watch.shown(run, text);
    this.#conclude(stack, run, command === 'refresh' ? before.map(({ id, urn }) => ({ id, urn })) : []);
    if (!isPreview && !run.isCliAlive && (await stack.isLocked())) stack.lockedBy = run.name;
    return { ...result, isSuccess, failures };
  }

  readonly #busy = new Set<RealStack>();

  /** A second run of a stack starts when the first holds the lock, as a user would start it. */
  async #waitForLock(stack: RealStack, run: SimulatedRun): Promise<void> {
    if (!this.#busy.has(stack)) {
      this.#busy.add(stack);
      return;
    }
    this.journal.note(run.name, () => 'waits until the other run holds the lock');
    while (this.#busy.has(stack) && !(await stack.isLocked())) await sleep(20);
  }

  #witness(run: SimulatedRun, findProcesses: () => Promise<void>): RequestWitness {
    const isWrite = ({ method }: { method: string }) => method !== 'GET';
    return {
      arrives: async (request) => {
        await findProcesses();
        this.journal.count('requests');
        this.journal.note(run.name, () => `  -> ${request.method} ${request.path} ${request.body ?? ''}`);
        if (isWrite(request)) run.write();
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
        if (isWrite(request)) run.write();
        run.step();
      },
    };
  }

  /** The mishap, done to the processes. */
  #cutOff(
    run: SimulatedRun,
    kind: Mishap['kind'],
    cli: number,
    hosts: readonly number[],
    pulumi: PulumiStack,
  ): void {
    if (kind === 'Ctrl-C') kill(cli, 'SIGINT');
    if (kind === 'kill of CLI and host' || kind === 'kill of the CLI') kill(cli, 'SIGKILL');
    if (kind === 'kill of CLI and host' || kind === 'kill of the host')
      for (const host of hosts) kill(host, 'SIGKILL');
    if (kind !== 'kill of the CLI') return;
    // It notices that its CLI is dead.
    const ending = waitForHosts(pulumi).then((left) => {
      run.end();
      if (left.length > 0)
        this.watch.violate('nothing keeps running', `the host still runs ${hostExitMs} ms after its CLI`);
      for (const host of left) kill(host, 'SIGKILL');
    });
    this.#ends.unshift(() => ending);
  }

  /** The rules about what a run leaves. */
  #conclude(
    stack: RealStack,
    run: SimulatedRun,
    refreshed: readonly { readonly id: string; readonly urn: string }[],
  ): void {
    const { watch } = this;
    watch.written(run, stack);
    // The last messages of a killed CLI are lost with it.
    if (!run.isKilled) for (const check of this.#shownLater.get(run) ?? []) check();
    if (!run.isCliAlive) return;
    for (const slot of this.slotsOf(stack)) {
      watch.createEnded(run, stack, slot);
      watch.branches.createEnded(run, stack, slot);
    }
    for (const { id, urn } of refreshed)
      if (!stack.state.resources.some((resource) => resource.id === id))
        (isBranchUrn(urn) ? watch.branches : watch).forgotten(run, id);
    run.end();
  }
}

function toFlags(options: EngineOptions): string[] {
  const names = Object.keys(flags) as (keyof EngineOptions)[];
  return names.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : (flags[name] as (value: unknown) => readonly string[])(value);
  });
}
