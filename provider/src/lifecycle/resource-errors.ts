import { describeSeconds } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isFailed, isUnfinished } from '../operations/operation-outcome';
import type { Kind } from '../operations/service-project';
import { describePollFailure, type WaitResult } from '../operations/wait-for-operations';
import { isConfig } from './ledger';

/**
 * A create or update that failed although the resource exists. Its id and outputs must be kept in state, so that the next
 * `pulumi up` resumes.
 */
export class UnsettledError<Outputs = object> extends Error {
  override readonly name = 'UnsettledError';
  readonly id: string;
  readonly outputs: Outputs;

  constructor(message: string, id: string, outputs: Outputs, options?: ErrorOptions) {
    super(message, options);
    this.id = id;
    this.outputs = outputs;
  }
}

/** The resource no longer exists: there is nothing to keep in state. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** After a failed `apply_config`: the service has the new values already, and starts no operation for them again. */
export const appliedLater = 'the compute applies the new values at the latest when it starts next';

const whatNext = {
  failed: '; the next `pulumi up` does what is left',
  'failed to configure': `, and ${appliedLater}; the next \`pulumi up\` does whatever else is left`,
  'timed out': '; the next `pulumi up` continues to wait',
  interrupted: '; the next `pulumi up` continues to wait',
} as const;

/**
 * What was attempted, on which resource, what came back, what now.
 * @param timeouts how a program sets how long the action may take
 */
export function describeWaitResult(
  subject: Subject,
  result: WaitResult,
  waitedMs: number,
  timeouts: string,
): string {
  const { outcome, operations } = result;
  const { kind } = subject;
  const isConfigAlone = outcome === 'failed' && operations.filter(isFailed).every(isConfig);
  const end = isConfigAlone && kind === 'endpoint' ? 'failed to configure' : outcome;
  const now = end === 'succeeded' ? '' : `The ${kind} is kept in state${whatNext[end]}.`;
  const longer = outcome === 'timed out' ? ` ${timeouts} sets how long that may take.` : '';
  return `${describeEnd(subject, result, waitedMs)}. ${now}${longer}`;
}

/** The same for a delete. A failed delete leaves the state as it was. */
export function describeDeleteResult(subject: Subject, result: WaitResult, waitedMs: number): string {
  return `${describeEnd(subject, result, waitedMs)}. The ${subject.kind} is kept in state; run the command again.`;
}

function describeEnd(
  subject: Subject,
  { outcome, operations, pollFailure }: WaitResult,
  waitedMs: number,
): string {
  const hasFailed = outcome === 'failed';
  const isInterrupted = outcome === 'interrupted';
  const named = operations
    .filter(hasFailed ? isFailed : isUnfinished)
    .map(describeWithFailures)
    .join(', ');
  const what = hasFailed
    ? `operation ${named}`
    : `${isInterrupted ? 'interrupted while' : 'still'} waiting for ${named} after ${describeSeconds(waitedMs)}${describePollFailure(pollFailure)}`;
  return `${describeSubject(subject)}: ${what}`;
}

function describeWithFailures(operation: Operation): string {
  const failures = operation.failures_count;
  return `${describeOperation(operation)}${failures > 1 ? ` (${failures} failures)` : ''}`;
}

/** What is done, and to which resource. */
export interface Subject {
  readonly action: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  readonly id: string;
}

export function describeGone(subject: Subject): string {
  return `${describeSubject(subject)}: the ${subject.kind} no longer exists. To create it again, run \`pulumi up --refresh\`; if it was deleted on purpose, remove it from the program.`;
}

/** What a preview reports. The engine does not say whether an interrupted replacement or another client has deleted it. */
export function foreseeGone(kind: Kind, id: string): string {
  return `${kind} ${id} no longer exists: \`pulumi up\` fails unless an interrupted replacement has deleted it; \`pulumi up --refresh\` creates it again`;
}

export function describeDrift(subject: Subject, drift: readonly string[]): string {
  return `${describeSubject(subject)}: every operation finished, but the service reports a different ${drift.join(', ')} than declared. Another client may have changed it; the next \`pulumi up\` applies it again.`;
}

export function describeTransition(
  subject: Subject,
  { pending_state }: { readonly pending_state?: string | undefined },
): string {
  return `${describeSubject(subject)}: the service no longer shows its operation, and the ${subject.kind} is still becoming ${pending_state}. The next \`pulumi up\` resumes.`;
}

/** Such as `create of endpoint ep-1`. */
export function describeSubject({ action, kind, id }: Subject): string {
  return `${action} of ${kind} ${id}`;
}

/** For a create that meets what the same resource may have made under an earlier Pulumi name. */
export const ifRenamed =
  'If the program has only renamed its resource, give the old name in `aliases` instead';

/** For a delete that the service refuses. */
export const ifKept =
  'To remove it from the program alone, first apply retainOnDelete: true in a `pulumi up` of its own';

/** What to do about an item that is in the way until this update changes it. @param change such as `renames` */
export function describeOrder(id: string, change: string): string {
  return `If this program deletes ${id}, do that in an earlier \`pulumi up\`: deletes run last. If it ${change} ${id}, add that resource to \`dependsOn\` of this one`;
}
