import { setTimeout as sleep } from 'node:timers/promises';
import type { InjectedFault } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import type { EndpointInputs } from '../../provider/src/endpoint/endpoint-inputs';
import type { SentRequest } from '../simulation/network';
import {
  CallError,
  type Door,
  type EngineCalls,
  type Program,
  type ResourceState,
  runPreview,
  runRefresh,
  runUp,
} from './door';
import type { Deed, Moment, Round, Row } from './row';
import { doors } from './start-door';
import { type ProviderProcess, VirtualService } from './virtual-service';

/** How long the operations of other people's requests take. Milliseconds. */
const settleMs = 10_000;

/** Runs each row through both adapters. */
export function checkRows(rows: readonly Row[]): void {
  describe.each(doors)('with %s', (_name, door) => {
    for (const row of rows) it(row.title, () => new RowRun(row, door).run());
  });
}

/** The kind of a request, such as `PATCH endpoint`, `POST endpoints` or `POST suspend`. */
function kindOf({ method, path }: { method: string; path: string }): string {
  const segments = path.split('?')[0]?.split('/').slice(1) ?? [];
  const isOfOne = segments.length % 2 === 0;
  const last = isOfOne ? segments.at(-2)?.slice(0, -1) : segments.at(-1);
  return `${method} ${last}`;
}

/** What the user has: a stack with one endpoint, or none yet. */
class RowRun {
  readonly #row: Row;
  readonly #door: Door;
  readonly #service: VirtualService;
  readonly #projectId: string;
  /** By name. */
  readonly #branchIds: ReadonlyMap<string, string>;
  #state: ResourceState | undefined;
  #args: Partial<EndpointInputs> = {};
  /** The endpoint, also when no state has it. */
  #endpointId = '';
  #sent = 0;
  #faults: readonly InjectedFault[] = [];

