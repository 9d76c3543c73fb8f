import type { Branch, BranchChange, Operation } from '../control-api/wire-types';
import { evolve } from '../lifecycle/evolve';
import { emptyLedger, moveTo } from '../lifecycle/ledger';
import type { Work } from '../lifecycle/provider-core';
import type { Change, Resource } from '../lifecycle/resource';
import { Run } from '../lifecycle/run';
import { nameLast, newSituation, type Rules, type Situation } from '../lifecycle/situation';
import { readLedger } from '../lifecycle/stored-ledger';
import { findDrift, findUpdates, readArguments, toUpdateAttributes } from './branch-changes';
import type { BranchInputs, BranchOutputs } from './branch-inputs';
import { toOutputs } from './branch-state';

/** What a create or an update works on. */
export interface BranchWork extends Work<BranchInputs> {
  readonly action: 'create' | 'update';
  readonly branchId: string;
}

/** An update of a branch starts no operation, so it owes nothing. */
export const branchRules: Rules = { effectsOf: () => [], repeatable: () => [] };

/** @param before the outputs in state, if the branch is there */
function describeBranch(work: BranchWork, before?: BranchOutputs): Resource<Branch, BranchOutputs> {
  const { inputs, project, branchId, deadline } = work;
  return {
    ...branchRules,
    id: branchId,
    subject: work,
    work,
    list: project.branches,
    isOfResource: ({ branch_id, action }) => branch_id === branchId && action === 'create_branch',
    update: (names) => {
      const attributes = toUpdateAttributes(findUpdates(names), inputs);
      return () => project.api.updateBranch(project.id, branchId, attributes, deadline).then(toChange);
    },
    control: () => Promise.reject(new Error('a branch has no compute.')),
    checkGate: async () => {},
    findDrift: (branch, names) => findDrift(branch, toUpdateAttributes(findUpdates(names), inputs)),
    isReady: (branch) => !isBecomingReady(branch),
    isResettable: (name) => name === 'protected',
    isAsBefore: (branch, name) =>
      findUpdates([name]).every((each) => !before || readArguments(branch)[each] === before[each]),
    before,
    toOutputs: (branch, left) => toOutputs(branch, inputs, left),
  };
}

/** Whether its data is not there yet. One that is archived or reset is on its way to `ready`, too, but has data. */
export function isBecomingReady({ current_state }: Pick<Branch, 'current_state'>): boolean {
  return current_state === 'init';
}

export function toChange({ branch, operations }: BranchChange): Change<Branch> {
  return { item: branch, operations };
}

/** The situation of an update. @throws Error when the state holds something that this release does not know */
export function situationInState(inputs: BranchInputs, before: BranchOutputs): Situation {
  const left = readLedger(before, (name) => findUpdates([name]).length > 0);
  return { ...beginning(inputs), origin: 'in state', ...left };
}

/** The situation after the response to a create. */
export function situationOfNew(
  inputs: BranchInputs,
  branch: Branch,
  started: readonly Operation[],
): Situation {
  const ledger = moveTo(
    nameLast(inputs, branch),
    'sent',
    inputs.protected === undefined ? [] : ['protected'],
  );
  const created: Situation = {
    ...beginning(inputs),
    origin: 'new',
    ledger,
    writes: 'accepted',
    item: branch,
  };
  return evolve(created, { kind: 'accepted', names: [], started, isRepeated: false }, branchRules);
}

/**
 * The situation when a list shows a branch to take over.
 * @param origin `own`: an earlier create of this resource has made it
 * @param writes `unknown`: this run has created it by a request whose response was lost
 */
export function situationOfFound(
  inputs: BranchInputs,
  branch: Branch,
  origin: 'own' | 'adopted',
  writes: Situation['writes'],
): Situation {
  const ledger = origin === 'own' ? nameLast(inputs, branch) : emptyLedger;
  const past = isBecomingReady(branch) ? 'uncertain' : 'closed';
  const found: Situation = { ...beginning(inputs), origin, past, ledger, item: branch };
  // An earlier program of this resource may have protected it.
  const desired = origin === 'own' ? { protected: false, ...inputs } : inputs;
  const event = { kind: 'asked', names: findDrift(branch, desired) } as const;
  return evolve({ ...found, writes }, event, branchRules);
}

/** Only the branch itself shows whether its data is there. */
function beginning(inputs: BranchInputs): Situation {
  return { ...newSituation(inputs), isBlind: true };
}

export function startRun(work: BranchWork, situation: Situation, before?: BranchOutputs) {
  return new Run(describeBranch(work, before), situation);
}
