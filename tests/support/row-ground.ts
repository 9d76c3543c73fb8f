import type { Endpoint, InjectedFault, NewEndpointAttributes } from 'postgres-control-emulator';
import { expect } from 'vitest';
import type { SentRequest } from '../simulation/network/network';
import type { Deed, Round, Row } from './row';
import { type ProviderProcess, VirtualService } from './virtual-service';

/** How long the operations of other people's requests take. Milliseconds. */
export const settleMs = 10_000;
const yearMs = 365 * 24 * 60 * 60 * 1_000;

/** The kind of a request, such as `PATCH endpoint`, `POST endpoints` or `POST suspend`. */
function kindOf({ method, path }: { method: string; path: string }): string {
  const segments = path.split('?')[0]?.split('/').slice(1) ?? [];
  const isOfOne = segments.length % 2 === 0;
  const last = isOfOne ? segments.at(-2)?.slice(0, -1) : segments.at(-1);
  return `${method} ${last}`;
}

/** The service of a row, with two empty branches, and what other people do there. */
export class RowGround {
  readonly service: VirtualService;
  readonly projectId: string;
  /** The endpoint of the program, also when no state has it. */
  endpointId = '';
  /** By name. */
  readonly #branchIds: ReadonlyMap<string, string>;
  /** The endpoints of other people, as they have created them. */
  readonly #foreign: Endpoint[] = [];
  #faults: readonly InjectedFault[] = [];

  constructor(options: Row['service']) {
    this.service = new VirtualService({ operationMs: 1_000, ...options });
    const { emulator } = this.service;
    this.projectId = emulator.createProject().id;
    this.#branchIds = new Map(
      ['own', 'other'].map((name) => [name, emulator.createBranch(this.projectId, { name }).id]),
    );
  }

  /** The id of the branch of that name; another value as it is. */
  branchId(name: unknown): unknown {
    return this.#branchIds.get(name as string) ?? name;
  }

  /** The faults of the round, instead of those of the one before. */
  inject(faults: Round['faults'] = []): void {
    for (const fault of this.#faults) fault.clear();
    this.#faults = faults.map((fault) => this.service.emulator.inject(fault));
  }

  /** Makes happen what is to happen during the command, each once. */
  await({ others = [], cutOff }: Round, process: ProviderProcess): void {
    const cut = () => (cutOff?.how === 'killed' ? process.kill() : process.interrupt());
    const events = [
      ...others.flatMap((deed) => (deed.at ? [{ at: deed.at, happen: () => this.do(deed) }] : [])),
      ...(cutOff ? [{ at: cutOff, happen: cut }] : []),
    ];
    const startThoseAfter = (kind: string | undefined) => {
      for (const event of events.filter(({ at }) => at.after === kind)) {
        events.splice(events.indexOf(event), 1);
        setTimeout(event.happen, event.at.ms ?? 0);
      }
    };
    startThoseAfter(undefined);
    this.service.onWork = (request: SentRequest) => startThoseAfter(kindOf(request));
  }

  do(deed: Deed): void {
    const { emulator } = this.service;
    const id = this.held()[0]?.id ?? this.endpointId;
    const path = `/projects/${this.projectId}/endpoints/${id}`;
    if (deed.does === 'create') this.#create(deed.endpoint);
    else if (deed.does === 'change') emulator.changeEndpoint(id, deed.to);
    else if (deed.does === 'delete') emulator.deleteEndpoint(id);
    else if (deed.does === 'connect') emulator.connect(id);
    else if (deed.does === 'lock') setTimeout(emulator.lockProject(this.projectId), deed.forMs);
    else if (deed.does === 'patch') void this.service.request('PATCH', path, { endpoint: deed.body });
    else void this.service.request('POST', `${path}/${deed.does}`);
  }

  #create(endpoint: Omit<NewEndpointAttributes, 'branch_id'>): void {
    const place = { branch_id: this.#branchIds.get('own') ?? '' };
    const { emulator } = this.service;
    const foreign = emulator.createEndpoint(this.projectId, { ...endpoint, ...place }, { ageMs: yearMs });
    this.#foreign.push(foreign);
    this.endpointId ||= foreign.id;
  }

  /** How many requests of the kind were sent after so many others. */
  count(kind: string, after: number): number {
    const requests = this.service.emulator.requests().slice(after);
    return requests.filter((request) => kindOf(request) === kind).length;
  }

  /** How often the connections of the endpoint dropped. */
  get drops(): number {
    return this.endpointId ? this.service.emulator.connectionDrops(this.endpointId) : 0;
  }

  /** The endpoints of the program: all but those of other people, unless it has taken one over. */
  held(takenOver = ''): Endpoint[] {
    const branchIds = [...this.#branchIds.values()];
    const isForeign = (id: string) => id !== takenOver && this.#foreign.some((each) => each.id === id);
    return this.service.emulator
      .endpoints()
      .filter(({ id, branch_id }) => branchIds.includes(branch_id) && !isForeign(id));
  }

  /** What other people have is as they left it. */
  checkForeign(takenOver = ''): void {
    for (const { id, name, branch_id, settings, autoscaling_limit_max_cu } of this.#foreign)
      if (id !== takenOver)
        expect(this.service.emulator.endpoints().find((endpoint) => endpoint.id === id)).toMatchObject({
          ...{ branch_id, settings, autoscaling_limit_max_cu },
          ...(name && { name }),
        });
  }
}
