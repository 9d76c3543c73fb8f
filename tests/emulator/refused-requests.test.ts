import { randomUUID } from 'node:crypto';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RateLimiter } from '../../emulator/src/http/rate-limiter';
import { startService } from '../support/service-client';

// What the service refuses, whatever happened before. Words in capitals are replaced by what `start` has made.

const refusal = { request_id: expect.any(String), code: expect.any(String), message: expect.any(String) };
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const inAnHour = inSeconds(3600);
const inAMonth = inSeconds(30 * 24 * 3600 + 60);

/** A project with an endpoint on its root branch, an empty default branch, a parent with a child, and a branch that expires. */
async function start(options: EmulatorOptions) {
  const { emulator, project, branch, call } = await startService(options);
  const create = (name: string, parentId?: string) =>
    emulator.createBranch(project.id, { name, ...(parentId && { parentId }) }).id;
  const parent = create('parent');
  const expiring = create('expiring');
  emulator.changeBranch(project.id, expiring, { expires_at: inAnHour });
  const PROJECT = `/projects/${project.id}`;
  await call('POST', `${PROJECT}/branches/${branch.id}/set_as_default`);
  const words: Record<string, string> = {
    PROJECT,
    BRANCHES: `${PROJECT}/branches`,
    ENDPOINT: emulator.endpoints(project.id)[0]?.id ?? '',
    ROOT: branch.parent_id ?? '',
    EMPTY: branch.id,
    PARENT: parent,
    CHILD: create('child', parent),
    EXPIRING: expiring,
    UNKNOWN: randomUUID(),
  };
  const fill = (text: string) => text.replace(/\b[A-Z]+\b/g, (word) => words[word] ?? word);
  return { call, fill };
}

/** The beginning of the status, code and message; a call; and a body. */
type Row = [what: string, expected: string, call: string, body?: object];

function refuses(rows: readonly Row[], options: EmulatorOptions = {}): void {
  it.each<Row>(rows)('refuses %s: %s', async (_what, expected, request, body) => {
    const { call, fill } = await start(options);
    const [method = '', path = ''] = request.split(' ');
    const response = await call(method, fill(path), body && fill(JSON.stringify(body)));
    expect(response.body).toEqual(refusal);
    const { code, message } = { ...response.body };
    expect(`${response.status} ${code} ${message}`).toMatch(new RegExp(`^${fill(expected)}`));
  });
}

const size = (min: number, max: number) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });
const newEndpoint = (attributes: object) =>
  [
    'POST PROJECT/endpoints',
    { endpoint: { branch_id: 'EMPTY', type: 'read_write', ...attributes } },
  ] as const;
const newBranch = (branch: object) => ['POST BRANCHES', { branch }] as const;
const newRole = (name: string) => ['POST BRANCHES/EMPTY/roles', { role: { name } }] as const;
const newDatabase = (name: string, owner_name = 'app_owner') =>
  ['POST BRANCHES/EMPTY/databases', { database: { name, owner_name } }] as const;

describe('an endpoint', () => {
  refuses([
    ['no branch', '400', ...newEndpoint({ branch_id: undefined })],
    ['no type', '400', ...newEndpoint({ type: undefined })],
    ['an unknown type', '400', ...newEndpoint({ type: 'primary' })],
    ['an unknown branch', '404', ...newEndpoint({ branch_id: 'br-none' })],
    ['one bound only', '400', ...newEndpoint({ autoscaling_limit_min_cu: 1 })],
    ['a minimum above the maximum', '400', ...newEndpoint(size(2, 1))],
    ['a size that is none', '400', ...newEndpoint(size(0.3, 1))],
    ['a size beyond 8 CU', '400', ...newEndpoint(size(8, 9))],
    ['a delay of 8 days', '400', ...newEndpoint({ suspend_timeout_seconds: 691_200 })],
    ['an empty name', '400', ...newEndpoint({ name: '' })],
    ['a name of 65 characters', '400', ...newEndpoint({ name: 'n'.repeat(65) })],
    ['a setting of 4', '400', ...newEndpoint({ settings: { pg_settings: { work_mem: 4 } } })],
    [
      'two of one branch',
      '400',
      'POST BRANCHES',
      { endpoints: [{ type: 'read_write' }, { type: 'read_write' }] },
    ],
    ['a second one of a branch', '409 .*ENDPOINT', ...newEndpoint({ branch_id: 'ROOT' })],
    ['none of a type in a new branch', '400', 'POST BRANCHES', { endpoints: [{}] }],
    ['a delete of an unknown one', '404', 'DELETE PROJECT/endpoints/ep-never-there-1'],
  ]);
});

