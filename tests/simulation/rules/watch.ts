import type { Operation } from 'postgres-control-emulator';
import { failedStatuses } from '../../support/operation';
import type { SimulatedRun } from '../engine/simulated-run';
import type { Stack } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import { trueTime } from '../time/virtual-time';
import type { Ground } from '../user/ground';
import { IdRules } from './id-rules';
import type { RuleBook } from './rule-book';
import { SecretRules } from './secret-rules';
import { Traffic } from './traffic';

/** A check, a comparison or a read has no time-out of its own. Milliseconds. */
const longestCallMs = 180_000;
/** The longest Retry-After that a schedule has, with jitter. A share that a 429 has cut delays the next request as long. Milliseconds. */
const longestPauseMs = 61_000;

export interface WatchLimits {
  readonly perMinute: number;
  readonly slotCount: number;
}

/** The rules that hold at every step. Each method is called when something happens that could break one. */
export class Watch {
  readonly book: RuleBook;
  readonly traffic: Traffic;
  readonly secrets: SecretRules;
  readonly ids: IdRules;
  readonly #ground: Ground;
  readonly #limits: WatchLimits;
  /** The runs that have shown that connections may drop. */
  readonly #foretold = new WeakSet<SimulatedRun>();
  /** The operations that no response told a run of: requests of dead processes and other people's connections started them. */
  readonly unheard = new Set<string>();
  /** The runs of which the service has done a write, or may have. */
  readonly wrote = new WeakSet<SimulatedRun>();
  /** Endpoints that may be duplicates: a create of the same name came late, from a dead process, or arrived twice. */
  readonly createdLate = new Set<string>();
  /** The names of those creates. */
  readonly #createdLateAs = new Set<string>();
  /** When the last create or delete of a dead process has arrived. Virtual time. */
  lateWriteAt = Number.NEGATIVE_INFINITY;
  /** Whether a run has a reason to delete an endpoint or a branch of the programs. */
  mayDelete: (run: SimulatedRun, id: string) => boolean = () => true;

  constructor(ground: Ground, book: RuleBook, limits: WatchLimits, apiKey: string) {
    this.book = book;
    this.#ground = ground;
    this.#limits = limits;
    this.secrets = new SecretRules(ground, book, apiKey);
    this.ids = new IdRules(ground, book);
    this.traffic = new Traffic(ground, limits.perMinute, book);
  }

  /** A request is about to have its effect. */
  arrives(run: SimulatedRun, request: SentRequest): void {
    const { method, path, body } = request;
    this.traffic.arrives(run, request);
    if (method === 'GET') return;
    if (!run.isAlive && (method === 'DELETE' || /\/(endpoints|branches)$/.test(path)))
      this.lateWriteAt = trueTime();
    const [, id] = /\/(?:endpoints|branches)\/([^/?]+)/.exec(path) ?? [];
    if (id !== undefined && this.#ground.holds(id)) this.#checkTarget(run, request, id);
    if (body !== undefined) this.secrets.sent(run.name, body);
  }

  #checkTarget(run: SimulatedRun, { method, path }: SentRequest, id: string): void {
    this.book.check(
      'what others have is untouched',
      !this.#ground.isForeign(id),
      () => `${run.name} sent ${method} ${path}, to what another client has`,
    );
    if (method !== 'DELETE') return;
    this.book.check(
      'what is in use is not deleted',
      this.mayDelete(run, id),
      () => `${run.name} deletes ${id}, which it must keep`,
    );
  }

  /** The service has done the work of a write, which started these operations. */
  worked(run: SimulatedRun, request: SentRequest, started: readonly Operation[]): void {
    const isCreate = request.method === 'POST' && request.path.endsWith('/endpoints');
    for (const { endpoint_id = '' } of isCreate ? started : []) {
      this.traffic.noteCreated(run, endpoint_id);
      const [name = ''] = /"name":"[^"]*"/.exec(request.body ?? '') ?? [];
      if (!run.isAlive || request.isRepeated) this.#createdLateAs.add(name);
      if (this.#createdLateAs.has(name)) this.createdLate.add(endpoint_id);
    }
    this.#noteUnheard(run, request, started);
  }

  /** The id of the compute that the request has taken down, if the run had to foretell that. */
  findTakenDown(run: SimulatedRun, { method }: SentRequest, started: readonly Operation[]) {
    if (method === 'DELETE') return undefined;
    const suspended = started.find(({ action }) => action === 'suspend_compute')?.endpoint_id;
    if (suspended === undefined) return undefined;
    const wasDown = this.#ground
      .ownOperations()
      .some(
        ({ id, endpoint_id, action, status, updated_at }) =>
          endpoint_id === suspended &&
          Date.parse(updated_at) >= run.startedAt &&
          (action === 'suspend_compute' ? failedStatuses.includes(status) : this.unheard.has(id)),
      );
    return wasDown && this.book.excuse('it was down, or about to be') ? undefined : suspended;
  }

  checkForetold(run: SimulatedRun, takenDown: string): void {
    this.book.check(
      'a preview foretells what drops connections',
      this.#foretold.has(run),
      () => `${run.name} took down ${takenDown}`,
    );
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
    this.ids.delivered(run, request, served);
  }

  /** The user may see the text. */
  shown(run: SimulatedRun, text: string): void {
    // Or that it can't tell: the service has not answered in time.
    if (/drops? (its )?connections|connections (to )?drop|service is unknown/.test(text))
      this.#foretold.add(run);
    this.secrets.search(`a message of ${run.name}`, text);
  }

  written(run: SimulatedRun, stack: Stack): void {
    this.secrets.written(run.name, stack);
  }

  /** A call of the engine has ended. Writes of one project wait for each other, each with a time of its own. */
  callEnded(run: SimulatedRun, call: string, startedAt: number, timeoutSeconds: number): void {
    const tookMs = trueTime() - startedAt;
    const pausesMs = this.traffic.countRefused(run, startedAt) * longestPauseMs;
    const longestMs = timeoutSeconds * 1_000 * (2 * this.#limits.slotCount + 1) + longestCallMs + pausesMs;
    this.book.check(
      'calls end in time',
      tookMs <= longestMs,
      () => `${run.name}: ${call} took ${tookMs} ms, at most ${longestMs} ms are allowed`,
    );
  }
}

/** Whether the service itself has refused the request. The page of a proxy says nothing about its work. */
function isRefusal(served: Served): boolean {
  if (served.kind !== 'whole' || !served.body.startsWith('{')) return false;
  const { status } = served;
  return status >= 400 && status < 500 && status !== 408 && status !== 425;
}
