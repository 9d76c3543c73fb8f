import type { Branch, BranchAttributes } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import { isSameInstant, isUnknown } from '../lifecycle/input-values';
import type { BranchArgument, BranchInputs } from './branch-inputs';

/** Where the data of the branch comes from. The service may report it in another form. */
const point = { effect: 'replace', keepsProgramValue: true } as const;

/**
 * Every argument, and what its change does.
 * - `replace`: a new branch takes the place of the old one, whose data is deleted.
 * - `update`: an update in place.
 * - `none`: nothing at the service.
 */
export const branchArguments = new ArgumentTable<BranchInputs, Branch, BranchAttributes, 'update'>({
  projectId: { effect: 'replace', read: ({ project_id }) => project_id },
  name: { effect: 'update', attribute: 'name' },
  parentId: { effect: 'replace', attribute: 'parent_id', keepsProgramValue: isSchemaOnly },
  parentLsn: { ...point, attribute: 'parent_lsn', equals: isSameLsn },
  parentTimestamp: { ...point, attribute: 'parent_timestamp', equals: isSameInstant },
  initSource: {
    effect: 'replace',
    read: ({ init_source = 'parent-data' }) => init_source,
    write: (init_source) => ({ init_source }),
    equals: (left, right = 'parent-data') => left === right, // The state of an earlier release does not have it.
  },
  protected: { effect: 'update', attribute: 'protected', whenRemoved: false, isSetLast: true },
  expiresAt: { effect: 'update', attribute: 'expires_at', equals: isSameInstant, whenRemoved: null },
  adopt: { effect: 'none' },
  allowDataLoss: { effect: 'none' },
});

/** Such a branch has no parent: the service does not report the source of its schema. */
function isSchemaOnly({ init_source }: Branch): boolean {
  return init_source === 'schema-only';
}

/** The arguments that fix the origin of the branch, and that an existing branch does not have. */
export function findOtherOrigin(branch: Branch, inputs: BranchInputs): BranchArgument[] {
  const reported = branchArguments.read(branch);
  const isUnreported = isSchemaOnly(branch) && inputs.initSource === 'schema-only';
  const names = isUnreported ? (['projectId'] as const) : branchArguments.replacing;
  return names.filter((name) => {
    const value = inputs[name];
    return value !== undefined && !isUnknown(value) && !branchArguments.isMatch(name, value, reported[name]);
  });
}

/** The name of a branch until its create has finished, from its derived name. */
export function toUnfinishedName(derivedName: string): string {
  return `${derivedName}-creating`;
}

function isSameLsn(left: unknown, right: unknown): boolean {
  return trimLsn(left) === trimLsn(right);
}

/** Without the zeros before its two numbers. */
function trimLsn(lsn: unknown): string {
  return String(lsn)
    .toUpperCase()
    .replace(/(^|\/)0+/g, '$1');
}
