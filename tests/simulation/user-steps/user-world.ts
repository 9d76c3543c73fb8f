import type { InternalAxiosRequestConfig } from 'axios';
import { differenceBy } from 'lodash';
import { AgreementGround } from '../engine/agreement/agreement-ground';
import type { Program } from '../engine/agreement/agreement-scenario';
import { toDeclared, toScope } from '../engine/agreement/simulated-side';
import { stackName } from '../engine/agreement/transcript';
import type { Engine } from '../engine/engine';
import type { EngineResult } from '../engine/engine-failures';
import { withValues } from '../engine/engine-graph';
import { noMishap, SimulatedRun } from '../engine/simulated-run';
import { type DeclaredResource, Stack } from '../engine/stack';
import { startEngine } from '../engine/start-engine';
import type { Carriage, Carrier, Network, Sender, SentRequest } from '../network/network';
import type { RuleBook } from '../rules/rule-book';
import type { Journal } from '../run/journal';
import type { Served } from '../service/in-process-reply';
import { SimulatedService } from '../service/simulated-service';
import { Randomness } from '../time/seeded-randomness';
import { trueTime } from '../time/virtual-time';
import { LossWatch } from './loss-watch';
import type { Held } from './run-record';
import type { UserSchedule, UserStep } from './user-schedule';

const apiKey = 'key-canary-of-the-account';
const killed: EngineResult = { isSuccess: false, failures: [], steps: [] };

export interface UserParts {
  readonly schedule: UserSchedule;
  readonly network: Network;
  readonly journal: Journal;
  readonly book: RuleBook;
}

export interface UserRun extends EngineResult {
  readonly run: SimulatedRun;
}

/** The user's stack, the service and the network of one schedule. */
export class UserWorld implements Carrier {
  readonly schedule: UserSchedule;
  readonly randomness: Randomness;
  readonly service: SimulatedService;
  readonly ground: AgreementGround;
  readonly stack = new Stack(stackName);
  readonly watch: LossWatch;
  readonly journal: Journal;
  readonly book: RuleBook;
  /** The ids that runs have created. */
  readonly created = new Set<string>();
  /** The ids that `retainOnDelete` and `preserveUnderName` have left to the user. */
  readonly released = new Set<string>();
  /** The endpoints whose create lost its response. */
  readonly unheard = new Set<string>();
  /** The errors of the latest run that failed. */
  lastFailures: EngineResult['failures'] = [];
  readonly #network: Network;
  #runs = 0;

  constructor({ schedule, network, journal, book }: UserParts) {
    this.schedule = schedule;
    this.journal = journal;
    this.book = book;
    this.randomness = new Randomness(schedule.seed);
    this.service = new SimulatedService({ ...schedule.service, apiKey });
    this.ground = new AgreementGround(this.service.controls, { name: '', steps: schedule.steps });
    this.watch = new LossWatch(this);
    this.#network = network;
    network.reset(this);
  }

  /** The user deletes an endpoint that a message has reported as a duplicate, if no state has it. */
  deleteDuplicate(endpointId: string): void {
    const isInState = this.stack.state.resources.some(({ id }) => id === endpointId);
    const isHeld = this.held().endpoints.some(({ id }) => id === endpointId);
    if (isHeld && !isInState) this.service.controls.deleteEndpoint(endpointId);
  }

  /** Returns whether others had created a branch from one of the program. */
  removeForeignChildren(): boolean {
    const children = this.held().branches.filter(
      ({ id, parent_id = '' }) => this.created.has(parent_id) && !this.created.has(id),
    );
    for (const { id } of children) this.removeBranch(id);
    return children.length > 0;
  }

  /** The user deletes a branch without the program. Returns whether there was one. */
  removeBranch(branchId: string): boolean {
    const branch = this.held().branches.find(({ id }) => id === branchId);
    if (!branch) return false;
    this.service.deleteBranch(branch.project_id, branchId);
    return true;
  }

  /** The user gives a branch that no state has another name. Returns whether there was one. */
  renameBranch(branchId: string): boolean {
    const branch = this.held().branches.find(({ id }) => id === branchId);
    if (branch) this.service.controls.changeBranch(branch.project_id, branchId, { name: branchId });
    return branch !== undefined;
  }

  /** What the service has, and is not deleting. */
  held(): Held {
    const { branches: all, endpoints: records } = this.service;
    const branches = all.map(({ wire }) => wire);
    const roles = all.flatMap((branch) => branch.roles);
    // A branch whose creation has failed has no data yet.
    const databases = all.flatMap(({ wire, databases: each }) =>
      wire.current_state === 'init' ? [] : each.map((database) => ({ ...database })),
    );
    const endpoints = records.filter(({ deleting }) => !deleting).map(({ wire }) => wire);
    return { branches, endpoints, roles, databases };
  }

