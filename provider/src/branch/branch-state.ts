import { compact, omit, pick } from 'lodash';
import type { Branch } from '../control-api/wire-types';
import type { Wanted } from '../lifecycle/resource-lifecycle';
import { toFinishedName, toUnfinishedName } from '../lifecycle/resource-name';
import { type Prior, schemaVersion, type Unsettled } from '../lifecycle/resource-state';
import { branchArguments } from './branch-arguments';
import type { BranchInputs } from './branch-inputs';

/** The outputs in state: each argument as the service reports it, and what is unfinished or failed. */
export type BranchOutputs = BranchInputs &
  Unsettled & {
    readonly createdAt: string;
    /** When it was last reset, as far as the runs know; a refresh keeps it. */
    readonly lastResetAt?: string;
    readonly __schemaVersion: number;
  };

export type PriorBranch = Prior<BranchInputs, BranchOutputs>;

/**
 * The outputs after a create, update or read.
 * @param left what the next run resumes. @default nothing
 */
export function toOutputs(branch: Branch, inputs: BranchInputs, left: Unsettled = {}): BranchOutputs {
  return {
    ...inputs,
    ...branchArguments.read(branch, inputs),
    createdAt: branch.created_at,
    ...(branch.last_reset_at !== undefined && { lastResetAt: branch.last_reset_at }),
    ...left,
    __schemaVersion: schemaVersion,
  };
}

/** The minimal arguments that declare the branch as it is. */
export function declareBranch(branch: Branch): BranchInputs {
  const reported = branchArguments.read(branch);
  return {
    projectId: branch.project_id,
    ...pick(reported, 'name', 'parentId', 'expiresAt'),
    ...(reported.initSource === 'schema-only' && pick(reported, 'initSource')),
    ...(reported.protected && { protected: true }),
  };
}

/** The branch as a refresh finds it, or as an import declares it. */
export function toFound(branch: Branch, { inputs, outputs }: PriorBranch, declared: Wanted) {
  if (declared === 'as found') {
    const found = declareBranch(branch);
    return { inputs: found, outputs: toOutputs(branch, found) };
  }
  // The name of an interrupted create is not drift: the branch is still to be renamed. A failed create has it in the outputs.
  const unfinished = compact([inputs.name, outputs.name]).map(toFinishedName).map(toUnfinishedName);
  const isUnfinished = inputs.name !== undefined && unfinished.includes(branch.name);
  const reported = branchArguments.withReported(branch, inputs);
  const now = isUnfinished ? { ...reported, ...pick(inputs, 'name') } : reported;
  const refreshed = branchArguments.refresh(branch, now, outputs, (known) => toOutputs(branch, known));
  // A killed run may have reset it: the next run has to see that.
  return { inputs: now, outputs: withResets(refreshed, outputs) };
}

/** The outputs with the reset fields of before: the next diff asks for the unfinished reset again, and the next run finds it. */
export function withResets(outputs: BranchOutputs, before: BranchOutputs): BranchOutputs {
  const others = omit(outputs, 'lastResetAt', 'resetTriggers') as BranchOutputs; // They are optional.
  return { ...others, ...pick(before, 'lastResetAt', 'resetTriggers') };
}
