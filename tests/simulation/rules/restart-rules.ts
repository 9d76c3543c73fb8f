import type { Endpoint, Operation } from 'postgres-control-emulator';
import { isUnsettled } from '../../../provider/src/lifecycle/resource-state';
import type { EngineResult } from '../engine/engine-failures';
import type { SimulatedRun } from '../engine/simulated-run';
import type { Stack, StoredResource } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { SlotPlan } from '../scenario/slot-plan';
import { trueTime } from '../time/virtual-time';
import { slotArguments } from '../user/declared-slot';
import type { Ground } from '../user/ground';
import type { RuleBook } from './rule-book';

/** What the rules need of the world. */
interface RuledWorld {
  readonly ground: Ground;
  readonly book: RuleBook;
  readonly stacks: readonly Stack[];
  declared(stack: Stack): readonly { readonly slot: number; readonly plan: SlotPlan }[];
  urnOf(stack: Stack, slot: number): string;
}

/** The arguments whose change takes a compute down. */
const disruptive = [
  'restartTriggers',
  'disabled',
  'branchId',
  'autoscalingLimitMinCu',
  'autoscalingLimitMaxCu',
] as const;

/** What a run found when it began. */
interface Found {
  readonly state: readonly StoredResource[];
  /** The computes that were neither active nor starting. */
  readonly idle: ReadonlySet<string>;
}

/** The rules of restarts about one request or one run, by what the state knew when it began. */
export class RestartRules {
  readonly #world: RuledWorld;
  /** When each endpoint was last taken down, by whomever. Virtual time. */
  readonly #downAt = new Map<string, number>();
  /** The latest suspension of each endpoint by each run. */
  readonly #suspensions = new Map<SimulatedRun, Map<string, Operation>>();
  /** Since when each slot has declared its trigger. Virtual time. */
  readonly #declaredAt = new Map<number, { readonly trigger: string | undefined; readonly since: number }>();
  readonly #found = new Map<SimulatedRun, Found>();
  /** Whether a run has broken off since the last repair. */
  hasBrokenOff = false;
  /** The idle computes that runs have started without a reason that the state knows. */
  readonly #started = new Map<SimulatedRun, string>();

  constructor(world: RuledWorld) {
    this.#world = world;
  }

  /** The programs of a round are declared. */
  declare(plans: readonly SlotPlan[]): void {
    for (const [slot, { trigger }] of plans.entries())
      if (!this.#declaredAt.has(slot) || this.#declaredAt.get(slot)?.trigger !== trigger)
        this.#declaredAt.set(slot, { trigger, since: trueTime() });
  }

  /** Other people have changed an endpoint. A request on its way changes it back, which may take it down again. */
  changedByOthers(id: string): void {
    for (const suspensions of this.#suspensions.values()) suspensions.delete(id);
  }

  begin(run: SimulatedRun): void {
    const { ground, stacks } = this.#world;
    const isIdle = ({ current_state, pending_state = current_state }: Endpoint) => pending_state === 'idle';
    const idle = new Set(
      ground
        .own()
        .filter(isIdle)
        .map(({ id }) => id),
    );
    this.#found.set(run, { idle, state: stacks.flatMap(({ state }) => state.resources) });
  }

  /** The service has done the work of a write, which started these operations. */
  worked(run: SimulatedRun, { method, path }: SentRequest, started: readonly Operation[]): void {
    const [, id, verb] = /\/endpoints\/([^/]+)\/(suspend|start)$/.exec(path) ?? [];
    // A compute that is down already counts as taken down.
    if (id !== undefined && verb === 'suspend') this.#downAt.set(id, trueTime());
    if (id !== undefined && verb === 'start' && started.length > 0) this.#checkStart(run, id);
    const suspension = started.find(({ action }) => action === 'suspend_compute');
    if (suspension && method !== 'DELETE') this.#checkSuspension(run, suspension, verb === 'suspend');
  }

  #checkSuspension(run: SimulatedRun, suspension: Operation, isAsked: boolean): void {
    const { endpoint_id: id = '' } = suspension;
    const { book, ground } = this.#world;
    this.#downAt.set(id, trueTime());
    if (isAsked)
      book.check(
        'restarts are declared',
        this.#isOwed(id),
        () => `${run.name} takes down ${id}, though the state has what is declared, and records nothing`,
      );
    const own = this.#suspensions.get(run) ?? new Map<string, Operation>();
    this.#suspensions.set(run, own);
    const earlier = own.get(id);
    own.set(id, suspension);
    const isRepeated =
      earlier && ground.ownOperations().some((each) => each.id === earlier.id && each.status === 'finished');
    book.check('restarts are declared', !isRepeated, () => `${run.name} takes down ${id} twice`);
  }

  /** A run that has not taken down an idle compute, and owes it nothing, leaves it idle. */
  #checkStart(run: SimulatedRun, id: string): void {
    const { state, idle } = this.#found.get(run) ?? { state: [], idle: new Set() };
    const stored = state.find((each) => each.id === id);
    const isTouched = this.#suspensions.get(run)?.has(id) || (this.#downAt.get(id) ?? 0) >= run.startedAt;
    if (!idle.has(id) || !stored || isTouched || isOpen(stored)) return;
    this.#started.set(run, id);
  }