  /** What the program registers, as the SDK's classes do. */
  declare(program: Program): DeclaredResource[] {
    return this.ground.register(program).map((each) => {
      const declared = toDeclared(each, (name) => this.ground.urnOf(name));
      return declared.retainOnDelete
        ? { ...declared, inputs: withValues(declared.inputs, { __retainsOnDelete: true }) }
        : declared;
    });
  }

  /** Runs the command of a step, or its preview, to its end. */
  async run(step: UserStep, isPreview: boolean): Promise<UserRun> {
    this.#runs += 1;
    const { command } = step;
    const what = isPreview ? 'preview' : command;
    const mishap = (isPreview ? undefined : step.mishap) ?? noMishap;
    const run = new SimulatedRun(`${what} ${this.#runs}`, isPreview, mishap, this.journal);
    run.startedAt = trueTime();
    this.journal.count(isPreview ? 'previews of users' : 'runs of users');
    const program = command === 'destroy' ? [] : this.declare(step.program);
    this.watch.begin(run, step, program);
    this.journal.note(run.name, () => `pulumi ${what} ${describeOptions(step)}`);
    const engine = this.#makeEngine(run, step, isPreview);
    const work = command === 'destroy' ? engine.destroy() : engine.update(program);
    const result = (await Promise.race([work, run.cliDied])) ?? killed;
    run.end();
    this.watch.end(run, result);
    this.ground.noteState(this.stack.state);
    this.journal.note(
      run.name,
      () => `ends: ${result.isSuccess ? 'success' : JSON.stringify(result.failures)}`,
    );
    return { ...result, run };
  }

  #makeEngine(run: SimulatedRun, step: UserStep, isPreview: boolean): Engine {
    const { journal, stack, watch } = this;
    const { allowsRestart } = this.schedule;
    return startEngine({
      stack,
      run,
      network: this.#network,
      settings: { apiKey, ...(!allowsRestart && { allowRestart: false }) },
      journal,
      options: {
        isPreview,
        refreshesFirst: step.command.endsWith('--refresh'),
        ...toScope(step, (name) => this.ground.urnOf(name)),
      },
      witness: {
        diagnosed: (urn, text) => watch.diagnosed(run, urn, text),
        ended: (call) => watch.called(run, call),
        step: (what, urn, id) => {
          watch.step(run, what, urn);
          const stored = stack.state.resources.find((each) => what === 'delete' && each.id === id);
          if (stored?.retainOnDelete) this.released.add(stored.id);
        },
      },
    });
  }

  carry(): Carriage {
    const delay = () => this.randomness.between(0, this.schedule.longestDelayMs);
    return { outwardMs: delay(), returnMs: delay(), isDuplicated: false };
  }

  sent(sender: Sender, request: SentRequest): void {
    const { method, path, body } = request;
    this.journal.note(sender.name, () => `  -> ${method} ${path} ${body ?? ''}`);
    this.watch.sent(sender as SimulatedRun, request);
    if (method !== 'GET') (sender as SimulatedRun).write();
  }

  async arrive(
    sender: Sender,
    request: SentRequest,
    { headers }: InternalAxiosRequestConfig,
  ): Promise<Served> {
    const run = sender as SimulatedRun;
    const created: string[] = [];
    const served = await this.service.serve(request, headers.get('Authorization'), (work) => {
      this.service.receive(run, request.method);
      if (request.method === 'GET') return work();
      const before = this.held();
      const result = work();
      const { branches, endpoints } = this.held();
      const ids = request.path.endsWith('/restore') ? this.released : this.created;
      for (const { id } of differenceBy(branches, before.branches, 'id')) ids.add(id);
      for (const { id } of differenceBy(endpoints, before.endpoints, 'id')) {
        created.push(id);
        this.created.add(id);
      }
      return result;
    });
    if (served.kind === 'lost') for (const id of created) this.unheard.add(id);
    return served;
  }

  delivered(sender: Sender, { method, path }: SentRequest, served: Served): void {
    this.journal.note(
      'service',
      () =>
        `${method} ${path.split('?')[0]}: ${served.kind === 'lost' ? 'lost' : `${served.status} ${served.body}`}`,
    );
    if (method !== 'GET') (sender as SimulatedRun).write();
  }
}

function describeOptions({
  program,
  command: _command,
  service: _service,
  ...options
}: UserStep & { service?: unknown }) {
  return `${JSON.stringify(options)} of ${JSON.stringify(program)}`;
}
