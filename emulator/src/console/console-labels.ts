import type { Endpoint, EndpointState } from '../records/wire-types';

/**
 * The console's labels of operation statuses. Source: service-api.txt, section 2.1; `error` is of the OpenAPI
 * description, and is a failure as `failed` is.
 */
const STATUS_LABELS: ReadonlyMap<string, string> = new Map([
  ['scheduling', 'Scheduling'],
  ['running', 'In progress'],
  ['finished', 'OK'],
  ['failed', 'Error'],
  ['error', 'Error'],
]);

/** The console knows no word for init: a compute that was never up is as idle as one that is down. */
const STATE_LABELS: Readonly<Record<EndpointState, string>> = {
  init: 'Idle',
  idle: 'Idle',
  active: 'Active',
};

/** A status without a label, such as cancelled, keeps the API's own word. */
export function statusLabel(status: string): string {
  return STATUS_LABELS.get(status) ?? `${status.charAt(0).toUpperCase()}${status.slice(1)}`;
}

/** Stopped is what nothing wakes: a disabled endpoint, once its compute is down. */
export function stateLabel({ disabled }: Pick<Endpoint, 'disabled'>, state: EndpointState): string {
  return disabled && state !== 'active' ? 'Stopped' : STATE_LABELS[state];
}
