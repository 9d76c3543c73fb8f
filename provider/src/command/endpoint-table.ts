import { toPrintable } from '../control-api/printable';
import type { Endpoint } from '../control-api/wire-types';
import { describeSizeRange } from '../endpoint/compute-size';
import { formatDate } from './duration';
import type { Screen } from './screen';
import { GrowingTable, layOutDetails } from './table';

type Colors = Screen['colors'];

const head = ['ID', 'NAME', 'BRANCH', 'TYPE', 'SIZE', 'STATE'];

export function layOutEndpoints(endpoints: readonly Endpoint[], colors: Colors): string {
  const rows = endpoints.map((endpoint) => {
    const { id, name = '', branch_id, type } = endpoint;
    const texts = [id, name, branch_id, type, sizeLabel(endpoint)].map(toPrintable);
    return [...texts, painterOf(endpoint, colors)(toPrintable(stateLabel(endpoint)))];
  });
  return new GrowingTable(head.map((title) => colors.dim(title))).layOut(rows);
}

/** Everything about one endpoint, one line each. */
export function layOutEndpoint(endpoint: Endpoint, colors: Colors): string {
  const settings = Object.entries(endpoint.settings.pg_settings ?? {});
  const details = [
    ['id', endpoint.id],
    ['name', endpoint.name],
    ['state', stateLabel(endpoint), painterOf(endpoint, colors)],
    ['type', endpoint.type],
    ['size', sizeLabel(endpoint)],
    ['project', endpoint.project_id],
    ['branch', endpoint.branch_id],
    ['region', endpoint.region_id],
    ['autosuspend', suspendLabel(endpoint.suspend_timeout_seconds)],
    ['pooler', endpoint.pooler_enabled ? endpoint.pooler_mode : 'off'],
    ['settings', settings.map(([name, value]) => `${name}=${value}`).join(', ')],
    ['host', endpoint.host],
    ['proxy host', endpoint.proxy_host],
    ['last active', endpoint.last_active && formatDate(endpoint.last_active)],
    ['created', formatDate(endpoint.created_at)],
    ['updated', formatDate(endpoint.updated_at)],
  ] as const;
  return layOutDetails(details, colors);
}

function painterOf({ current_state, pending_state }: Endpoint, colors: Colors): (text: string) => string {
  if (pending_state !== undefined) return colors.yellow;
  return current_state === 'active' ? colors.green : colors.dim;
}

/** The console's labels. It has none for `init`: a compute that never ran is idle, like a suspended one. */
const labelOfState: ReadonlyMap<string, string> = new Map([
  ['init', 'Idle'],
  ['idle', 'Idle'],
  ['active', 'Active'],
]);

/** The state as the console shows it, and the state that follows: `Idle`, `Idle, soon Active`, `Stopped`. */
export function stateLabel(endpoint: Pick<Endpoint, 'current_state' | 'pending_state' | 'disabled'>): string {
  const { current_state: current, pending_state: pending = current, disabled } = endpoint;
  const labelOf = (state: string) => {
    // A disabled endpoint with a suspended compute: neither a connection nor a start wakes it.
    if (disabled && state !== 'active') return 'Stopped';
    return labelOfState.get(state) ?? state;
  };
  const [label, next] = [labelOf(current), labelOf(pending)];
  return next === label ? label : `${label}, soon ${next}`;
}

function sizeLabel(endpoint: Endpoint): string {
  return describeSizeRange(endpoint.autoscaling_limit_min_cu, endpoint.autoscaling_limit_max_cu);
}

/** When the service suspends the compute: `never`, `after 300 s (default)`, `after 600 s`. */
export function suspendLabel(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  if (seconds === -1) return 'never';
  return seconds === 0 ? 'after 300 s (default)' : `after ${seconds} s`;
}
