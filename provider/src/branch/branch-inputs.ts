import * as z from 'zod';
import {
  findShapeFailures,
  flag,
  type InputFailure,
  id,
  isSameInstant,
  isUnknown,
  textOfLength,
  triggers,
} from '../lifecycle/input-values';
import type { Declared, Properties } from '../lifecycle/resource-identity';

const lsnPattern = /^[0-9a-f]{1,8}\/[0-9a-f]{1,8}$/i;
const lsn = 'must be a position in the log of the parent (LSN), such as 0/1E88DF8';
const time = 'must be a point in time with a time zone, such as 2026-01-31T08:00:00Z';
const expiry = 'must be a time in whole seconds with a time zone, such as 2026-01-31T08:00:00Z';
/** The longest time until an expiry (the service's guide on branch expiration). Milliseconds. */
const longestLifeMs = 30 * 24 * 60 * 60 * 1_000;

const from = 'must be { branchId?, timestamp?, lsn? }, with a timestamp or an lsn but not both';
const restoreFrom = z
  .strictObject(
    {
      branchId: id('branch').optional(),
      timestamp: z.iso.datetime({ offset: true, error: time }).optional(),
      lsn: z.string(lsn).regex(lsnPattern, lsn).optional(),
    },
    from,
  )
  .refine(({ timestamp, lsn: at }) => timestamp === undefined || at === undefined, from);

/** What each argument may hold; resources/branch-args.ts says what each means. */
const shape = {
  projectId: id('project'),
  name: textOfLength(256),
  parentId: id('branch'),
  parentLsn: z.string(lsn).regex(lsnPattern, lsn),
  parentTimestamp: z.iso.datetime({ offset: true, error: time }),
  initSource: z.enum(['parent-data', 'schema-only'], 'must be parent-data or schema-only'),
  protected: flag,
  expiresAt: z.iso.datetime({ offset: true, precision: 0, error: expiry }),
  resetTriggers: triggers('resets the branch'),
  restoreFrom,
  preserveUnderName: textOfLength(256),
  adopt: flag,
  allowDataLoss: flag,
};

export type BranchArgument = keyof typeof shape;

/** The arguments of a Branch as Pulumi passes them to a provider. */
export type BranchInputs = { readonly projectId: string } & {
  readonly [Name in BranchArgument]?: z.infer<(typeof shape)[Name]>;
};

export type BranchDeclaration = Declared<BranchInputs>;

/** @param before the inputs in state; undefined for a create */
export function findInputFailures(given: Properties, before?: Properties): InputFailure[] {
  const required = { projectId: 'names the project of the branch' };
  const failures = findShapeFailures({ of: 'a Branch', shape, required }, given);
  if (failures.length > 0) return failures;
  if (given.parentLsn !== undefined && given.parentTimestamp !== undefined)
    return [{ property: 'parentTimestamp', reason: 'must not be given together with parentLsn' }];
  if (given.adopt === true && given.name === undefined)
    return [{ property: 'name', reason: 'is required with adopt: it names the branch to take over' }];
  if (
    given.preserveUnderName !== undefined &&
    given.preserveUnderName === given.name &&
    !isUnknown(given.name)
  )
    return [{ property: 'preserveUnderName', reason: 'must differ from name, which the branch keeps' }];
  const { branchId: source, timestamp = '' } = (given.restoreFrom ?? {}) as NonNullable<
    BranchInputs['restoreFrom']
  >; // Of the shape above.
  if (untilMs(timestamp) > 0)
    return [{ property: 'restoreFrom', reason: 'must have a timestamp in the past' }];
  if (given.resetTriggers !== undefined && given.initSource === 'schema-only' && source === undefined)
    return [
      {
        property: 'restoreFrom',
        reason: 'needs a branchId with resetTriggers and initSource schema-only: such a branch has no parent',
      },
    ];
  if (given.expiresAt === undefined) return [];
  if (given.protected === true)
    return [
      { property: 'expiresAt', reason: 'must not be given with protected: true, which keeps the branch' },
    ];
  if (isUnknown(given.expiresAt)) return [];
  // An expiry that was accepted earlier must not stop the whole stack once its time has passed.
  return isSameInstant(given.expiresAt, before?.expiresAt) ? [] : findExpiryFailure(String(given.expiresAt));
}

function findExpiryFailure(expiresAt: string): InputFailure[] {
  const leftMs = untilMs(expiresAt);
  if (leftMs > 0 && leftMs <= longestLifeMs) return [];
  const now = leftMs > 0 ? 'is too late' : 'has passed';
  return [{ property: 'expiresAt', reason: `${now}: it must be within the next 30 days` }];
}

export function untilMs(time: string): number {
  // biome-ignore lint/plugin: The service keeps an expiry by the calendar.
  return Date.parse(time) - Date.now();
}
