import type { Operation } from 'postgres-control-emulator';
import type { ReadProperties } from '../../../provider/src/plugin/properties';
import type { SimulatedRun } from '../engine/simulated-run';
import type { Stack } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import { trueTime } from '../time/virtual-time';
import type { Ground } from '../user/ground';
import { BranchWatch } from './branch-watch';
import type { Rule, Violation } from './rules';
import { Traffic } from './traffic';

/** A check, a comparison or a read has no time-out of its own. Milliseconds. */
const longestCallMs = 180_000;
/** The longest Retry-After that a schedule has, with jitter. A share that a 429 has cut delays the next request as long. Milliseconds. */
const longestPauseMs = 61_000;

export interface WatchLimits {
  readonly perMinute: number;
  readonly slotCount: number;
}

/** The invariants that hold at every step. Each method is called when something happens that could break one. */
export class Watch {
  readonly violations: Violation[] = [];
  readonly traffic: Traffic;
  readonly branches: BranchWatch;
  readonly #ground: Ground;
  readonly #limits: WatchLimits;
  readonly #apiKey: string;
  /** The endpoints that the service has returned to each run in response to a write. */
  readonly #told = new Map<
    SimulatedRun,
    { readonly id: string; readonly slot: number; readonly isCreated: boolean }[]
  >();
  /** The runs that have shown, that connections may drop. */
  readonly #foretold = new WeakSet<SimulatedRun>();
  readonly #searched = new WeakSet<ReadProperties>();
  /** The operations that no response told a run of: requests of dead processes and other people's connections started them. */
  readonly unheard = new Set<string>();
  /** The runs of which the service has done a write, or may have. */
  readonly wrote = new WeakSet<SimulatedRun>();
  /** The endpoints that a request has created whose process was dead. */
  readonly createdLate = new Set<string>();
  /** Those that a message has named, with the command that deletes them. */
  readonly reportedDuplicates = new Set<string>();
  /** When the last create or delete of a dead process has arrived. Virtual time. */
  lateWriteAt = Number.NEGATIVE_INFINITY;
  /** When the last PATCH of a run with a dead process arrived. Virtual time. */
  lateChangeAt = Number.NEGATIVE_INFINITY;
  /** When the last delete of an endpoint of each slot arrived. Virtual time. */
  readonly deletedAt = new Map<number, number>();
  /** Whether a run has a reason to delete an endpoint of the programs. */
  mayDelete: (run: SimulatedRun, endpointId: string) => boolean = () => true;
  /** Secrets that the user has given away: a refresh reads values of which the state does not know that they are secret. */
  readonly givenAway = new Set<string>();

  constructor(ground: Ground, limits: WatchLimits, apiKey: string) {
    this.#ground = ground;
    this.#limits = limits;
    this.#apiKey = apiKey;
    this.branches = new BranchWatch(ground, (rule, what) => this.violate(rule, what));
    this.traffic = new Traffic(ground, limits.perMinute, (rule, what) => this.violate(rule, what));
  }

  violate(rule: Rule, what: string): void {
    this.violations.push({ rule, what });
  }

  /** Whether the run knows that it has created the endpoint. */
  hasCreated(run: SimulatedRun, endpointId: string): boolean {
    return this.#told.get(run)?.some(({ id, isCreated }) => isCreated && id === endpointId) === true;
  }

  /** A request is about to have its effect. */
  arrives(run: SimulatedRun, request: SentRequest): void {
    const { method, path, body } = request;
    this.traffic.arrives(run, request);
    if (method === 'GET') return;
    this.branches.arrives(run, request);
    if (!(run.isCliAlive && run.isHostAlive) && method === 'PATCH') this.lateChangeAt = trueTime();
    if (!run.isAlive && (method === 'DELETE' || /\/(endpoints|branches)$/.test(path)))
      this.lateWriteAt = trueTime();
    const [, endpointId] = /\/endpoints\/([^/]+)/.exec(path) ?? [];
    if (endpointId !== undefined && this.#ground.isForeign(endpointId))
      this.violate(
        'endpoints of other clients are untouched',
        `${run.name} sent ${method} ${path}, to an endpoint of another client`,
      );
    if (method === 'DELETE' && endpointId !== undefined) this.#noteDelete(run, endpointId);
    if (body !== undefined) this.#searchBody(run, body);
  }

  #noteDelete(run: SimulatedRun, endpointId: string): void {
    if (!this.mayDelete(run, endpointId))
      this.violate(
        'an endpoint in use is not deleted',
        `${run.name} deletes ${endpointId}, which it must keep`,
      );
    const endpoint = this.#ground.own().find(({ id }) => id === endpointId);
    const slot = endpoint && this.#ground.slotOf(endpoint);
    if (slot !== undefined) this.deletedAt.set(slot, trueTime());
  }

