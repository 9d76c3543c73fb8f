import type { Branch, BranchChange } from '../control-api/wire-types';
import { isSameInstant } from '../lifecycle/input-values';
import { isCreation, namesAt } from '../lifecycle/ledger';
import type { Change, Flow, Resource, ResourceWork } from '../lifecycle/resource';
import type { Unsettled } from '../lifecycle/resource-state';
import { Run } from '../lifecycle/run';
import type { Situation } from '../lifecycle/situation';
import { isFailed } from '../operations/operation-outcome';
import type { ServiceProject } from '../operations/service-project';
import { branchArguments } from './branch-arguments';
import type { BranchInputs } from './branch-inputs';
import { protectedReason, toRestore } from './branch-reset';
import { type BranchOutputs, toOutputs, withResets } from './branch-state';

type BranchWork = ResourceWork<BranchInputs>;

/** An update of arguments starts no operation, so it creates no debt. Only the branch itself shows whether it has its data. */
export const branchFlow: Flow<BranchInputs, Branch> = {
  arguments: branchArguments,
  isBlind: true,
  mayHavePast: isBecomingReady,
  effectsOf: () => [],
  repeatable: () => [],
  // A reset also suspends and starts endpoints, and may create another branch. Operations read from state name no resource.
  isRecorded: ({ endpoint_id, branch_id }, item) => {
    const id = endpoint_id ?? branch_id ?? item?.id;
    return item === undefined || id === item.id;
  },
};

/** @param before the outputs in state, if the branch is there */
function toResource(
  work: BranchWork,
  before: BranchOutputs | undefined,
  checkReset: () => Promise<void>,
): Resource<Branch, BranchOutputs> {
  const { inputs, project, id, deadline } = work;
  return {
    flow: branchFlow,
    work,
    before,
    list: project.branches,
    isOfResource: (operation) => operation.branch_id === id && isCreation(operation),
    update: (names) => {
      const attributes = branchArguments.toAttributes(names, inputs);
      return () => project.api.updateBranch(project.id, id, attributes, deadline).then(toChange);
    },
    reset: {
      send: (branch) =>
        project.api.restoreBranch(project.id, id, toRestore(inputs, branch), deadline).then(toChange),
      isDone: ({ last_reset_at: at }) => at !== undefined && !isSameInstant(at, before?.lastResetAt),
    },
    checkGate: async ({ ledger, item }) => {
      const asked = namesAt(ledger, 'asked', 'due');
      if (!asked.includes('resetTriggers')) return;
      const branch = item as Branch | undefined; // Only the requests of this branch show items.
      if (branch?.protected && !asked.includes('protected'))
        throw new Error(`a reset of branch ${id}: ${protectedReason}. Nothing was reset.`);
      await checkReset();
    },
    isReady: (branch) => !isBecomingReady(branch),
    toOutputs: (branch, left) => {
      const outputs = toOutputs(branch, inputs, left);
      // A create resets nothing.
      return before && left.__ledger?.owed?.includes('data') ? withResets(outputs, before) : outputs;
    },
  };
}

/** Whether the branch does not have its data yet. An archived branch, or one under a reset, also becomes `ready`, but has data. */
export function isBecomingReady({ current_state }: Pick<Branch, 'current_state'>): boolean {
  return current_state === 'init';
}

/** Whether its creation has failed, which leaves a branch without data that nothing can repair. */
export async function hasFailedToBecomeReady(
  { branches }: ServiceProject,
  id: string,
  { unsettledOperations = [] }: Unsettled,
): Promise<boolean> {
  if (!unsettledOperations.some((operation) => isCreation(operation) && isFailed(operation))) return false;
  const branch = await branches.find(id);
  return branch !== undefined && isBecomingReady(branch);
}

export function toChange({ branch, operations }: BranchChange): Change<Branch> {
  return { item: branch, operations };
}

/** @param checkReset stops a reset before its request */
export function startRun(
  work: BranchWork,
  situation: Situation,
  before?: BranchOutputs,
  checkReset = async () => {},
) {
  return new Run(toResource(work, before, checkReset), situation);
}
