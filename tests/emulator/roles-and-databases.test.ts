import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { actionsOf, type ServiceResponse, startService } from '../support/service-client';

/** Starts an emulator with calls on the roles and databases of the empty branch. */
async function startBranch(options: EmulatorOptions = {}) {
  const service = await startService(options);
  const { call, project, branch } = service;
  const path = `/projects/${project.id}/branches/${branch.id}`;
  const createRole = (name: string, attributes: object = {}) =>
    call('POST', `${path}/roles`, { role: { name, ...attributes } });
  const createDatabase = (name: string, owner_name = 'app_owner') =>
    call('POST', `${path}/databases`, { database: { name, owner_name } });
  const reveal = async (role: string, of = path) =>
    String((await call('GET', `${of}/roles/${role}/reveal_password`)).body?.password);
  const names = async (list: 'roles' | 'databases') => {
    const { body } = await call('GET', `${path}/${list}`);
    return ((body?.[list] ?? []) as { name: string }[]).map(({ name }) => name);
  };
  return { ...service, path, createRole, createDatabase, reveal, names };
}

const outcomeOf = (response: ServiceResponse) => [response.status, response.body?.code];

describe('roles', () => {
  it('only the create and the calls for passwords show a new password', async () => {
    const { call, path, createRole, reveal } = await startBranch();
    const created = await createRole('bob');
    expect(created.status).toBe(201);
    const password = await reveal('bob');
    expect(password).toMatch(/^[0-9a-f]{24}$/);
    const { body: shown } = await call('GET', `${path}/roles/bob`);
    expect(created.body?.role).toEqual({ ...Object(shown?.role), password });
    expect(shown?.role).not.toHaveProperty('password');
    expect((await call('GET', `${path}/roles`)).body?.roles).toContainEqual(shown?.role);
  });

  it('a reset changes the password', async () => {
    const { call, path, reveal } = await startBranch();
    const before = await reveal('app_owner');
    const reset = await call('POST', `${path}/roles/app_owner/reset_password`);
    expect([reset.status, actionsOf(reset)]).toEqual([200, ['apply_config']]);
    const after = await reveal('app_owner');
    expect(after).not.toBe(before);
    expect(reset.body?.role).toMatchObject({ name: 'app_owner', password: after });
  });

  it('a role that cannot log in has no password', async () => {
    const { call, path, createRole } = await startBranch();
    const created = await createRole('group', { no_login: true });
    expect(created.body?.role).not.toHaveProperty('password');
    expect((await call('GET', `${path}/roles/group/reveal_password`)).status).toBe(404);
    expect((await call('POST', `${path}/roles/group/reset_password`)).status).toBe(422);
  });

  it('a project that does not store passwords reveals none', async () => {
    const { call } = await startBranch();
    const { body } = await call('POST', '/projects', { project: { store_passwords: false } });
    const path = `/projects/${body?.project.id}/branches/${body?.branch.id}`;
    expect((await call('GET', `${path}/roles/app_owner/reveal_password`)).status).toBe(412);
  });

  it('no request in the log contains a password', async () => {
    const { emulator, call, path, createRole, reveal } = await startBranch();
    await createRole('bob');
    await call('POST', `${path}/roles/bob/reset_password`);
    expect(JSON.stringify(emulator.requests())).not.toContain(await reveal('bob'));
  });
});

describe('databases', () => {
  it('a database gets another name and owner', async () => {
    const { call, path, createRole, createDatabase } = await startBranch();
    await createRole('bob');
    const change = { name: 'main', owner_name: 'bob' };
    expect((await call('PATCH', `${path}/databases/app`, { database: change })).body?.database).toMatchObject(
      change,
    );
    expect((await call('GET', `${path}/databases/app`)).status).toBe(404);
    await createDatabase('more', 'bob');
    const taken = await call('PATCH', `${path}/databases/main`, { database: { name: 'more' } });
    expect(outcomeOf(taken)).toEqual([409, 'DATABASE_EXISTS']);
  });
});