  /** The service has done the work of a write, which started these operations. */
  worked(run: SimulatedRun, request: SentRequest, started: readonly Operation[]): void {
    const isCreate = request.method === 'POST' && request.path.endsWith('/endpoints');
    for (const { endpoint_id = '' } of isCreate ? started : []) {
      this.traffic.noteCreated(run, endpoint_id);
      if (!run.isAlive) this.createdLate.add(endpoint_id);
    }
    this.#noteUnheard(run, request, started);
  }

  /**
   * The request, if it takes down a compute that the run had to foretell. What was under way when the run planned may have failed
   * since: then it is repeated, whatever the plan was.
   */
  findTakenDown(
    run: SimulatedRun,
    { method, path }: SentRequest,
    started: readonly Operation[],
  ): string | undefined {
    if (method === 'DELETE') return undefined;
    const suspended = started.find(({ action }) => action === 'suspend_compute')?.endpoint_id;
    const hasFailedSince = this.#ground
      .ownOperations()
      .some(
        ({ endpoint_id, action, status, updated_at }) =>
          endpoint_id === suspended &&
          action === 'suspend_compute' &&
          ['failed', 'error', 'cancelled'].includes(status) &&
          Date.parse(updated_at) >= run.startedAt,
      );
    return suspended !== undefined && !hasFailedSince ? `${method} ${path}` : undefined;
  }

  checkForetold(run: SimulatedRun, request: string): void {
    if (this.#foretold.has(run)) return;
    this.violate('a preview foretells what drops connections', `${run.name} sent ${request}`);
  }

  /** The service responds, whatever it says. The process may have died in the meantime. */
  served(run: SimulatedRun, request: SentRequest, served: Served, started: readonly Operation[]): void {
    if (request.method !== 'GET' && !isRefusal(served)) this.wrote.add(run);
    this.#noteUnheard(run, request, started);
  }

  /** The next run can do no more about a failure than send the request again, and the service then has the values already. */
  #noteUnheard(run: SimulatedRun, { method, path }: SentRequest, started: readonly Operation[]): void {
    if (!run.isAlive && (method === 'PATCH' || path.endsWith('/start')))
      for (const { id } of started) this.unheard.add(id);
  }

  /** A response reaches the process that waits for it. */
  delivered(run: SimulatedRun, request: SentRequest, served: Served): void {
    this.traffic.delivered(run, served);
    this.branches.delivered(run, request, served);
    const changed = this.#readChanged(request, served);
    if (!changed) return;
    const told = this.#told.get(run) ?? [];
    told.push(changed);
    this.#told.set(run, told);
  }

