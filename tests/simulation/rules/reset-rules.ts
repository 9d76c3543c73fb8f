import type { Operation } from 'postgres-control-emulator';
import { failedStatuses } from '../../support/operation';
import type { EngineResult } from '../engine/engine-failures';
import type { SimulatedRun } from '../engine/simulated-run';
import type { Stack, StoredResource } from '../engine/stack';
import type { SentRequest } from '../network/network';
import type { BranchPlan } from '../scenario/branch-plan';
import type { Ground } from '../user/ground';
import type { RuleBook } from './rule-book';

/** What the rules need of the world. */
interface RuledWorld {
  readonly ground: Ground;
  readonly book: RuleBook;
  readonly stacks: readonly Stack[];
  declaredBranches(stack: Stack): readonly { readonly slot: number; readonly plan: BranchPlan }[];
  branchUrnOf(stack: Stack, slot: number): string;
}

/** A reset that the service has accepted. */
interface Reset {
  readonly trigger: BranchPlan['trigger'];
  readonly operationId: string;
  /** Whether its process had died before. */
  readonly isLate: boolean;
}

/** The rules of resets: none without permission, one for each change of the triggers, and none left out. */
export class ResetRules {
  readonly #world: RuledWorld;
  readonly #latest = new Map<string, Reset>();
  readonly #found = new Map<SimulatedRun, readonly StoredResource[]>();

  constructor(world: RuledWorld) {
    this.#world = world;
  }

  begin(run: SimulatedRun): void {
    this.#found.set(
      run,
      this.#world.stacks.flatMap(({ state }) => state.resources),
    );
  }

  /** The service has done the work of a write, which started these operations. */
  worked(run: SimulatedRun, request: SentRequest, started: readonly Operation[]): void {
    const [, id = ''] = /\/branches\/([^/]+)\/restore$/.exec(request.path) ?? [];
    const copy = started.find(({ action, branch_id }) => action === 'create_branch' && branch_id === id);
    if (!copy) return;
    const { ground, book } = this.#world;
    const { branches } = ground;
    const slot = branches.slotOf(id) ?? -1;
    const plan = branches.plans[slot];
    if (run.isAlive)
      book.check(
        'a reset is permitted',
        plan?.allowsDataLoss === true || branches.allowed.has(slot),
        () => `${run.name} resets ${id}, which may not lose its data`,
      );
    const earlier = this.#latest.get(id);
    const reset = {
      trigger: plan?.trigger,
      operationId: copy.id,
      isLate: !run.isAlive || request.isRepeated === true,
    };
    this.#latest.set(id, reset);
    if (earlier?.trigger !== reset.trigger) return;
    const isRepeated = !ground
      .ownOperations()
      .some((each) => each.id === earlier?.operationId && failedStatuses.includes(each.status));
    const isExcused = (earlier?.isLate || reset.isLate) && book.excuse('reset by a dead process');
    book.check('a reset happens once', !isRepeated || isExcused, () => `${run.name} resets ${id} again`);
  }

  /** Whether its latest reset arrived twice, or after its process had died. */
  isLate(id: string): boolean {
    return this.#latest.get(id)?.isLate === true;
  }

  /** A run has ended. A reset that an update has stored as done has happened. */
  end(run: SimulatedRun, { isSuccess, steps }: EngineResult): void {
    const found = this.#found.get(run) ?? [];
    this.#found.delete(run);
    if (!isSuccess || run.isCutOff) return;
    const { stacks, ground, book } = this.#world;
    for (const stack of stacks)
      for (const { slot, plan } of this.#world.declaredBranches(stack)) {
        const urn = this.#world.branchUrnOf(stack, slot);
        const now = stack.find(urn);
        const before = found.find((each) => each.urn === urn && each.id === now?.id)?.outputs.values;
        const declared = ground.branches.arguments(slot, plan).resetTriggers;
        if (!now || !before || !declared || !steps.includes(`update ${urn}`)) continue;
        if (JSON.stringify(before.resetTriggers) === JSON.stringify(declared)) continue;
        const live = ground.branches.find(now.id);
        // Others have deleted it since.
        if (!live) continue;
        const { lastResetAt } = now.outputs.values;
        book.check(
          'a declared reset happens',
          lastResetAt !== before.lastResetAt && lastResetAt === live.last_reset_at,
          () => `${run.name} has not reset ${now.id}`,
        );
      }
  }
}
