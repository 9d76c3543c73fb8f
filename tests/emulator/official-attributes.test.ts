import { beforeAll, describe, expect, it } from 'vitest';
import {
  isKnownAsRefused,
  listDescribedCalls,
  listSdkCalls,
  type OfficialCall,
} from '../support/official-calls';
import { listServedCalls } from '../support/served-calls';
import { type ServiceResponse, startService } from '../support/service-client';

// The emulator never says yes and does nothing: what a description has and this file lacks fails.

const settings = {
  pg_settings: { work_mem: '8MB' },
  pgbouncer_settings: { default_pool_size: '5' },
  preload_libraries: { use_defaults: true, enabled_libraries: ['pg_stat_statements'] },
};
const { preload_libraries: _, ...defaultSettings } = settings;
const sizes = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 };
const defaults = { ...defaultSettings, ...sizes, suspend_timeout_seconds: 60 };
const inAnHour = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
const time = '2026-01-31T08:00:00.000Z';

const ALL = '/projects';
const PROJECT = `${ALL}/{project_id}`;
const BRANCHES = `${PROJECT}/branches`;
const BRANCH = `${BRANCHES}/{branch_id}`;
const ENDPOINTS = `${PROJECT}/endpoints`;
const endpoint = { ...sizes, settings, provisioner: 'k8s-pod', suspend_timeout_seconds: 600 };
const changed = { ...endpoint, pooler_enabled: true, pooler_mode: 'transaction', passwordless_access: false };

const project = {
  name: 'new',
  provisioner: 'k8s-pod',
  region_id: 'local-west-2',
  default_endpoint_settings: defaults,
  pg_version: 16,
  store_passwords: false,
  history_retention_seconds: 3600,
  org_id: 'emulator-account',
};

/** A call, a body, and what the response shows of each attribute in it, by default the body. Ids in capitals are replaced. */
const SERVED: readonly (readonly [call: string, body: object, shown?: object])[] = [
  [
    `POST ${ALL}`,
    {
      project: {
        ...project,
        branch: { name: 'trunk', role_name: 'ann', database_name: 'books' },
        ...sizes,
      },
    },
    {
      project,
      branch: { name: 'trunk' },
      roles: [{ name: 'ann' }],
      databases: [{ name: 'books' }],
      endpoints: [sizes],
    },
  ],
  [
    `PATCH ${PROJECT}`,
    { project: { name: 'changed', default_endpoint_settings: defaults, history_retention_seconds: 60 } },
  ],
  [
    `POST ${BRANCHES}`,
    {
      branch: {
        parent_id: 'BRANCH',
        name: 'new',
        parent_lsn: '0/1',
        parent_timestamp: time,
        init_source: 'parent-data',
        expires_at: inAnHour,
      },
      endpoints: [{ type: 'read_only', ...endpoint }],
    },
  ],
  [`POST ${BRANCHES}`, { branch: { protected: true } }],
  [`PATCH ${BRANCH}`, { branch: { name: 'changed' } }],
  [`PATCH ${BRANCH}`, { branch: { protected: true } }],
  [`PATCH ${BRANCH}`, { branch: { expires_at: inAnHour } }],
  [
    `POST ${BRANCH}/restore`,
    { source_branch_id: 'ROOT', source_lsn: '0/1', preserve_under_name: 'before' },
    { branch: { parent_lsn: '0/1' } },
  ],
  [
    `POST ${BRANCH}/restore`,
    { source_branch_id: 'ROOT', source_timestamp: time },
    { branch: { parent_id: 'ROOT', parent_timestamp: time } },
  ],
  [`POST ${BRANCH}/databases`, { database: { name: 'books', owner_name: 'app_owner' } }],
  [`PATCH ${BRANCH}/databases/{database_name}`, { database: { name: 'b', owner_name: 'app_owner' } }],
  [`POST ${BRANCH}/roles`, { role: { name: 'ann' } }],
  [
    `POST ${BRANCH}/roles`,
    { role: { name: 'bob', no_login: true } },
    { role: { authentication_method: 'no_login' } },
  ],
  [
    `POST ${ENDPOINTS}`,
    {
      endpoint: { branch_id: 'BRANCH', region_id: 'local-east-1', type: 'read_write', name: 'x', ...changed },
    },
  ],
  [`POST ${ENDPOINTS}`, { endpoint: { branch_id: 'BRANCH', type: 'read_write', disabled: true } }],
  [`PATCH ${ENDPOINTS}/{endpoint_id}`, { endpoint: { name: 'x', ...changed } }],
  [`PATCH ${ENDPOINTS}/{endpoint_id}`, { endpoint: { branch_id: 'BRANCH' } }],
  [`PATCH ${ENDPOINTS}/{endpoint_id}`, { endpoint: { disabled: true } }],
];

/** Refused with everything in it. */
const REFUSED: readonly (readonly [call: string, attribute: string, value: unknown])[] = [
  [`POST ${ALL}`, 'project.branch.annotations', { a: 'b' }],
  [`POST ${BRANCHES}`, 'branch.archived', true],
  [`POST ${BRANCHES}`, 'annotation_value', { a: 'b' }],
  ...[`POST ${ALL}`, `PATCH ${PROJECT}`].flatMap((call) =>
    Object.entries({
      quota: { active_time_seconds: 1 },
      allowed_ips: { ips: ['127.0.0.1'] },
      enable_logical_replication: true,
      maintenance_window: { weekdays: [1], start_time: '01:00', end_time: '02:00' },
      block_public_connections: true,
      block_vpc_connections: true,
      audit_log_level: 'base',
      hipaa: true,
      preload_libraries: { use_defaults: true },
    }).map(([name, value]) => [call, `project.settings.${name}`, value] as const),
  ),
];