describe('the operations of a change of roles and databases', () => {
  it('a change is apply_config; only roles and passwords drop connections', async () => {
    const { emulator, createRole, createDatabase, createActive, held, settled } = await startBranch();
    const endpointId = await createActive();
    for (const [create, drops] of [
      [createDatabase, 0],
      [createRole, 1],
    ] as const) {
      const { body } = await create('new');
      expect(body?.operations).toMatchObject([{ action: 'apply_config', endpoint_id: endpointId }]);
      await settled();
      expect(held(endpointId)?.current_state).toBe('active');
      expect(emulator.connectionDrops(endpointId)).toBe(drops);
    }
  });

  it('a change of an idle compute ends with suspend_compute', async () => {
    const { emulator, call, endpoints, createRole, createActive, held, settled } = await startBranch();
    const endpointId = await createActive();
    await call('POST', `${endpoints}/${endpointId}/suspend`);
    await settled();
    const drops = emulator.connectionDrops(endpointId);
    expect(actionsOf(await createRole('bob'))).toEqual(['apply_config', 'suspend_compute']);
    await settled();
    expect(held(endpointId)?.current_state).toBe('idle');
    expect(emulator.connectionDrops(endpointId)).toBe(drops);
  });
});

describe('the roles and databases of a branch', () => {
  it('a new branch has the roles, passwords and databases of its parent', async () => {
    const { call, project, branch, createRole, createDatabase, reveal } = await startBranch();
    await createRole('bob');
    await createDatabase('more', 'bob');
    const password = await reveal('bob');
    const child = await call('POST', `/projects/${project.id}/branches`, {
      branch: { parent_id: branch.id },
    });
    const branch_id = child.body?.branch.id;
    expect(child.body?.roles).toMatchObject([{ name: 'app_owner' }, { name: 'bob', branch_id, password }]);
    expect(child.body?.databases).toMatchObject([{ name: 'app', branch_id }, { name: 'more' }]);
    await call('DELETE', `/projects/${project.id}/branches/${branch_id}/databases/more`);
    expect((await call('GET', `/projects/${project.id}/branches/${branch.id}/databases/more`)).status).toBe(
      200,
    );
  });
});

describe('connection URIs', () => {
  const ofApp = 'database_name=app&role_name=app_owner';

  it('the URI leads to the read_write endpoint of the default branch', async () => {
    const { emulator, call, project, reveal } = await startBranch();
    const [endpoint] = emulator.endpoints(project.id);
    const password = await reveal('app_owner', `/projects/${project.id}/branches/${endpoint?.branch_id}`);
    const path = `/projects/${project.id}/connection_uri?${ofApp}`;
    const uriOf = async (query = '') => (await call('GET', path + query)).body?.uri;
    const uri = `postgresql://app_owner:${password}@${endpoint?.host}/app?sslmode=require`;
    expect(await uriOf()).toBe(uri);
    expect(await uriOf(`&endpoint_id=${endpoint?.id}`)).toBe(uri);
    const pooled = uri.replace(`${endpoint?.id}.`, `${endpoint?.id}-pooler.`);
    expect(await uriOf('&pooled=true')).toBe(pooled);
  });

  it('names in a URI are percent-encoded', async () => {
    const { call, project, branch, path, createRole, createActive, createDatabase } = await startBranch();
    await createActive();
    await createRole('a/b@c');
    await createDatabase('d e', 'a/b@c');
    const query = new URLSearchParams({ branch_id: branch.id, database_name: 'd e', role_name: 'a/b@c' });
    const { body } = await call('GET', `/projects/${project.id}/connection_uri?${query}`);
    const { username, pathname } = new URL(String(body?.uri));
    expect([username, pathname].map(decodeURIComponent)).toEqual(['a/b@c', '/d e']);
    expect((await call('GET', `${path}/roles/${encodeURIComponent('a/b@c')}`)).status).toBe(200);
  });
});
