import type { InternalAxiosRequestConfig } from 'axios';
import { Engine } from '../engine/engine';
import type { EngineResult } from '../engine/engine-failures';
import { ProviderHost } from '../engine/provider-host';
import { noMishap, SimulatedRun } from '../engine/simulated-run';
import { type DeclaredResource, Stack } from '../engine/stack';
import type { Carriage, Carrier, Network, Sender, SentRequest } from '../network/network';
import type { RuleBook } from '../rules/rule-book';
import type { Journal } from '../run/journal';
import type { Served } from '../service/in-process-reply';
import { SimulatedService } from '../service/simulated-service';
import { Randomness } from '../time/seeded-randomness';
import { trueTime } from '../time/virtual-time';
import type { NamedSchedule, NamedStep } from './draw-named-schedule';

const apiKey = 'key';

export interface NamedParts {
  readonly schedule: NamedSchedule;
  readonly network: Network;
  readonly journal: Journal;
  readonly book: RuleBook;
}

/** One stack, and the project in which it declares a branch with roles and databases. */
export class NamedWorld implements Carrier {
  readonly journal: Journal;
  readonly book: RuleBook;
  readonly randomness: Randomness;
  readonly service: SimulatedService;
  readonly stack = new Stack('test');
  readonly projectId: string;
  readonly otherId: string;
  /** What the user has read since the step began, by URN. */
  readonly texts: { readonly urn: string; readonly text: string }[] = [];
  /** What the user gives resources because an error advised it, by URN. */
  readonly advised = new Map<string, object>();
  readonly #network: Network;
  readonly #wroteAt = new Map<SimulatedRun, number>();
  #runs = 0;

  constructor({ schedule, network, journal, book }: NamedParts) {
    this.journal = journal;
    this.book = book;
    this.randomness = new Randomness(schedule.seed);
    this.service = new SimulatedService({ operationMs: schedule.operationMs, apiKey });
    const { controls } = this.service;
    this.projectId = controls.createProject({ name: 'p' }).id;
    this.otherId = controls.createBranch(this.projectId, { name: 'other' }).id;
    this.#network = network;
    network.reset(this);
  }

  get branches() {
    return [...this.service.plane.store.project(this.projectId).branches.values()];
  }

  /** What the program declares: the branch first. */
  declare(step: NamedStep): DeclaredResource[] {
    const { projectId, otherId } = this;
    const branch = this.stack.urnOf('b', 'Branch');
    const allowDataLoss = step.allowsLoss && { allowDataLoss: true };
    const preserved = `kept-${step.reset}-${this.#runs}`;
    const declared = (
      urn: string,
      values: object,
      references: NonNullable<DeclaredResource['references']> = {},
    ): DeclaredResource => ({
      urn,
      inputs: {
        values: { projectId, ...values, ...this.advised.get(urn) },
        secretNames: [],
      },
      deletesFirst: true,
      timeoutSeconds: 600,
      references,
    });
    const on = { branchId: { urn: branch, output: 'id' } };
    const roles = step.roles.flatMap((role, index) => {
      if (!role) return [];
      const { name, adopts, rotation } = role;
      const args = { name, passwordTriggers: { rotation }, ...(adopts && { adopt: true }) };
      return [declared(this.stack.urnOf(`r${index}`, 'Role'), args, on)];
    });
    const databases = step.databases.flatMap((database, index) => {
      if (!database) return [];
      const { name, adopts, owner } = database;
      const role = this.stack.urnOf(`r${owner}`, 'Role');
      const owning = roles.find(({ urn }) => urn === role);
      const args = {
        name,
        ...allowDataLoss,
        ...(adopts && { adopt: true }),
        ownerName: owning?.inputs.values.name ?? 'app_owner',
      };
      const ownerName = owning && { ownerName: { urn: role, output: 'name' } };
      return [declared(this.stack.urnOf(`d${index}`, 'Database'), args, { ...on, ...ownerName })];
    });
    const args = {
      name: 'data',
      resetTriggers: { reset: step.reset },
      ...(step.source === 'other' && { restoreFrom: { branchId: otherId } }),
      ...(step.preserves && { preserveUnderName: preserved }),
      ...(step.hasOtherParent && { parentId: otherId }),
      ...(step.isProtected && { protected: true }),
      ...allowDataLoss,
    };
    return [declared(branch, args), ...roles, ...databases];
  }