describe('a limit', () => {
  refuses([['an endpoint', '422 ENDPOINTS_LIMIT_EXCEEDED', ...newEndpoint({})]], { maxEndpoints: 1 });
  refuses([['a second request', '429', 'GET /projects']], { requestsPerMinute: 1 });

  it('of requests does not count those that it refuses', () => {
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    const limiter = new RateLimiter(1);
    const waits = [0, 30_000, 60_000].map((ms) => {
      now.mockReturnValue(ms);
      return limiter.take();
    });
    expect(waits).toEqual([0, 30, 0]);
  });
});

describe('projects and branches', () => {
  refuses([
    ['an unknown project', '404', 'GET /projects/none'],
    ['an empty name', '400', 'PATCH PROJECT', { project: { name: '' } }],
    [
      'half a default size',
      '400',
      'PATCH PROJECT',
      { project: { default_endpoint_settings: { autoscaling_limit_min_cu: 1 } } },
    ],
    ['an unknown parent', '404', ...newBranch({ parent_id: 'br-none' })],
    [
      'a taken name',
      '409 BRANCH_ALREADY_EXISTS branch already exists; branch_name:"parent"$',
      ...newBranch({ name: 'parent' }),
    ],
    ['a change to a taken name', '409', 'PATCH BRANCHES/CHILD', { branch: { name: 'parent' } }],
    ['a delete of the default branch', '422 BRANCH_IS_DEFAULT', 'DELETE BRANCHES/EMPTY'],
    ['a delete of the root branch', '422 BRANCH_IS_ROOT', 'DELETE BRANCHES/ROOT'],
    ['a delete of a branch with a child', '422 BRANCH_HAS_CHILD', 'DELETE BRANCHES/PARENT'],
    ...['parent-schema', 'import'].map(
      (init_source): Row => [init_source, '501 .*branch.init_source', ...newBranch({ init_source })],
    ),
  ]);
});

describe('an expiry', () => {
  const expire = (branch: string, expires_at = inAnHour) =>
    [`PATCH BRANCHES/${branch}`, { branch: { expires_at } }] as const;
  refuses([
    ['in the past', '400', ...expire('CHILD', inSeconds(-60))],
    ['in more than 30 days', '400', ...expire('CHILD', inAMonth)],
    ['in more than 30 days, at a create', '400', ...newBranch({ expires_at: inAMonth })],
    ['without a time zone', '400', ...expire('CHILD', '2099-01-01T00:00:00')],
    ['of the default branch', '422', ...expire('EMPTY')],
    ['of a root branch', '422', ...expire('ROOT')],
    ['of a parent', '422', ...expire('PARENT')],
    ['of a protected branch', '422', ...newBranch({ expires_at: inAnHour, protected: true })],
    ['with protection', '422', 'PATCH BRANCHES/EXPIRING', { branch: { protected: true } }],
    ['with a child', '422', ...newBranch({ parent_id: 'EXPIRING' })],
    ['of what becomes the default branch', '422', 'POST BRANCHES/EXPIRING/set_as_default'],
  ]);
});

