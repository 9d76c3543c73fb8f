import { describeSeconds } from '../control-api/deadline';
import type { Endpoint, Operation } from '../control-api/wire-types';
import { describeOperation, isFailed, isUnfinished } from '../operations/operation-outcome';
import type { WaitResult } from '../operations/wait-for-operations';
import type { InputName } from './endpoint-inputs';
import type { EndpointOutputs } from './endpoint-state';

/**
 * A create or update that failed although the endpoint exists. Its id and outputs must be kept in state, so that the next
 * `pulumi up` resumes.
 */
export class UnsettledEndpointError extends Error {
  override readonly name = 'UnsettledEndpointError';
  readonly id: string;
  readonly outputs: EndpointOutputs;

  constructor(message: string, id: string, outputs: EndpointOutputs, options?: ErrorOptions) {
    super(message, options);
    this.id = id;
    this.outputs = outputs;
  }
}

/** The endpoint no longer exists: there is nothing to keep in state. */
export class EndpointGoneError extends Error {
  override readonly name = 'EndpointGoneError';
}

const whatNow = {
  failed: 'The endpoint is kept in state; the next `pulumi up` retries what failed.',
  'timed out': 'The endpoint is kept in state; the next `pulumi up` continues to wait.',
  interrupted: 'The endpoint is kept in state; the next `pulumi up` continues to wait.',
} as const;

/**
 * What was attempted, on which endpoint, what came back, what now.
 * @param timeouts how a program sets how long the action may take
 */
export function describeWaitResult(
  subject: Subject,
  result: WaitResult,
  waitedMs: number,
  timeouts: string,
): string {
  const { outcome } = result;
  const now = outcome === 'succeeded' ? '' : whatNow[outcome];
  const longer = outcome === 'timed out' ? ` ${timeouts} sets how long that may take.` : '';
  return `${describeEnd(subject, result, waitedMs)}. ${now}${longer}`;
}

/** The same of a delete. One that fails leaves the state as it was. */
export function describeDeleteResult(endpointId: string, result: WaitResult, waitedMs: number): string {
  const subject = { action: 'delete', endpointId } as const;
  return `${describeEnd(subject, result, waitedMs)}. The endpoint is kept in state; run the command again.`;
}

function describeEnd(subject: Subject, { outcome, operations }: WaitResult, waitedMs: number): string {
  const hasFailed = outcome === 'failed';
  const isInterrupted = outcome === 'interrupted';
  const named = operations
    .filter(hasFailed ? isFailed : isUnfinished)
    .map(describeWithFailures)
    .join(', ');
  const what = hasFailed
    ? `operation ${named}`
    : `${isInterrupted ? 'interrupted while' : 'still'} waiting for ${named} after ${describeSeconds(waitedMs)}`;
  return `${toSubject(subject)}: ${what}`;
}

function describeWithFailures(operation: Operation): string {
  const failures = operation.failures_count;
  return `${describeOperation(operation)}${failures > 1 ? ` (${failures} failures)` : ''}`;
}

/** Which endpoint a message is about. */
interface Subject {
  readonly action: 'create' | 'update' | 'delete';
  readonly endpointId: string;
}

export function describeGone(subject: Subject): string {
  return `${toSubject(subject)}: the endpoint no longer exists. To create it again, run \`pulumi up --refresh\`; if it was deleted on purpose, remove it from the program.`;
}

export function describeDrift(subject: Subject, drift: readonly InputName[]): string {
  return `${toSubject(subject)}: every operation finished, but the service reports a different ${drift.join(', ')} than declared. Another client may have changed it; the next \`pulumi up\` applies it again.`;
}

export function describeTransition(subject: Subject, { pending_state }: Endpoint): string {
  return `${toSubject(subject)}: the service no longer shows its operation, and the endpoint is still becoming ${pending_state}. The next \`pulumi up\` resumes.`;
}

function toSubject({ action, endpointId }: Subject): string {
  return `${action} of endpoint ${endpointId}`;
}
