import { unknownValue } from '../lifecycle/input-values';
import type { Properties } from '../lifecycle/resource-identity';
import { toOutputNames } from '../lifecycle/resource-state';
import type { ResourceType } from '../lifecycle/resource-type';
import { findInputFailures, type PriorRole, type RoleInputs } from './role-inputs';
import { roleArguments } from './role-resource';

const furtherOutputs = ['password', 'createdAt'];

/** The outputs of the class Role. */
export const roleOutputs: readonly string[] = [
  'projectId',
  'branchId',
  'name',
  ...furtherOutputs,
  'unsettledOperations',
];

/** What the general parts of the provider need to know of a Role. */
export const roleType: ResourceType = {
  kind: 'role',
  path: 'PROJECT/BRANCH/NAME, such as cool-lake-12345678/br-calm-sky-87654321/app',
  idIsPath: true,
  argumentNames: roleArguments.names,
  replacingArguments: roleArguments.replacing,
  outputNames: toOutputNames(roleArguments.names, furtherOutputs),
  secretOutputs: ['password'],
  namesWithin: ['projectId', 'branchId'],
  derivedOutputs: {},
  findInputFailures,
  describeInputs: () => ({}),
  previewCreate: (inputs: Properties) => ({
    ...inputs,
    password: unknownValue,
    createdAt: unknownValue,
  }),
  previewUpdate: (prior: PriorRole, inputs: RoleInputs) => {
    const isRotated = roleArguments.findChanges(prior, inputs).includes('passwordTriggers');
    return { ...roleArguments.previewUpdate(prior, inputs), ...(isRotated && { password: unknownValue }) };
  },
};