  constructor(row: Row, door: Door) {
    this.#row = row;
    this.#door = door;
    this.#service = new VirtualService({ operationMs: 1_000, ...row.service });
    const { emulator } = this.#service;
    this.#projectId = emulator.createProject().id;
    this.#branchIds = new Map(
      ['own', 'other'].map((name) => [name, emulator.createBranch(this.#projectId, { name }).id]),
    );
  }

  async run(): Promise<void> {
    const { rounds } = this.#row;
    for (const round of rounds) await this.#runRound(round);
    this.#clearFaults();
    const { requests = {}, drops } = this.#row.expect;
    const last = this.#service.emulator.requests().slice(this.#sent);
    for (const [kind, count] of Object.entries(requests))
      expect([kind, last.filter((each) => kindOf(each) === kind).length]).toEqual([kind, count]);
    this.#checkService();
    expect(this.#service.emulator.connectionDrops(this.#endpointId)).toBe(drops);
    const isDone = rounds.at(-1)?.command !== 'destroy' && rounds.at(-1)?.message === undefined;
    if (isDone && this.#args.waitForOperations !== false)
      await this.#checkSettled(rounds.at(-1)?.timeoutSeconds);
  }

  async #runRound(round: Round): Promise<void> {
    const { emulator } = this.#service;
    this.#args = round.program ?? this.#args;
    await sleep(round.idleMs ?? 0);
    this.#clearFaults();
    this.#faults = (round.faults ?? []).map((fault) => emulator.inject(fault));
    for (const deed of round.others?.filter(({ at }) => !at) ?? []) {
      this.#do(deed);
      await sleep(settleMs);
    }
    this.#sent = emulator.requests().length;
    const process = this.#service.startProcess();
    this.#await(round, process);
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: process.baseUrl,
      POSTGRES_COMPUTE_API_KEY: this.#service.apiKey,
    };
    const calls = await this.#door.start({ environment, signal: process.signal });
    const outcome = await Promise.race([
      this.#command(round, calls).catch((error: unknown) => error),
      process.died.then(() => 'killed'),
    ]);
    this.#service.onWork = () => {};
    this.#endpointId = this.#held()[0]?.id ?? this.#endpointId;
    if (round.cutOff?.how === 'killed') expect(outcome).toBe('killed');
    else if (round.message === undefined) this.#state = succeeded(outcome);
    else this.#state = failed(outcome, round.message) ?? this.#state;
  }

  #clearFaults(): void {
    for (const fault of this.#faults) fault.clear();
  }

  async #command({ command = 'up', timeoutSeconds }: Round, calls: EngineCalls) {
    const state = this.#state;
    if (command === 'up') return runUp(calls, this.#program(timeoutSeconds), state);
    if (!state) throw new Error(`There is nothing in state to ${command}.`);
    if (command === 'refresh') return (await runRefresh(calls, state)).state;
    const declared = { ...state.declared, timeoutSeconds };
    return calls.delete({ ...state, declared });
  }

  #program(timeoutSeconds?: number): Program {
    const { branchId = 'own', ...args } = this.#args;
    const size = { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 1 };
    const place = { projectId: this.#projectId, branchId: this.#branchIds.get(branchId) ?? 'br-nowhere-1' };
    return { args: { type: 'read_write', ...size, ...place, ...args }, timeoutSeconds };
  }

  /** Makes happen what is to happen during the command, each once. */
  #await({ others = [], cutOff }: Round, process: ProviderProcess): void {
    const cut = () => (cutOff?.how === 'killed' ? process.kill() : process.interrupt());
    const events = [
      ...others.flatMap((deed) => (deed.at ? [{ at: deed.at, happen: () => this.#do(deed) }] : [])),
      ...(cutOff ? [{ at: cutOff as Moment, happen: cut }] : []),
    ];
    this.#service.onWork = (request: SentRequest) => {
      for (const event of events.filter(({ at }) => at.after === kindOf(request))) {
        events.splice(events.indexOf(event), 1);
        setTimeout(event.happen, event.at.ms ?? 0);
      }
    };
  }

  #do(deed: Deed): void {
    const { emulator } = this.#service;
    const id = this.#held()[0]?.id ?? this.#endpointId;
    const path = `/projects/${this.#projectId}/endpoints/${id}`;
    if (deed.does === 'change') emulator.changeEndpoint(id, deed.to);
    else if (deed.does === 'delete') emulator.deleteEndpoint(id);
    else if (deed.does === 'connect') emulator.connect(id);
    else if (deed.does === 'operate')
      emulator.addOperation(this.#projectId, { endpointId: id, ...deed.operation });
    else if (deed.does === 'lock') setTimeout(emulator.lockProject(this.#projectId), deed.forMs);
    else if (deed.does === 'patch') void this.#service.request('PATCH', path, { endpoint: deed.body });
    else void this.#service.request('POST', `${path}/${deed.does}`);
  }

  #held() {
    const branchIds = [...this.#branchIds.values()];
    return this.#service.emulator.endpoints().filter(({ branch_id }) => branchIds.includes(branch_id));
  }

  /** The service has exactly the endpoint that is in state. */
  #checkService(): void {
    const { state = { current_state: 'active' } } = this.#row.expect;
    const held = this.#held();
    expect(held.map(({ id }) => id)).toEqual(this.#state ? [this.#state.id] : []);
    if (state === 'nothing') expect(held).toEqual([]);
    else expect(held).toMatchObject([state]);
  }

  /** Nothing is left to do: the next preview is empty. */
  async #checkSettled(timeoutSeconds: number | undefined): Promise<void> {
    const state = this.#state;
    if (!state) return;
    expect(state.outputs).not.toHaveProperty('unsettledOperations');
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: this.#service.startProcess().baseUrl,
      POSTGRES_COMPUTE_API_KEY: this.#service.apiKey,
    };
    const calls = await this.#door.start({ environment });
    expect(await runPreview(calls, this.#program(timeoutSeconds), state)).toMatchObject({
      hasChanges: false,
    });
  }
}

function succeeded(outcome: unknown): ResourceState | undefined {
  if (outcome instanceof Error) throw outcome;
  return outcome as ResourceState | undefined; // What the command returned.
}

function failed(outcome: unknown, message: string | RegExp): ResourceState | undefined {
  expect(outcome).toBeInstanceOf(CallError);
  const { message: shown, state } = outcome as CallError; // As was just checked.
  expect(shown).toMatch(message);
  return state;
}
