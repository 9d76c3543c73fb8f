import { difference, omit } from 'lodash';
import { unknownValue } from '../lifecycle/input-values';
import type { Properties } from '../lifecycle/resource-identity';
import { type Prior, toOutputNames, unsettledOutputs } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { branchArguments, replacingArguments, settingArguments } from './branch-changes';
import { findInputFailures } from './branch-inputs';

/** The outputs of the class Branch. */
export const branchOutputs: readonly string[] = [
  ...difference(branchArguments, settingArguments),
  'createdAt',
  'unsettledOperations',
];

/** What the general parts of the provider need to know of a Branch. */
export const branchType: ResourceType = {
  kind: 'branch',
  path: 'PROJECT/BRANCH, such as cool-lake-12345678/br-calm-sky-87654321',
  argumentNames: branchArguments,
  replacingArguments,
  outputNames: toOutputNames(branchArguments, ['createdAt']),
  derivedOutputs: {},
  findInputFailures,
  describeInputs: () => ({}),
  previewCreate,
  previewUpdate,
};

function previewCreate(inputs: Properties): object {
  const decided = { parentId: unknownValue, protected: false, createdAt: unknownValue };
  return { ...decided, name: unknownValue, ...inputs };
}

function previewUpdate(
  { inputs: before, outputs }: Prior<Properties, Properties>,
  inputs: Properties,
): object {
  const isReset = before.protected !== undefined && inputs.protected === undefined;
  const kept = omit(outputs, unsettledOutputs, settingArguments);
  return { ...kept, ...(isReset && { protected: false }), ...inputs };
}
