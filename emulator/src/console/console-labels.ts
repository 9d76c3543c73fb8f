import type { Endpoint, EndpointState } from '../records/wire-types';

/** The console's labels of operation statuses. Source: docs/service.md, "Operations"; the OpenAPI description adds `error`. */
const STATUS_LABELS = new Map(
  Object.entries({
    scheduling: 'Scheduling',
    running: 'In progress',
    finished: 'OK',
    failed: 'Error',
    error: 'Error',
  }),
);

/** The console has no label for init. A compute that has never started is idle. */
const STATE_LABELS: Readonly<Record<EndpointState, string>> = {
  init: 'Idle',
  idle: 'Idle',
  active: 'Active',
};

/** A status without a label, such as cancelled, is shown capitalized. */
export function statusLabel(status: string): string {
  return STATUS_LABELS.get(status) ?? `${status.charAt(0).toUpperCase()}${status.slice(1)}`;
}

/** Stopped means that nothing starts the compute: the endpoint is disabled and its compute is down. */
export function stateLabel({ disabled }: Pick<Endpoint, 'disabled'>, state: EndpointState): string {
  return disabled && state !== 'active' ? 'Stopped' : STATE_LABELS[state];
}
