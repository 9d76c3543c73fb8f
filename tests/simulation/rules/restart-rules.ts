import type { Endpoint, Operation } from 'postgres-control-emulator';
import { unsettledOutputs } from '../../../provider/src/lifecycle/resource-state';
import type { EngineResult } from '../engine/engine-failures';
import type { SimulatedRun } from '../engine/simulated-run';
import type { Stack, StoredResource } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { SlotPlan } from '../scenario/slot-plan';
import { trueTime } from '../time/virtual-time';
import { slotArguments } from '../user/declared-slot';
import type { Ground } from '../user/ground';
import type { Watch } from './watch';

/** What the rules need of the world. */
interface RuledWorld {
  readonly ground: Ground;
  readonly watch: Watch;
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

/**
 * The rules of restarts, each about one request or one run, and about what the state knew when it began. None compares counts over
 * a round, so none needs to know what went wrong in it.
 */
export class RestartRules {
  readonly #world: RuledWorld;
  /** When each endpoint was last taken down, by whomever. Virtual time. */
  readonly #downAt = new Map<string, number>();
  /** The latest suspension of each endpoint by each run. */
  readonly #times = new Map<SimulatedRun, Map<string, Operation>>();
  /** Since when each slot has declared its trigger. Virtual time. */
  readonly #declaredAt = new Map<number, { readonly trigger: string | undefined; readonly since: number }>();
  readonly #before = new Map<SimulatedRun, readonly StoredResource[]>();

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
    for (const times of this.#times.values()) times.delete(id);
  }

  begin(run: SimulatedRun): void {
    this.#before.set(
      run,
      this.#world.stacks.flatMap(({ state }) => state.resources),
    );
  }

  /** The service has done the work of a write, which started these operations. */
  worked(run: SimulatedRun, { method, path }: SentRequest, started: readonly Operation[]): void {
    // A compute that is down already counts as taken down.
    const [, requested] = /\/endpoints\/([^/]+)\/suspend$/.exec(path) ?? [];
    if (requested !== undefined) this.#downAt.set(requested, trueTime());
    const suspension = started.find(({ action }) => action === 'suspend_compute');
    const id = suspension?.endpoint_id;
    if (!suspension || id === undefined || method === 'DELETE') return;
    this.#downAt.set(id, trueTime());
    if (path.endsWith('/suspend') && !this.#isOwed(id))
      this.#world.watch.violate(
        'restarts are declared',
        `${run.name} takes down ${id}, though the state has what the program declares, and records nothing`,
      );
    const times = this.#times.get(run) ?? new Map<string, Operation>();
    this.#times.set(run, times);
    const earlier = times.get(id);
    times.set(id, suspension);
    if (earlier && this.#statusOf(earlier) === 'finished')
      this.#world.watch.violate('restarts are declared', `${run.name} takes down ${id} twice`);
  }

  #statusOf({ id }: Operation): string | undefined {
    return this.#world.ground.ownOperations().find((each) => each.id === id)?.status;
  }

  /** Whether the program differs from the state in what takes a compute down, or the state records something open. */
  #isOwed(id: string): boolean {
    const world = this.#world;
    for (const stack of world.stacks)
      for (const { slot, plan } of world.declared(stack)) {
        const stored = stack.state.resources.find((each) => each.id === id);
        if (!stored || stored.urn !== world.urnOf(stack, slot)) continue;
        if (
          stored.hasInitErrors ||
          unsettledOutputs.some((name) => stored.outputs.values[name] !== undefined)
        )
          return true;
        const declared: Record<string, unknown> = slotArguments(world.ground, slot, plan);
        return disruptive.some((name) => textOf(declared[name]) !== textOf(stored.inputs.values[name]));
      }
    return false;
  }

  /** A run has ended. A restart that an update has stored as done has happened. */
  end(run: SimulatedRun, { isSuccess, steps }: EngineResult): void {
    const before = this.#before.get(run) ?? [];
    this.#before.delete(run);
    if (!isSuccess || run.isCutOff) return;
    for (const stack of this.#world.stacks)
      for (const { slot, plan } of this.#world.declared(stack)) {
        const urn = this.#world.urnOf(stack, slot);
        const stored = stack.find(urn);
        const endpoint = this.#world.ground.own(slot).find(({ id }) => id === stored?.id);
        if (!steps.includes(`update ${urn}`) || !endpoint || !plan.isWaiting || plan.isStopped) continue;
        const earlier = before.find((each) => each.urn === urn && each.id === endpoint.id);
        if (earlier) this.#checkUpdated(run, { slot, plan }, earlier, endpoint);
      }
  }

  #checkUpdated(
    run: SimulatedRun,
    { slot, plan }: { readonly slot: number; readonly plan: SlotPlan },
    earlier: StoredResource,
    endpoint: Endpoint,
  ): void {
    const { id, branch_id, current_state } = endpoint;
    const { ground, watch } = this.#world;
    // After a failure, the engine keeps the old inputs.
    const isMoved = earlier.inputs.values.branchId !== branch_id;
    if (ground.wasAutosuspended(id) || isMoved) return;
    const { since = 0 } = this.#declaredAt.get(slot) ?? {};
    const declared: Record<string, unknown> = slotArguments(ground, slot, plan);
    const isNew = textOf(declared.restartTriggers) !== textOf(earlier.inputs.values.restartTriggers);
    if (isNew && current_state === 'active' && (this.#downAt.get(id) ?? 0) < since)
      watch.violate('a declared restart happens', `${run.name} has not restarted ${id}`);
  }
}

/** Without the marks of secrets, which the state keeps apart. */
function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, each) =>
    each && typeof each === 'object' && '$secret' in each ? each.$secret : each,
  );
}
