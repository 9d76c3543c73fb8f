import type { Branch, BranchAttributes } from '../control-api/wire-types';
import { isSame, isUnknown } from '../lifecycle/input-values';
import type { BranchArgument, BranchInputs, PriorBranch } from './branch-inputs';

/**
 * What a change of an argument does.
 * - `replace`: a new branch takes the place of the old one, whose data is deleted.
 * - `update`: an update in place.
 * - `none`: nothing at the service.
 */
const effects: Readonly<Record<BranchArgument, 'replace' | 'update' | 'none'>> = {
  projectId: 'replace',
  name: 'update',
  parentId: 'replace',
  parentLsn: 'replace',
  parentTimestamp: 'replace',
  protected: 'update',
  adopt: 'none',
  allowDataLoss: 'none',
};

export type UpdatedArgument = 'name' | 'protected';
const updatedArguments: readonly UpdatedArgument[] = ['name', 'protected'];

export const branchArguments = Object.keys(effects) as BranchArgument[]; // Object.keys forgets the names of its argument.

/** Where the data of the branch comes from: a change of any of these replaces the branch. */
export const replacingArguments = branchArguments.filter((name) => effects[name] === 'replace');

/** Settings of the provider; never sent to the service. */
export const settingArguments = branchArguments.filter((name) => effects[name] === 'none');

/** The service may report these in another form. Drift in them never replaces the branch. */
export const pointArguments = ['parentLsn', 'parentTimestamp'] as const;

/** The arguments in which the program differs from the state, unknown values included. */
export function findChanges({ inputs, outputs }: PriorBranch, desired: BranchInputs): BranchArgument[] {
  return branchArguments.filter((name) => {
    const value = desired[name];
    if (effects[name] === 'none') return !isSame(value, inputs[name]);
    // A branch keeps what the program no longer gives, except its protection.
    if (value === undefined)
      return name === 'protected' && inputs[name] !== undefined && outputs[name] === true;
    if (isUnknown(value)) return true;
    if (isPoint(name)) return !isSamePoint(value, inputs[name] ?? outputs[name]);
    return value !== outputs[name];
  });
}

/** Those of these that an update sends. */
export function findUpdates(names: readonly string[]): UpdatedArgument[] {
  return updatedArguments.filter((name) => names.includes(name));
}

/** The arguments for which the service reports another value than the program gives. */
export function findDrift(
  branch: Branch,
  wanted: Pick<BranchAttributes, UpdatedArgument>,
): UpdatedArgument[] {
  return updatedArguments.filter((name) => wanted[name] !== undefined && wanted[name] !== branch[name]);
}

/** The arguments that fix the origin of the branch, and that an existing branch does not have. */
export function findOtherOrigin(branch: Branch, inputs: BranchInputs): BranchArgument[] {
  const reported = readArguments(branch);
  return replacingArguments.filter((name) => {
    const value = inputs[name];
    if (value === undefined || isUnknown(value)) return false;
    return !(isPoint(name) ? isSamePoint : isSame)(value, reported[name]);
  });
}

/** What the service reports. */
export function readArguments(branch: Branch): BranchInputs {
  const values = {
    projectId: branch.project_id,
    name: branch.name,
    parentId: branch.parent_id,
    parentLsn: branch.parent_lsn,
    parentTimestamp: branch.parent_timestamp,
    protected: branch.protected,
  };
  return dropUndefined(values);
}

export function toCreateAttributes(inputs: BranchInputs, name: string | undefined): BranchAttributes {
  return dropUndefined({
    name,
    parent_id: inputs.parentId,
    parent_lsn: inputs.parentLsn,
    parent_timestamp: inputs.parentTimestamp,
    protected: inputs.protected,
  });
}

export function toUpdateAttributes(
  names: readonly UpdatedArgument[],
  inputs: BranchInputs,
): BranchAttributes {
  return {
    ...(names.includes('name') && { name: inputs.name }),
    ...(names.includes('protected') && { protected: inputs.protected ?? false }),
  };
}

/** The name of a branch until its create has finished, from its derived name. */
export function toUnfinishedName(derivedName: string): string {
  return `${derivedName}-creating`;
}

/** Without undefined values, which the engine refuses. */
export function dropUndefined<Values extends object>(values: Values) {
  type Present = { [Name in keyof Values]: Exclude<Values[Name], undefined> };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present;
}

function isPoint(name: BranchArgument): name is (typeof pointArguments)[number] {
  return (pointArguments as readonly string[]).includes(name);
}

/** The same LSN or the same moment may be written in several ways. */
function isSamePoint(left: unknown, right: unknown): boolean {
  if (isSame(left, right)) return true;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  if (left.includes('/')) return trimLsn(left) === trimLsn(right);
  return /^\d{4}-/.test(left) && Date.parse(left) === Date.parse(right);
}

/** Without the zeros before its two numbers. */
function trimLsn(lsn: string): string {
  return lsn.toUpperCase().replace(/(^|\/)0+/g, '$1');
}
