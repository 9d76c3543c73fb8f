import { toPrintable } from '../control-api/printable';
import type { Endpoint } from '../control-api/wire-types';
import { formatDate } from './duration';
import { sizeWord, stateWord, suspendWord } from './endpoint-labels';
import type { Screen } from './screen';
import { GrowingTable, layOutLines } from './table';

type Colors = Screen['colors'];

const head = ['ID', 'NAME', 'BRANCH', 'TYPE', 'SIZE', 'STATE'];

export function layOutEndpoints(endpoints: readonly Endpoint[], colors: Colors): string {
  const rows = endpoints.map((endpoint) => [
    ...[endpoint.id, endpoint.name ?? '', endpoint.branch_id, endpoint.type, sizeWord(endpoint)].map(
      toPrintable,
    ),
    painterOf(endpoint, colors)(toPrintable(stateWord(endpoint))),
  ]);
  return new GrowingTable().layOut([head.map((word) => colors.dim(word)), ...rows]);
}

/** Everything about one endpoint, a line each. */
export function describeInLines(endpoint: Endpoint, colors: Colors): string {
  const settings = Object.entries(endpoint.settings.pg_settings ?? {});
  const lines = [
    ['id', endpoint.id],
    ['name', endpoint.name],
    ['state', stateWord(endpoint), painterOf(endpoint, colors)],
    ['type', endpoint.type],
    ['size', sizeWord(endpoint)],
    ['project', endpoint.project_id],
    ['branch', endpoint.branch_id],
    ['region', endpoint.region_id],
    ['suspended', suspendWord(endpoint.suspend_timeout_seconds)],
    ['pooler', endpoint.pooler_enabled ? endpoint.pooler_mode : 'off'],
    ['settings', settings.map(([name, value]) => `${name}=${value}`).join(', ')],
    ['host', endpoint.host],
    ['proxy host', endpoint.proxy_host],
    ['last active', endpoint.last_active && formatDate(endpoint.last_active)],
    ['created', formatDate(endpoint.created_at)],
    ['updated', formatDate(endpoint.updated_at)],
  ] as const;
  return layOutLines(lines, colors);
}

function painterOf({ current_state, pending_state }: Endpoint, colors: Colors): (text: string) => string {
  if (pending_state !== undefined) return colors.yellow;
  return current_state === 'active' ? colors.green : colors.dim;
}
