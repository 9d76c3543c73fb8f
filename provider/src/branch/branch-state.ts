import { omit, pick } from 'lodash';
import type { Branch, Operation } from '../control-api/wire-types';
import { unknownValue } from '../resource/input-values';
import { keepProperties } from '../resource/kept-properties';
import type { Properties } from '../resource/resource-identity';
import {
  type Prior,
  schemaVersion,
  toOutputNames,
  toUnsettled,
  unsettledOutputs,
} from '../resource/resource-state';
import type { ResourceType } from '../resource/resource-type';
import {
  type BranchInputs,
  type BranchOutputs,
  branchArguments,
  findInputFailures,
  type PriorBranch,
  readArguments,
  replacingArguments,
  settingArguments,
  type UpdatedArgument,
} from './branch-arguments';

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

/** The outputs after a create, update or read. The point is kept as the program writes it. */
export function toOutputs(
  branch: Branch,
  inputs: BranchInputs,
  operations: readonly Operation[] = [],
  unapplied: readonly UpdatedArgument[] = [],
): BranchOutputs {
  return {
    ...inputs,
    ...readArguments(branch),
    ...pick(inputs, 'parentLsn', 'parentTimestamp'),
    createdAt: branch.created_at,
    ...toUnsettled(operations, unapplied),
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
  const given = (name: string) =>
    Object.hasOwn(inputs, name) && name !== 'parentLsn' && name !== 'parentTimestamp';
  const now: BranchInputs = { ...inputs, ...keepProperties(readArguments(branch), given) };
  return {
    inputs: now,
    outputs: { ...toOutputs(branch, now), ...pick(outputs, unsettledOutputs, settingArguments) },
  };
}

/** The outputs after a change of nothing but the provider's own settings, of which the service knows nothing. */
export function withSettings(outputs: BranchOutputs, inputs: BranchInputs): BranchOutputs {
  return { ...(omit(outputs, settingArguments) as BranchOutputs), ...pick(inputs, settingArguments) }; // They are optional.
}

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
