import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from './diagnostics';
import {
  CallError,
  checkProgram,
  type Door,
  type EngineCalls,
  type Program,
  type ResourceState,
  runPreview,
  runRefresh,
  runReplacement,
  runUp,
} from './door';
import { pluginDoor } from './plugin-door';
import type { Round, Row } from './row';
import { RowGround, settleMs } from './row-ground';
import { doors } from './start-door';
import type { ProviderProcess } from './virtual-service';

/** Ctrl-C kills the host of dynamic providers, while the plugin is told to end. */
const isInterrupted = ({ rounds }: Row) => rounds.some(({ cutOff }) => cutOff?.how === 'interrupted');

/** Runs each row through both adapters, if they can have it. */
export function checkRows(rows: readonly Row[]): void {
  const shown = collectDiagnostics();
  describe.each(doors)('with %s', (_name, door) => {
    for (const row of rows.filter((each) => door === pluginDoor || !isInterrupted(each)))
      it(row.title, () => new RowRun(row, door, shown).run());
  });
}

/** What the user has: a stack with one endpoint, or none yet. */
class RowRun {
  readonly #row: Row;
  readonly #door: Door;
  readonly #ground: RowGround;
  /** What the provider has shown in this round. */
  readonly #shown: string[];
  #state: ResourceState | undefined;
  #given: Pick<Round, 'program' | 'secrets'> = {};
  #sent = 0;

  constructor(row: Row, door: Door, shown: string[]) {
    this.#row = row;
    this.#door = door;
    this.#shown = shown;
    this.#ground = new RowGround(row.service);
  }

  async run(): Promise<void> {
    const { rounds } = this.#row;
    for (const round of rounds) await this.#runRound(round);
    this.#ground.inject();
    const { requests = {}, drops } = this.#row.expect;
    for (const [kind, count] of Object.entries(requests))
      expect([kind, this.#ground.count(kind, this.#sent)]).toEqual([kind, count]);
    this.#checkService();
    expect(this.#ground.drops).toBe(drops);
    const { command = 'up', ...last } = rounds.at(-1) ?? {};
    const isDone = !['destroy', 'preview'].includes(command) && last.message === undefined;
    if (isDone && this.#given.program?.waitForOperations !== false) await this.#checkSettled(last);
  }

  async #runRound(round: Round): Promise<void> {
    const { service } = this.#ground;
    if (round.program) this.#given = round;
    await sleep(round.idleMs ?? 0);
    this.#ground.inject(round.faults);
    for (const deed of round.others?.filter(({ at }) => !at) ?? []) {
      this.#ground.do(deed);
      await sleep(settleMs);
    }
    this.#sent = service.emulator.requests().length;
    this.#shown.length = 0;
    const process = service.startProcess();
    const calls = await this.#start(process, round);
    this.#ground.await(round, process);
    const startedAt = performance.now();
    const outcome = await Promise.race([
      this.#command(round, calls).catch((error: unknown) => error),
      process.died.then(() => 'killed'),
    ]);
    expect(performance.now() - startedAt).toBeLessThanOrEqual(round.withinMs ?? Number.POSITIVE_INFINITY);
    service.onWork = () => {};
    if (round.cutOff?.how === 'killed') expect(outcome).toBe('killed');
    else if (round.message === undefined) this.#state = succeeded(outcome);
    else this.#state = failed(outcome, round.message) ?? this.#state;
    this.#ground.endpointId = this.#state?.id ?? this.#ground.held()[0]?.id ?? this.#ground.endpointId;
    this.#checkShown(round, outcome);
  }

  #start(process: ProviderProcess, { config = {} }: Round): Promise<EngineCalls> {
    const environment = {
      POSTGRES_COMPUTE_BASE_URL: process.baseUrl,
      POSTGRES_COMPUTE_API_KEY: this.#ground.service.apiKey,
    };
    return this.#door.start({ environment, signal: process.signal }, config);
  }

  async #command({ command = 'up', timeoutSeconds }: Round, calls: EngineCalls) {
    const state = this.#state;
    const program = this.#program(timeoutSeconds);
    if (command === 'up') return runUp(calls, program, state);
    if (command === 'preview') {
      await (state ? runPreview(calls, program, state) : checkProgram(calls, program));
      return state;
    }
    if (!state) throw new Error(`There is nothing in state to ${command}.`);
    if (command === 'replace') return runReplacement(calls, program, state);
    if (command === 'refresh') return (await runRefresh(calls, state)).state;
    const declared = { ...state.declared, timeoutSeconds };
    return calls.delete({ ...state, declared });
  }

  #program(timeoutSeconds?: number): Program {
    const { program = {}, secrets } = this.#given;
    const args = {
      ...{ projectId: this.#ground.projectId, type: 'read_write' },
      ...{ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 1 },
      ...program,
      branchId: this.#ground.branchId(program.branchId ?? 'own'),
    };
    // A row may give what is wrong.
    return { args: args as Program['args'], timeoutSeconds, ...(secrets && { secrets }) };
  }

  #checkShown({ shows = [], hides }: Round, outcome: unknown): void {
    const shown = this.#shown.join('');
    for (const part of shows) expect(shown).toMatch(part);
    const all = outcome instanceof Error ? `${outcome.message}\n${shown}` : shown;
    if (hides) expect(all).not.toMatch(hides);
  }

  /** The service has exactly the endpoint that is in state, and what other people have. */
  #checkService(): void {
    const { state = { current_state: 'active' } } = this.#row.expect;
    const held = this.#ground.held(this.#state?.id);
    expect(held.map(({ id }) => id)).toEqual(this.#state ? [this.#state.id] : []);
    if (state === 'nothing') expect(held).toEqual([]);
    else expect(held).toMatchObject([state]);
    this.#ground.checkForeign(this.#state?.id);
  }

  /** Nothing is left to do: a refresh finds no change, and the next preview is empty. */
  async #checkSettled(last: Round): Promise<void> {
    const state = this.#state;
    if (!state) return;
    expect(state.outputs).not.toHaveProperty('unsettledOperations');
    const calls = await this.#start(this.#ground.service.startProcess(), last);
    const program = this.#program(last.timeoutSeconds);
    expect(await runPreview(calls, program, state)).toMatchObject({ hasChanges: false });
    await sleep(settleMs); // A read may be late.
    expect(await runRefresh(calls, state)).toMatchObject({ hasChanges: false });
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
