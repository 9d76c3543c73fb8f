import { unknownValue } from '../lifecycle/input-values';
import type { Properties } from '../lifecycle/resource-identity';
import { toOutputNames } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { branchArguments } from './branch-arguments';
import { type BranchInputs, findInputFailures, type PriorBranch } from './branch-inputs';

/** The outputs of the class Branch. */
export const branchOutputs: readonly string[] = [
  ...branchArguments.names.filter((name) => branchArguments.isReadable(name)),
  'createdAt',
  'unsettledOperations',
];

/** What the general parts of the provider need to know of a Branch. */
export const branchType: ResourceType = {
  kind: 'branch',
  path: 'PROJECT/BRANCH, such as cool-lake-12345678/br-calm-sky-87654321',
  argumentNames: branchArguments.names,
  replacingArguments: branchArguments.replacing,
  outputNames: toOutputNames(branchArguments.names, ['createdAt']),
  derivedOutputs: {},
  findInputFailures,
  describeInputs: () => ({}),
  previewCreate,
  previewUpdate: (prior: PriorBranch, inputs: BranchInputs) => branchArguments.previewUpdate(prior, inputs),
};

function previewCreate(inputs: Properties): object {
  const parent = inputs.initSource === 'schema-only' ? {} : { parentId: unknownValue };
  const decided = { initSource: 'parent-data', protected: false, createdAt: unknownValue };
  return { ...parent, ...decided, name: unknownValue, ...inputs };
}
