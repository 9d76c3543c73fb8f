import { isEqual } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import type { SimulatedRun } from '../engine/simulated-run';
import type { SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import { trueTime } from '../time/virtual-time';
import type { Ground } from '../user/ground';
import type { RuleBook } from './rule-book';

/** A create trusts a list of the endpoints for this long, as in create-once.ts. Milliseconds. */
const freshListMs = 5_000;
const minuteMs = 60_000;
const mostPerSecondOnRoute = 40;
/** A run that meets a lock pauses, or waits for the operations that lock the project. */
const mostLocked = { times: 20, withinMs: 5_000 };

/** The rules about the requests of a run. */
export class Traffic {
  readonly #ground: Ground;
  readonly #perMinute: number;
  readonly #book: RuleBook;
  /** When the requests of each run arrived; those of one route under its name. */
  readonly #arrivals = new Map<SimulatedRun, Map<string, number[]>>();
  /** Until when a 429 has asked each run to wait. */
  readonly #pausedUntil = new Map<SimulatedRun, number>();
  /** What runs have sent after they were interrupted. */
  readonly #sentLate = new Map<SimulatedRun, string>();
  /** When each run has received a 429. */
  readonly #refusedAt = new Map<SimulatedRun, number[]>();
  /** The names under which each run has created endpoints, and when it did so first. */
  readonly #created = new Map<SimulatedRun, Map<string, number>>();
  /** The run whose request has created each endpoint. */
  readonly #creators = new Map<string, SimulatedRun>();
  /** When the last PATCH of each endpoint arrived. */
  readonly #changedAt = new Map<string, number>();
  /** Whether nothing goes wrong in this round, so that no request has a reason to be repeated. */
  isUndisturbed = false;

  constructor(ground: Ground, perMinute: number, book: RuleBook) {
    this.#ground = ground;
    this.#perMinute = perMinute;
    this.#book = book;
  }

  isChangedSince(endpointId: string, since: number): boolean {
    return (this.#changedAt.get(endpointId) ?? 0) >= since;
  }

  sent(run: SimulatedRun, { method, path }: SentRequest): void {
    const now = trueTime();
    // Several requests may be sent at the moment of the interruption.
    if (run.interruptedAt !== undefined && run.interruptedAt < now)
      this.#sentLate.set(run, `${run.name} sent ${method} ${path}`);
    const pausedUntil = this.#pausedUntil.get(run);
    if (pausedUntil !== undefined)
      this.#book.check(
        'Retry-After is respected',
        pausedUntil <= now,
        () => `${run.name} sent ${method} ${path} ${pausedUntil - now} ms too early`,
      );
  }

  ended(run: SimulatedRun): void {
    const late = this.#sentLate.get(run);
    if (run.isInterrupted) this.#book.check('an interrupted run sends nothing', !late, () => late ?? '');
  }

  /** A request is about to have its effect. */
  arrives(run: SimulatedRun, { method, path, body }: SentRequest): void {
    const route = `${method} ${path.replace(/\?.*/, '').replaceAll(/(\/[^/]+)\/[^/]+/g, '$1/{id}')}`;
    this.#countWithin(run, 'any route', this.#perMinute, minuteMs);
    this.#countWithin(run, route, mostPerSecondOnRoute, 1_000);
    if (run.isReading)
      this.#book.check(
        'a preview changes nothing',
        method === 'GET',
        () => `${run.name} sent ${method} ${path}`,
      );
    if (method === 'PATCH') this.#changedAt.set(path.replace(/.*\//, ''), trueTime());
    if (method === 'PATCH' && this.isUndisturbed) this.#findUnchanged(run, path, body);
    if (method === 'POST' && path.endsWith('/endpoints')) this.#findTwin(run, body);
  }

  delivered(run: SimulatedRun, served: Served): void {
    if (served.kind === 'lost') return;
    if (served.status === 423) this.#countWithin(run, 'a lock', mostLocked.times, mostLocked.withinMs);
    if (served.status !== 429) return;
    const seconds = Number(served.headers['retry-after'] ?? 0);
    this.#pausedUntil.set(run, trueTime() + seconds * 1_000);
    this.#refusedAt.set(run, [...(this.#refusedAt.get(run) ?? []), trueTime()]);
  }

  /** How many requests of the run were refused with a 429 since then. */
  countRefused(run: SimulatedRun, since: number): number {
    return this.#refusedAt.get(run)?.filter((at) => at >= since).length ?? 0;
  }

  /** The service has created an endpoint. */
  noteCreated(run: SimulatedRun, endpointId: string): void {
    this.#creators.set(endpointId, run);
  }

  /** A second replica; the service itself refuses a second read_write endpoint. */
  #findTwin(run: SimulatedRun, body = '{}'): void {
    const { name, type } = readAttributes(body);
    if (type !== 'read_only') return;
    const names = this.#created.get(run) ?? new Map<string, number>();
    this.#created.set(run, names);
    const since = names.get(String(name)) ?? trueTime();
    names.set(String(name), since);
    const twin = this.#ground
      .own()
      .find((own) => own.name === name && own.type === type && Date.parse(own.created_at) >= since);
    this.#book.check(
      'nothing is created twice',
      !twin || this.#ground.isDeleting(twin.id) || this.#isUnseen(run, twin),
      () => `${run.name} creates another ${twin?.id}`,
    );
  }

  /** Whether the create of another process may not have been seen: a create looks at a list of this age at most. */
  #isUnseen(run: SimulatedRun, { id, created_at }: Endpoint): boolean {
    const createdAt = Date.parse(created_at);
    if ((this.#creators.get(id) ?? run) === run) return false;
    const isRefused = this.countRefused(run, createdAt - freshListMs) > 0;
    return (isRefused || trueTime() - createdAt <= freshListMs) && this.#book.excuse('looked before a pause');
  }

  #findUnchanged(run: SimulatedRun, path: string, body = '{}'): void {
    const [, id = ''] = /\/(?:endpoints|branches)\/([^/]+)/.exec(path) ?? [];
    const held = this.#ground.own().find((own) => own.id === id) ?? this.#ground.branches.find(id);
    const sent = readAttributes(body);
    // A failed configuration is sent again, although no value differs.
    if (!held || !this.#ground.isConfigured(id)) return;
    for (const [name, value] of Object.entries(sent))
      this.#book.check(
        'only changes are sent',
        !isEqual(held[name as keyof typeof held], value),
        () => `${run.name} sent ${path} with the same ${name} as before`,
      );
  }

  #countWithin(run: SimulatedRun, route: string, most: number, windowMs: number): void {
    const routes = this.#arrivals.get(run) ?? new Map<string, number[]>();
    this.#arrivals.set(run, routes);
    const times = routes.get(route) ?? [];
    routes.set(route, times);
    const now = trueTime();
    times.push(now);
    const earlier = times[times.length - 1 - most];
    if (earlier !== undefined)
      this.#book.check(
        'the rate limit holds',
        now - earlier >= windowMs,
        () => `${run.name} sent more than ${most} requests in ${windowMs} ms on ${route}`,
      );
  }
}

/** The attributes of the endpoint or the branch. */
function readAttributes(body: string): Readonly<Record<string, unknown>> {
  const { endpoint, branch } = JSON.parse(body);
  return endpoint ?? branch ?? {};
}
