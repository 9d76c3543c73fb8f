import { omit, pick } from 'lodash';
import type { Branch } from '../control-api/wire-types';
import { keepProperties } from '../lifecycle/kept-properties';
import { schemaVersion, type Unsettled, unsettledOutputs } from '../lifecycle/resource-state';
import { pointArguments, readArguments, settingArguments, toUnfinishedName } from './branch-changes';
import type { BranchInputs, BranchOutputs, PriorBranch } from './branch-inputs';

/**
 * The outputs after a create, update or read. The point is kept as the program writes it.
 * @param left what the next run resumes. @default nothing
 */
export function toOutputs(branch: Branch, inputs: BranchInputs, left: Unsettled = {}): BranchOutputs {
  return {
    ...inputs,
    ...readArguments(branch),
    ...pick(inputs, pointArguments),
    createdAt: branch.created_at,
    ...left,
    __schemaVersion: schemaVersion,
  };
}

/** The branch as a refresh finds it, or as an import declares it. */
export function toFound(branch: Branch, { inputs, outputs }: PriorBranch, declared: 'in state' | 'as found') {
  if (declared === 'as found') {
    const reported = readArguments(branch);
    const found: BranchInputs = {
      ...pick(reported, 'projectId', 'name', 'parentId'),
      ...(reported.protected && { protected: true }),
    };
    return { inputs: found, outputs: toOutputs(branch, found) };
  }
  // The name of an interrupted create is no drift: it is still to be renamed.
  const isUnfinished = inputs.name !== undefined && branch.name === toUnfinishedName(inputs.name);
  const given = (name: string) => Object.hasOwn(inputs, name) && !(isUnfinished && name === 'name');
  const reported = keepProperties(readArguments(branch), given);
  const now: BranchInputs = { ...inputs, ...reported, ...pick(inputs, pointArguments) };
  return {
    inputs: now,
    outputs: { ...toOutputs(branch, now), ...pick(outputs, unsettledOutputs, settingArguments) },
  };
}

/** The outputs after a change of nothing but the provider's own settings, of which the service knows nothing. */
export function withSettings(outputs: BranchOutputs, inputs: BranchInputs): BranchOutputs {
  return { ...(omit(outputs, settingArguments) as BranchOutputs), ...pick(inputs, settingArguments) }; // They are optional.
}
