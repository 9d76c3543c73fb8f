import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { readOfficialDescription } from '../support/official-description';
import { listServedCalls } from '../support/served-calls';
import { type ServiceResponse, startService } from '../support/service-client';

// Checks every response in the life of an endpoint against the OpenAPI description.

interface ApiDescription {
  readonly paths: Record<string, Record<string, { responses: Record<string, Reference> } | undefined>>;
}

interface Reference {
  readonly $ref?: string;
  readonly content?: Record<string, unknown>;
}

const description = readOfficialDescription<ApiDescription>();
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addFormat('int', true);
ajv.addSchema(description, 'api');

/** The differences between the response and the description; empty if it matches. */
function findViolations(method: string, path: string, response: ServiceResponse): unknown[] {
  const responses = description.paths[path]?.[method.toLowerCase()]?.responses;
  if (!responses) return [`${method} ${path} is not described`];
  const status = String(response.status);
  const key = responses[status] ? status : 'default';
  const pointer = ['paths', path, method.toLowerCase(), 'responses', key].map(escapePointer).join('/');
  const reference = responses[key]?.$ref ?? `#/${pointer}`;
  if (response.status === 204) return response.body === undefined ? [] : ['a 204 has no body'];
  const validate = ajv.compile({ $ref: `api${reference}/content/application~1json/schema` });
  return validate(response.body)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

const oneProject = '/projects/{project_id}';
const allEndpoints = `${oneProject}/endpoints`;
const oneEndpoint = `${allEndpoints}/{endpoint_id}`;
const allBranches = `${oneProject}/branches`;
const oneBranch = `${allBranches}/{branch_id}`;
const allRoles = `${oneBranch}/roles`;
const oneRole = `${allRoles}/{role_name}`;
const allDatabases = `${oneBranch}/databases`;
const oneDatabase = `${allDatabases}/{database_name}`;
const allOperations = `${oneProject}/operations`;

it("every call and response of an endpoint's life matches OpenAPI", async () => {
  const { emulator, project, branch, call, settled } = await startService();
  const ids: Record<string, string> = {
    project_id: project.id,
    branch_id: branch.id,
    role_name: 'reader',
    database_name: 'books',
  };
  const rootId = emulator.endpoints(project.id)[0]?.branch_id;
  const checked = new Set([`DELETE ${oneProject}`]);
  const step = async (method: string, path: string, status: number, body?: object, query = '') => {
    const url = path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? 'none');
    const response = await call(method, url + query, body);
    const label = `${method} ${path} ${response.status}`;
    expect([label, findViolations(method, path, response)]).toEqual([`${method} ${path} ${status}`, []]);
    checked.add(`${method} ${path}`);
    await settled();
    return response;
  };

  await step('POST', '/projects', 201, { project: { name: 'contract' } });
  await step('GET', '/projects', 200);
  await step('GET', '/projects/shared', 200, undefined, '?limit=1&search=x&timeout=100');
  await step('GET', oneProject, 200);
  await step('PATCH', oneProject, 200, { project: { history_retention_seconds: 3600 } });
  await step('GET', allBranches, 200);
  await step('GET', `${allBranches}/count`, 200, undefined, '?search=feat');
  await step('GET', `${oneBranch}/schema`, 501, undefined, '?db_name=app');
  await step('POST', allBranches, 201, { branch: { name: 'b' }, endpoints: [{ type: 'read_write' }] });
  await step('GET', oneBranch, 200);
  await step('POST', `${oneBranch}/restore`, 200, { source_branch_id: rootId });
  await step('PATCH', oneBranch, 200, { branch: { name: 'c', protected: true } });
  await step('POST', `${oneBranch}/set_as_default`, 200);
  await call('POST', `/projects/${project.id}/branches/${rootId}/set_as_default`);
  await step('POST', allRoles, 201, { role: { name: 'reader' } });
  await step('POST', allRoles, 409, { role: { name: 'reader' } });
  await step('GET', allRoles, 200);
  await step('GET', oneRole, 200);
  await step('GET', `${oneRole}/reveal_password`, 200);
  await step('POST', `${oneRole}/reset_password`, 200);
  await step('POST', allDatabases, 201, { database: { name: 'books', owner_name: 'app_owner' } });
  await step('GET', allDatabases, 200);
  await step('GET', oneDatabase, 200);
  await step('PATCH', oneDatabase, 200, { database: { owner_name: 'reader' } });
  const access = '?database_name=books&role_name=reader&pooled=true';
  await step('GET', `${oneProject}/connection_uri`, 404, undefined, access);
  await step('DELETE', oneRole, 422);
  await step('DELETE', oneDatabase, 200);
  await step('DELETE', oneDatabase, 204);
  await step('GET', oneDatabase, 404);
  await step('DELETE', oneRole, 200);
  await step('DELETE', oneRole, 204);
  await step('GET', `${oneRole}/reveal_password`, 404);
  await step('GET', '/regions', 200);
  await step('GET', '/users/me', 200);
  await step('GET', '/users/me/organizations', 200);
  ids.org_id = 'emulator-account';
  await step('GET', '/organizations/{org_id}', 200);
  const created = await step('POST', allEndpoints, 201, {
    endpoint: { branch_id: branch.id, type: 'read_write', name: 'api', suspend_timeout_seconds: 600 },
  });
  await step('GET', `${oneProject}/connection_uri`, 200, undefined, '?database_name=app&role_name=app_owner');
  ids.endpoint_id = created.body?.endpoint.id ?? '';
  ids.operation_id = created.body?.operations[0]?.id ?? '';
  await step('GET', allEndpoints, 200);
  await step('GET', oneEndpoint, 200);
  const sizes = { autoscaling_limit_min_cu: 0.5, autoscaling_limit_max_cu: 2 };
  await step('PATCH', oneEndpoint, 200, {
    endpoint: { ...sizes, settings: { pg_settings: { work_mem: '8MB' } } },
  });
  await step('POST', `${oneEndpoint}/restart`, 200);
  await step('POST', `${oneEndpoint}/suspend`, 200);
  await step('POST', `${oneEndpoint}/start`, 200);
  const target = emulator.createBranch(project.id);
  await step('PATCH', oneEndpoint, 200, { endpoint: { branch_id: target.id } });
  await step('GET', allOperations, 200, undefined, '?limit=2');
  await step('GET', `${allOperations}/{operation_id}`, 200);
  await step('POST', allEndpoints, 400, { endpoint: { type: 'read_write' } });
  await step('POST', allEndpoints, 409, { endpoint: { branch_id: target.id, type: 'read_write' } });
  const release = emulator.lockProject(project.id);
  const locked = await call('PATCH', `/projects/${project.id}/endpoints/${ids.endpoint_id}`, {
    endpoint: { name: 'x' },
  });
  expect([locked.status, findViolations('PATCH', oneEndpoint, locked)]).toEqual([423, []]);
  release();
  await step('GET', `${allBranches}/{branch_id}/endpoints`, 200);
  await step('DELETE', oneEndpoint, 200);
  await step('DELETE', oneEndpoint, 204);
  await step('GET', oneEndpoint, 404);
  await step('DELETE', `${allBranches}/{branch_id}`, 422);
  await step('PATCH', oneBranch, 200, { branch: { protected: false } });
  await step('DELETE', `${allBranches}/{branch_id}`, 200);
  await step('DELETE', `${allBranches}/{branch_id}`, 204);
  await step('GET', `${allBranches}/{branch_id}`, 404);
  const deleted = await call('DELETE', `/projects/${project.id}`);
  expect([deleted.status, findViolations('DELETE', oneProject, deleted)]).toEqual([200, []]);
  const served = [...listServedCalls()].flatMap(([path, methods]) =>
    methods.map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...checked].toSorted()).toEqual(served.toSorted());
});

it('a wrong key is 401 and matches the OpenAPI description', async () => {
  const { call } = await startService();
  const response = await call('GET', '/projects', undefined, 'wrong');
  expect([response.status, findViolations('GET', '/projects', response)]).toEqual([401, []]);
});

it.each([
  ['without a required field', 'host', undefined, 'host'],
  ['with a field of the wrong type', 'autoscaling_limit_min_cu', '0.25', '/autoscaling_limit_min_cu'],
  ['with an invalid time', 'created_at', 'yesterday', '/created_at'],
])('the contract check detects a response %s', async (_case, field, value, expected) => {
  const { project, call } = await startService();
  const response = await call('GET', `/projects/${project.id}/endpoints`);
  const [endpoint] = response.body?.endpoints ?? [];
  // JSON omits undefined attributes.
  const broken = JSON.parse(JSON.stringify({ endpoints: [{ ...endpoint, [field]: value }] }));
  expect(findViolations('GET', allEndpoints, { ...response, body: broken })).toEqual([
    expect.stringContaining(expected),
  ]);
});