  /** Whether the program differs from the state in what takes a compute down, or the state records something open. */
  #isOwed(id: string): boolean {
    const world = this.#world;
    for (const stack of world.stacks)
      for (const { slot, plan } of world.declared(stack)) {
        const stored = stack.state.resources.find((each) => each.id === id);
        if (!stored || stored.urn !== world.urnOf(stack, slot)) continue;
        const declared: Record<string, unknown> = slotArguments(world.ground, slot, plan);
        const differs = (name: string, { values }: StoredResource['inputs']) =>
          textOf(declared[name]) !== textOf(values[name]);
        const isChanged = disruptive.some((name) => differs(name, stored.inputs));
        // After a failed update, the state has the old inputs and the new outputs.
        return isChanged || differs('restartTriggers', stored.outputs) || isOpen(stored);
      }
    return false;
  }

  /** A run has ended. A restart that an update has stored as done has happened. */
  end(run: SimulatedRun, { isSuccess, steps }: EngineResult): void {
    const { state, idle } = this.#found.get(run) ?? { state: [], idle: new Set<string>() };
    this.#found.delete(run);
    if (!isSuccess || run.isCutOff) {
      this.hasBrokenOff = true;
      return;
    }
    const world = this.#world;
    for (const stack of world.stacks)
      for (const { slot, plan } of world.declared(stack)) {
        const urn = world.urnOf(stack, slot);
        const endpoint = world.ground.own(slot).find(({ id }) => id === stack.find(urn)?.id);
        const earlier = state.find((each) => each.urn === urn && each.id === endpoint?.id);
        // A forced replacement may take over what it was to replace: like every create, it starts the compute.
        if (!endpoint || !earlier || steps.includes(`create ${urn}`)) continue;
        if (idle.has(endpoint.id) && !isOpen(earlier))
          world.book.check(
            'an idle compute stays idle',
            this.#started.get(run) !== endpoint.id ||
              (this.hasBrokenOff && world.book.excuse('the state lacks the start')),
            () => `${run.name} started ${endpoint.id}`,
          );
        if (!steps.includes(`update ${urn}`)) continue;
        if (plan.isWaiting && !plan.isStopped) this.#checkUpdated(run, { slot, plan }, earlier, endpoint);
      }
  }

  #checkUpdated(
    run: SimulatedRun,
    { slot, plan }: { readonly slot: number; readonly plan: SlotPlan },
    earlier: StoredResource,
    { id, branch_id, current_state }: Endpoint,
  ): void {
    const { ground, book } = this.#world;
    // After a failure, the engine keeps the old inputs.
    const isMoved = earlier.inputs.values.branchId !== branch_id;
    if (ground.wasAutosuspended(id) || isMoved || current_state !== 'active') return;
    const { since = 0 } = this.#declaredAt.get(slot) ?? {};
    const declared: Record<string, unknown> = slotArguments(ground, slot, plan);
    if (textOf(declared.restartTriggers) === textOf(earlier.inputs.values.restartTriggers)) return;
    book.check(
      'a declared restart happens',
      (this.#downAt.get(id) ?? 0) >= since,
      () => `${run.name} has not restarted ${id}`,
    );
  }
}

/** Whether the state records something that is not done. */
function isOpen({ hasInitErrors, outputs }: StoredResource): boolean {
  return hasInitErrors || isUnsettled(outputs.values);
}

/** Without the marks of secrets, which the state keeps apart. */
function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, each) =>
    each && typeof each === 'object' && '$secret' in each ? each.$secret : each,
  );
}
