import { unknownValue } from '../lifecycle/input-values';
import type { Properties } from '../lifecycle/resource-identity';
import { toOutputNames } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { branchArguments } from './branch-arguments';
import { type BranchInputs, findInputFailures } from './branch-inputs';
import type { PriorBranch } from './branch-state';

/** The outputs of the class Branch. */
export const branchOutputs: readonly string[] = [
  ...branchArguments.names.filter((name) => branchArguments.isReadable(name)),
  'createdAt',
  'lastResetAt',
  'unsettledOperations',
];

export const branchType: ResourceType = {
  kind: 'branch',
  path: 'PROJECT/BRANCH, such as cool-lake-12345678/br-calm-sky-87654321',
  argumentNames: branchArguments.names,
  replacingArguments: branchArguments.replacing,
  outputNames: toOutputNames(branchArguments.names, ['createdAt', 'lastResetAt']),
  namesWithin: ['projectId'],
  findInputFailures,
  previewCreate,
  previewUpdate,
};

function previewUpdate(prior: PriorBranch, inputs: BranchInputs): object {
  const isReset = branchArguments.findChanges(prior, inputs).includes('resetTriggers');
  return {
    ...branchArguments.previewUpdate(prior, inputs),
    ...(isReset && { lastResetAt: unknownValue }),
  };
}

function previewCreate(inputs: Properties): object {
  const parent = inputs.initSource === 'schema-only' ? {} : { parentId: unknownValue };
  const decided = { initSource: 'parent-data', protected: false, createdAt: unknownValue };
  return { ...parent, ...decided, name: unknownValue, ...inputs };
}
