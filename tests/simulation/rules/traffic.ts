import { isEqual, maxBy } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import type { SimulatedRun } from '../engine/simulated-run';
import type { SentRequest } from '../network/network';
import type { Served } from '../service/in-process-reply';
import { trueTime } from '../time/virtual-time';
import type { Ground } from '../user/ground';
import type { Rule } from './rules';

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
  readonly #violate: (rule: Rule, what: string) => void;
  /** When the requests of each run arrived; those of one route under its name. */
  readonly #arrivals = new Map<SimulatedRun, Map<string, number[]>>();
  /** Until when a 429 has asked each run to wait. */
  readonly #pausedUntil = new Map<SimulatedRun, number>();
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

  constructor(ground: Ground, perMinute: number, violate: (rule: Rule, what: string) => void) {
    this.#ground = ground;
    this.#perMinute = perMinute;
    this.#violate = violate;
  }

  isChangedSince(endpointId: string, since: number): boolean {
    return (this.#changedAt.get(endpointId) ?? 0) >= since;
  }

  sent(run: SimulatedRun, { method, path }: SentRequest): void {
    // Several requests may be sent at the moment of the interruption.
    if (run.interruptedAt !== undefined && run.interruptedAt < trueTime())
      this.#violate('an interrupted run sends nothing', `${run.name} sent ${method} ${path}`);
    const pauseMs = (this.#pausedUntil.get(run) ?? 0) - trueTime();
    if (pauseMs > 0)
      this.#violate('Retry-After is respected', `${run.name} sent ${method} ${path} ${pauseMs} ms too early`);
  }

  /** A request is about to have its effect. */
  arrives(run: SimulatedRun, { method, path, body }: SentRequest): void {
    const route = `${method} ${path.replace(/\?.*/, '').replaceAll(/(\/[^/]+)\/[^/]+/g, '$1/{id}')}`;
    this.#countWithin(run, 'any route', this.#perMinute, minuteMs);
    this.#countWithin(run, route, mostPerSecondOnRoute, 1_000);
    if (method !== 'GET' && run.isReading)
      this.#violate('a preview changes nothing', `${run.name} sent ${method} ${path}`);
    if (method === 'PATCH') this.#changedAt.set(path.replace(/.*\//, ''), trueTime());
    const isOfEndpoint = path.includes('/endpoints/');
    if (method === 'PATCH' && isOfEndpoint && this.isUndisturbed) this.#findUnchanged(run, path, body);
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
    const names = this.#created.get(run) ?? new Map<string, number>();
    this.#created.set(run, names);
    const since = names.get(String(name)) ?? trueTime();
    names.set(String(name), since);
    const twin = this.#ground
      .own()
      .find((own) => own.name === name && Date.parse(own.created_at) >= since && own.type === 'read_only');
    if (!twin || type !== 'read_only' || this.#ground.isDeleting(twin.id)) return;
    // A create looks at a list of this age at most. Two processes that create at once each delete the younger endpoint.
    const creator = this.#creators.get(twin.id) ?? run;
    // A 429 has delayed the create since it looked. It deletes the younger endpoint then.
    if (creator !== run && this.countRefused(run, Date.parse(twin.created_at) - freshListMs) > 0) return;
    if (creator === run || trueTime() - Date.parse(twin.created_at) > freshListMs)
      this.#violate('nothing is created twice', `${run.name} creates another ${twin.id}`);
  }

  #findUnchanged(run: SimulatedRun, path: string, body = '{}'): void {
    const [, id] = /\/endpoints\/([^/]+)/.exec(path) ?? [];
    const held = this.#ground.own().find((own) => own.id === id);
    // A take-over that has nothing to change confirms by the name that the endpoint still exists.
    if (isEqual(readAttributes(body), { name: held?.name })) return;
    // After a failed apply_config, a take-over sends the values again, even if the service has them already.
    const applied = this.#ground
      .ownOperations()
      .filter(({ action, endpoint_id }) => action === 'apply_config' && endpoint_id === id);
    if ((maxBy(applied, 'created_at')?.status ?? 'finished') !== 'finished') return;
    for (const [name, value] of Object.entries(readAttributes(body)))
      if (held && isEqual(held[name as keyof Endpoint], value))
        this.#violate('only changes are sent', `${run.name} sent ${path} with the same ${name} as before`);
  }

  #countWithin(run: SimulatedRun, route: string, most: number, windowMs: number): void {
    const routes = this.#arrivals.get(run) ?? new Map<string, number[]>();
    this.#arrivals.set(run, routes);
    const times = routes.get(route) ?? [];
    routes.set(route, times);
    const now = trueTime();
    times.push(now);
    const earlier = times[times.length - 1 - most];
    if (earlier !== undefined && now - earlier < windowMs)
      this.#violate(
        'the rate limit holds',
        `${run.name} sent more than ${most} requests in ${windowMs} ms on ${route}`,
      );
  }
}

function readAttributes(body: string): Readonly<Record<string, unknown>> {
  return JSON.parse(body).endpoint;
}