  /** Runs `up`, or its preview, to its end. */
  async run(
    program: readonly DeclaredResource[],
    {
      isPreview = false,
      refreshes = false,
      forces = false,
      mishap = noMishap,
    }: { readonly isPreview?: boolean } & Partial<Pick<NamedStep, 'refreshes' | 'forces' | 'mishap'>>,
  ): Promise<EngineResult & { readonly isCutOff: boolean }> {
    this.#runs += 1;
    const { journal, stack } = this;
    const name = `${isPreview ? 'preview' : 'up'} ${this.#runs}`;
    const run = new SimulatedRun(name, isPreview, mishap, journal);
    run.startedAt = trueTime();
    journal.count(isPreview ? 'previews of users' : 'runs of users');
    journal.note(
      name,
      () => `begins: ${JSON.stringify(program.map(({ urn, inputs }) => [urn, inputs.values]))}`,
    );
    const host = new ProviderHost(
      run,
      { apiKey, baseUrl: this.#network.connect(run) },
      {
        shown: (_run, text) => journal.note(name, () => `  shows: ${text}`),
        diagnosed: (_run, urn, text) => void (isPreview && this.texts.push({ urn, text })),
        ended: () => undefined,
      },
    );
    run.onCutOff = (kind) => {
      if (kind === 'Ctrl-C') host.cancel();
    };
    const engine = new Engine({
      stack,
      run,
      host,
      journal,
      options: {
        isPreview,
        refreshesFirst: refreshes,
        ...(forces && { replaceTargets: new Set([stack.urnOf('b', 'Branch')]) }),
      },
      witness: {
        written: () => undefined,
        step: (_run, what, urn, id) => journal.note(name, () => `${what} ${urn} ${id ?? ''}`),
        forgotten: () => undefined,
        createEnded: () => undefined,
      },
    });
    const result = await Promise.race([engine.update(program), run.cliDied]);
    run.end();
    journal.note(name, () => `ends: ${result ? JSON.stringify(result.failures) : 'killed'}`);
    const killed = { isSuccess: false, failures: [], steps: [] };
    return { ...(result ?? killed), isCutOff: run.isCutOff };
  }

  carry(): Carriage {
    const delay = () => this.randomness.between(0, 20);
    return { outwardMs: delay(), returnMs: delay(), isDuplicated: false };
  }

  sent(sender: Sender, { method, path, body }: SentRequest): void {
    this.journal.note(sender.name, () => `  -> ${method} ${path} ${body ?? ''}`);
    if (method !== 'GET') (sender as SimulatedRun).write();
  }

  arrive(sender: Sender, request: SentRequest, { headers }: InternalAxiosRequestConfig): Promise<Served> {
    const run = sender as SimulatedRun;
    return this.service.serve(request, headers.get('Authorization'), (work) => {
      // Only what this process has written may be missing from reads.
      const others = [...this.#wroteAt].map(([other, at]) => (other === run ? 0 : at));
      this.service.longestLagMs = trueTime() - Math.max(run.startedAt, ...others);
      if (request.method !== 'GET') this.#wroteAt.set(run, trueTime());
      return work();
    });
  }

  delivered(sender: Sender, { method, path }: SentRequest, served: Served): void {
    this.journal.note(
      'service',
      () => `${method} ${path}: ${served.kind === 'lost' ? 'lost' : `${served.status} ${served.body}`}`,
    );
    if (method !== 'GET') (sender as SimulatedRun).write();
  }
}
