import { describeSeconds } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { describeOperation, isUnfinished, outcomeOf } from '../operations/operation-outcome';
import type { Settlement } from '../operations/wait-for-operations';
import type { EndpointOutputs } from './endpoint-outputs';

/**
 * A create or update that did not end well although the endpoint exists. The engine keeps what it carries in
 * state, so that the id is never forgotten and the next `pulumi up` takes it from there.
 */
export class UnsettledEndpointError extends Error {
  override readonly name = 'UnsettledEndpointError';
  readonly id: string;
  readonly properties: EndpointOutputs;
  readonly reasons: string[];

  constructor(message: string, id: string, properties: EndpointOutputs, options?: ErrorOptions) {
    super(message, options);
    this.id = id;
    this.properties = properties;
    this.reasons = [message];
    // Crash output would print the cause, and the stack repeats the message as it was made.
    this.stack = message;
  }

  /** The same failure in words that may be shown. */
  withMessage(message: string): UnsettledEndpointError {
    return new UnsettledEndpointError(message, this.id, this.properties);
  }
}

/** The service does not have the endpoint any more: there is nothing to keep in state. */
export class EndpointGoneError extends Error {
  override readonly name = 'EndpointGoneError';
}

/** What was attempted, on which endpoint, what came back, what now. */
export function describeSettlement(
  action: string,
  endpointId: string,
  settlement: Settlement,
  waitedMs: number,
): string {
  const { outcome, operations } = settlement;
  const guilty = operations.filter((operation) =>
    outcome === 'failed' ? outcomeOf(operation) === 'failed' : isUnfinished(operation),
  );
  const named = guilty.map(describeWithFailures).join(', ');
  const waited = describeSeconds(waitedMs);
  const what = outcome === 'failed' ? `operation ${named}` : `still waiting for ${named} after ${waited}`;
  const now =
    outcome === 'failed'
      ? 'The endpoint is kept in state; the next `pulumi up` retries what failed.'
      : 'The endpoint is kept in state; the next `pulumi up` continues to wait. `timeouts` sets how long that may take.';
  return `${action} of endpoint ${endpointId}: ${what}. ${now}`;
}

function describeWithFailures(operation: Operation): string {
  const failures = operation.failures_count;
  return `${describeOperation(operation)}${failures > 1 ? ` (${failures} failures)` : ''}`;
}

/**
 * An error as the engine shows it. The host prints `${error}: ${error.stack}` for check, diff, read and delete;
 * so this one's text is its message, once, and no stack. It has no cause: crash output would print it unredacted.
 */
export class PresentableError extends Error {
  constructor(message: string) {
    super(message);
    this.stack = message;
  }

  override toString(): string {
    return 'pulumi-postgres-compute';
  }
}