  /** A create has ended, and the state is written. What a host knew that has died is lost with it. */
  createEnded(run: SimulatedRun, stack: Stack, slot: number): void {
    if (!run.isHostAlive) return;
    const { state } = stack;
    const own = this.#ground.own(slot);
    const allTold = this.#told.get(run) ?? [];
    for (const told of allTold) {
      if (told.slot !== slot || state.resources.some(({ id }) => id === told.id)) continue;
      const lost = own.find(({ id }) => id === told.id);
      if (!lost || this.#ground.isDeleting(told.id)) continue;
      this.violate(
        'no id is lost',
        `${run.name} lost the id ${told.id}: the service has the endpoint, the state does not`,
      );
    }
  }

  /** A refresh has removed an endpoint from the state. */
  forgotten(run: SimulatedRun, id: string): void {
    if (this.#ground.exists(id) && !this.#ground.isDeleting(id))
      this.violate('no id is lost', `${run.name} removed ${id}, which the service still has`);
  }

  /** The user may see the text. */
  shown(run: SimulatedRun, text: string): void {
    // Or that it can't tell: the service has not answered in time.
    if (/drops? (its )?connections|connections (to )?drop|can't be reached/.test(text))
      this.#foretold.add(run);
    for (const [, id = ''] of text.matchAll(/endpoints delete (\S+)/g)) this.reportedDuplicates.add(id);
    this.search(`a message of ${run.name}`, text);
  }

  /** No text may have a secret. */
  search(where: string, text: string): void {
    const secret = this.#findSecret(text);
    if (secret !== undefined) this.violate('secrets stay secret', `${where} contains ${secret}: ${text}`);
  }

  /** The state was written. */
  written(run: SimulatedRun, { state }: Stack): void {
    for (const { urn, inputs, outputs } of state.resources) {
      this.#searchProperties(`${run.name} stored in the inputs of ${urn}`, inputs);
      this.#searchProperties(`${run.name} stored in the outputs of ${urn}`, outputs);
    }
  }

  /** A call of the engine has ended. Writes of one project wait for each other, each with a time of its own. */
  callEnded(run: SimulatedRun, call: string, startedAt: number, timeoutSeconds: number): void {
    const tookMs = trueTime() - startedAt;
    const pausesMs = this.traffic.countRefused(run, startedAt) * longestPauseMs;
    const longestMs = timeoutSeconds * 1_000 * (2 * this.#limits.slotCount + 1) + longestCallMs + pausesMs;
    if (tookMs > longestMs)
      this.violate(
        'calls end in time',
        `${run.name}: ${call} took ${tookMs} ms, at most ${longestMs} ms are allowed`,
      );
  }

  /** The endpoint of a slot that a write has created or changed. */
  #readChanged({ method }: SentRequest, served: Served) {
    if (!['POST', 'PATCH'].includes(method) || served.kind !== 'whole' || served.status >= 300)
      return undefined;
    const endpoint = parseChange(served.body)?.endpoint;
    const slot = endpoint && this.#ground.slotOf(endpoint);
    const isCreated = served.status === 201;
    return endpoint && slot !== undefined ? { id: endpoint.id, slot, isCreated } : undefined;
  }

  #searchProperties(where: string, properties: ReadProperties): void {
    if (this.#searched.has(properties)) return;
    this.#searched.add(properties);
    for (const [name, value] of Object.entries(properties.values)) {
      if (properties.secretNames.includes(name)) continue;
      const secret = this.#findSecret(JSON.stringify(value));
      if (secret !== undefined)
        this.violate('secrets stay secret', `${where}: ${name} contains ${secret} in plain text`);
    }
  }

  /** A secret may be only in the attribute whose value it is. */
  #searchBody(run: SimulatedRun, body: string): void {
    if (this.#findSecret(body) === undefined) return;
    const { branch, ...parsed } = JSON.parse(body);
    const { endpoint: { name = '', settings = undefined, ...rest } = branch ?? {}, ...others } = parsed;
    const secret = this.#findSecret(JSON.stringify([rest, others]));
    const isMisplaced =
      (settings !== undefined && this.#findSecret(JSON.stringify(settings))?.includes('setting') === false) ||
      this.#findSecret(String(name))?.includes(branch ? 'branch' : 'name') === false;
    if (secret !== undefined || isMisplaced)
      this.violate('secrets stay secret', `${run.name} sent a secret in another place: ${body}`);
  }

  #findSecret(text: string): string | undefined {
    if (text.includes(this.#apiKey)) return this.#apiKey;
    if (!text.includes('canary')) return undefined;
    return this.#ground.texts.canaries.find((canary) => !this.givenAway.has(canary) && text.includes(canary));
  }
}

/** Whether the service itself has refused the request. The page of a proxy says nothing about its work. */
function isRefusal(served: Served): boolean {
  if (served.kind !== 'whole' || !served.body.startsWith('{')) return false;
  const { status } = served;
  return status >= 400 && status < 500 && status !== 408 && status !== 425;
}

interface Change {
  readonly endpoint?: { readonly id: string; readonly branch_id: string };
}

function parseChange(body: string): Change | undefined {
  try {
    return JSON.parse(body);
  } catch {
    // An injected fault cut the response short: it tells nothing.
    return undefined;
  }
}