describe('a restore', () => {
  const past = { source_lsn: '0/1' };
  const restore = (branch: string, source: string, more: object = {}) =>
    [`POST BRANCHES/${branch}/restore`, { source_branch_id: source, ...more }] as const;
  const twice = { ...past, source_timestamp: '2026-01-31T08:00:00Z' };
  refuses([
    ['from itself without a time', '400', ...restore('CHILD', 'CHILD', { preserve_under_name: 'x' })],
    ['to a time and an LSN', '400', ...restore('CHILD', 'PARENT', twice)],
    ['under a taken name', '409', ...restore('CHILD', 'PARENT', { preserve_under_name: 'feature' })],
    ['from no such source', '404', ...restore('CHILD', 'br-none')],
    ['from itself without a name for the previous state', '422', ...restore('CHILD', 'CHILD', past)],
    ['of a parent without such a name', '422', ...restore('PARENT', 'ROOT')],
  ]);
});

describe('roles and databases', () => {
  refuses([
    ['an existing role', '409 ROLE_EXISTS', ...newRole('app_owner')],
    ['a role without a name', '400', ...newRole('')],
    ['a role with a name of 64 bytes', '400', ...newRole('é'.repeat(32))],
    ['a role with a name that no URI can have', '400', ...newRole('\ud800')],
    ['the superuser', '400', ...newRole('cloud_admin')],
    ['a predefined role', '400', ...newRole('pg_execute_server_program')],
    ['a word of SQL', '400', ...newRole('public')],
    ['a delete of an owner', '422 ROLE_OWNS_DATABASE', 'DELETE BRANCHES/EMPTY/roles/app_owner'],
    ['an existing database', '409 DATABASE_EXISTS', ...newDatabase('app')],
    ['an unknown owner', '404', ...newDatabase('other', 'nobody')],
    ...['postgres', 'template0', 'template1'].flatMap((name): Row[] => [
      [`the database ${name}`, '400', ...newDatabase(name)],
      [`a change to ${name}`, '400', 'PATCH BRANCHES/EMPTY/databases/app', { database: { name } }],
    ]),
    [
      'the owner pg_owner',
      '400 .*"pg_owner"',
      'POST /projects',
      { project: { branch: { database_name: 'pg' } } },
    ],
  ]);
});

describe('a GET', () => {
  const queries: Row[] = [
    ['/projects', 'timeout=99', 'recoverable=maybe', 'org_id=A_B', 'limit=1&limit=2', 'cursor=nothing'],
    ['/projects/shared', 'limit=0', 'limit=401', 'timeout=99', 'cursor=none'],
    ['BRANCHES', 'sort_by=size', 'sort_order=up', 'include_deleted=1', 'limit=10001', 'cursor=none'],
    ['PROJECT/operations', 'limit=0', 'limit=1001', 'limit=ten', 'limit=-1'],
    ['PROJECT/operations', 'cursor=yesterday', 'cursor=2026-99-99T00:00:00Z', 'cursor='],
  ].flatMap(([path, ...each]) =>
    each.map((query): Row => [`${path}?${query}`, '400', `GET ${path}?${query}`]),
  );
  const uri = (query: string) => `GET PROJECT/connection_uri?${query}`;
  const ofApp = 'database_name=app&role_name=app_owner';
  refuses([
    ...queries,
    ['a URI without a role', '400', uri('database_name=app')],
    ['a URI of an unknown role', '404', uri('database_name=app&role_name=none')],
    ['a URI of an unknown database', '404', uri('database_name=none&role_name=app_owner')],
    ['a URI of a branch without an endpoint', '404', uri(ofApp)],
    ["a URI of another branch's endpoint", '400', uri(`${ofApp}&branch_id=EMPTY&endpoint_id=ENDPOINT`)],
    ['an unknown route', '501', 'GET /nowhere'],
    ['an unknown operation', '404', 'GET PROJECT/operations/UNKNOWN'],
    ['an id that is not URL-encoded', '400', 'GET /projects/%ZZ'],
    ['an id of 300 characters', '414', `GET /projects/${'p'.repeat(300)}`],
  ]);
});
