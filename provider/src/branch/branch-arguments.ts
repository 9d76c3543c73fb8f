import type { Branch, BranchAttributes } from '../control-api/wire-types';
import { ArgumentTable } from '../lifecycle/argument-table';
import { isSameInstant, isUnknown } from '../lifecycle/input-values';
import type { BranchArgument, BranchInputs } from './branch-inputs';

/**
 * Where the data of the branch comes from. The service may report it in another form; after a reset of the branch or of its parent, it
 * reports another parent.
 */
const point = { effect: 'replace', keepsProgramValue: true } as const;

/**
 * Every argument, and what its change does.
 * - `replace`: a new branch takes the place of the old one, whose data is deleted.
 * - `update`: an update in place.
 * - `reset`: the branch gets the data of another one, or earlier data; its own is deleted, and connections drop.
 * - `none`: nothing at the service.
 */
export const branchArguments = new ArgumentTable<BranchInputs, Branch, BranchAttributes, 'update' | 'reset'>({
  projectId: { effect: 'replace', read: ({ project_id }) => project_id },
  name: { effect: 'update', attribute: 'name' },
  parentId: { ...point, attribute: 'parent_id' },
  parentLsn: { ...point, attribute: 'parent_lsn', equals: isSameLsn },
  parentTimestamp: { ...point, attribute: 'parent_timestamp', equals: isSameInstant },
  initSource: {
    effect: 'replace',
    read: ({ init_source = 'parent-data' }) => init_source,
    write: (init_source) => ({ init_source }),
    equals: (left, right = 'parent-data') => left === right, // The state of an earlier release does not have it.
  },
  protected: { effect: 'update', attribute: 'protected', whenRemoved: false, isSetLast: true },
  expiresAt: {
    effect: 'update',
    attribute: 'expires_at',
    keepsProgramValue: isMovedByReset,
    equals: isSameInstant,
    whenRemoved: null,
  },
  // The service does not know them; a change requests one reset, from here and with that name.
  resetTriggers: { effect: 'reset' },
  restoreFrom: { effect: 'none' },
  preserveUnderName: { effect: 'none' },
  adopt: { effect: 'none' },
  allowDataLoss: { effect: 'none' },
});

/** Whether the service has moved the expiry: a reset counts the time to live anew. */
function isMovedByReset({ expires_at, last_reset_at, ttl_interval_seconds: ttl }: Branch): boolean {
  if (expires_at === undefined || last_reset_at === undefined || ttl === undefined) return false;
  const lifeMs = Date.parse(expires_at) - Date.parse(last_reset_at);
  return Math.abs(lifeMs - ttl * 1_000) < 1_000; // The service may round to whole seconds.
}

/** Such a branch has no parent: the service does not report the source of its schema. */
export function isSchemaOnly({ init_source }: Branch): boolean {
  return init_source === 'schema-only';
}

/** The arguments that fix the origin of a branch, and in which an existing branch differs from what the program gives. */
export function findOtherOrigin(branch: Branch, inputs: BranchInputs): BranchArgument[] {
  const reported = branchArguments.read(branch);
  const isUnreported = isSchemaOnly(branch) && inputs.initSource === 'schema-only';
  const names = isUnreported ? (['projectId'] as const) : branchArguments.replacing;
  return names.filter((name) => {
    const value = inputs[name];
    return value !== undefined && !isUnknown(value) && !branchArguments.isMatch(name, value, reported[name]);
  });
}

function isSameLsn(left: unknown, right: unknown): boolean {
  return trimLsn(left) === trimLsn(right);
}

/** An LSN without the leading zeros of its two numbers. */
function trimLsn(lsn: unknown): string {
  return String(lsn)
    .toUpperCase()
    .replace(/(^|\/)0+/g, '$1');
}
