import * as z from 'zod';
import { defaultTimeoutSeconds, longestTimeoutSeconds } from '../config/timeouts';
import { Deadline } from '../control-api/deadline';
import { describeIssue, type InputFailure, isUnknown } from '../lifecycle/input-values';

// The engine passes `customTimeouts` to no dynamic provider, so they are an argument here.

const allowed = `a number of seconds above 0, at most ${longestTimeoutSeconds}`;
const seconds = z
  .number(`must be ${allowed}`)
  .positive(`must be ${allowed}`)
  .max(longestTimeoutSeconds, `must be ${allowed}`)
  .optional();
const shape = z.strictObject(
  { create: seconds, update: seconds, delete: seconds },
  `must be an object with any of create, update and delete, each ${allowed}`,
);

/** How long each action may take. Seconds. */
export type Timeouts = z.infer<typeof shape>;

export function findTimeoutFailures(timeouts: unknown): InputFailure[] {
  if (timeouts === undefined || timeouts === null || isUnknown(timeouts)) return [];
  const reason = describeIssue(shape.safeParse(timeouts).error?.issues[0]);
  return reason === undefined ? [] : [{ property: 'timeouts', reason }];
}

/** Begins when the work does. */
export function toDeadline(timeouts: Timeouts | undefined, action: keyof Timeouts): Deadline {
  return new Deadline((timeouts?.[action] ?? defaultTimeoutSeconds) * 1000, 'later');
}