/** Each has its effect, or none because the emulator has nothing to include, recover or wait for. */
const QUERY_PARAMETERS: Readonly<Record<string, string>> = {
  [`GET ${ALL}`]: 'cursor limit search org_id recoverable timeout',
  [`GET ${ALL}/shared`]: 'cursor limit search timeout',
  [`GET ${PROJECT}/operations`]: 'cursor limit',
  [`GET ${PROJECT}/connection_uri`]: 'branch_id endpoint_id database_name role_name pooled',
  [`GET ${BRANCHES}`]: 'search sort_by sort_order cursor limit include_deleted',
  [`GET ${BRANCHES}/count`]: 'search',
  [`GET ${BRANCH}/schema`]: 'db_name lsn timestamp format',
  [`DELETE ${BRANCH}`]: 'hard_delete',
  'GET /regions': 'org_id',
};

const nameOf = ({ method, path }: OfficialCall) => `${method} ${path}`;
const served = new Set(
  [...listServedCalls()].flatMap(([path, methods]) =>
    methods.map((method) => `${method.toUpperCase()} ${path}`),
  ),
);

/** The attributes of a body without attributes of their own. */
function leavesOf(body: unknown, prefix = ''): string[] {
  if (Array.isArray(body)) return body.flatMap((item) => leavesOf(item, prefix));
  if (typeof body !== 'object' || body === null) return [prefix];
  return Object.entries(body).flatMap(([name, part]) =>
    leavesOf(part, prefix === '' ? name : `${prefix}.${name}`),
  );
}

/** Sends a call to the branch `feature`, to its database, or to an endpoint of another branch. */
async function send(call: string, body?: object): Promise<{ response: ServiceResponse; fill: Fill }> {
  const { emulator, project, branch, call: request } = await startService();
  const [root] = emulator.branches(project.id);
  const other = emulator.createBranch(project.id);
  const { id } = emulator.createEndpoint(project.id, { branch_id: other.id, type: 'read_write' });
  const ids: Record<string, string> = {
    project_id: project.id,
    branch_id: branch.id,
    endpoint_id: id,
    database_name: 'app',
    org_id: 'emulator-account',
  };
  const fill: Fill = (value) =>
    JSON.parse(
      JSON.stringify(value).replaceAll('"BRANCH"', `"${branch.id}"`).replaceAll('"ROOT"', `"${root?.id}"`),
    );
  const [method = '', path = ''] = call.split(' ');
  const url = path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? 'none');
  return { response: await request(method, url, body && fill(body)), fill };
}
type Fill = (value: object) => object;

describe('the official description', () => {
  let calls: OfficialCall[];
  beforeAll(() => {
    calls = listDescribedCalls().filter((call) => served.has(nameOf(call)));
  });

  it('has no attribute of a served call that this file lacks', () => {
    const known = new Set([
      ...SERVED.flatMap(([call, body]) => leavesOf(body).map((attribute) => `${call} ${attribute}`)),
      ...REFUSED.map(([call, attribute]) => `${call} ${attribute}`),
    ]);
    const isKnown = (call: string, attribute: string): boolean =>
      attribute
        .split('.')
        .some((_name, index, names) => known.has(`${call} ${names.slice(0, index + 1).join('.')}`)) ||
      [...known].some((one) => one.startsWith(`${call} ${attribute}.`));
    const unknown = calls.flatMap((call) =>
      call.attributes
        .filter((attribute) => !isKnown(nameOf(call), attribute))
        .map((each) => `${nameOf(call)} ${each}`),
    );
    expect(unknown).toEqual([]);
  });

  it('has no query parameter of a served call that this file lacks', () => {
    const unknown = calls.flatMap((call) => {
      const known = QUERY_PARAMETERS[nameOf(call)]?.split(' ') ?? [];
      return call.queryParameters
        .filter((each) => !known.includes(each))
        .map((each) => `${nameOf(call)} ${each}`);
    });
    expect(unknown).toEqual([]);
  });
});

it('an official call that the emulator does not serve is 501, by name', async () => {
  const official = [...listDescribedCalls().map(nameOf), ...listSdkCalls()];
  const unserved = [...new Set(official)].filter((call) => !served.has(call));
  expect(unserved.filter((call) => !isKnownAsRefused(call))).toEqual([]);
  const { call } = await startService();
  for (const name of unserved) {
    const [method = '', path = ''] = name.split(' ');
    const { status, body } = await call(method, path);
    expect([name, status, body?.message]).toEqual([name, 501, expect.stringContaining(`${method} `)]);
  }
});

it.each(SERVED.map(([call, body, shown = body]) => [call, body, shown] as const))(
  '%s shows every attribute of %j',
  async (call, body, shown) => {
    const { response, fill } = await send(call, body);
    expect([response.status, response.body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
    expect(response.body).toMatchObject(fill(shown));
  },
);

it.each(REFUSED)('%s refuses %s (501)', async (call, attribute, value) => {
  const body = attribute
    .split('.')
    .reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
  const { response } = await send(call, body);
  expect([response.status, response.body?.message]).toEqual([501, expect.stringContaining(attribute)]);
});
