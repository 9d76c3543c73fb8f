import { expect, it } from 'vitest';
import { sendRequest } from '../support/send-request';
import { startService } from '../support/service-client';

async function startAdmin() {
  const service = await startService();
  const url = service.emulator.url.replace('/api/v2', '/admin');
  const call = async (method: string, path: string, body?: object) => {
    const response = await sendRequest({ ...service.emulator, url }, method, path, body);
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : undefined };
  };
  return { ...service, admin: call };
}

it('/admin/faults injects, counts and clears a fault', async () => {
  const { admin, call } = await startAdmin();
  const effect = { kind: 'status', status: 503, retryAfterSeconds: 7 };
  const { status, body } = await admin('POST', '/faults', {
    match: { method: 'GET', path: '/projects' },
    effect,
    times: 'always',
  });
  expect(status).toBe(201);
  const failed = await call('GET', '/projects');
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '7']);
  expect((await admin('GET', '/faults')).body.faults).toMatchObject([{ id: body.fault.id, hits: 1 }]);
  expect((await admin('DELETE', `/faults/${body.fault.id}`)).status).toBe(204);
  expect((await call('GET', '/projects')).status).toBe(200);
});

it('POST /admin/faults rejects an invalid fault', async () => {
  const { admin } = await startAdmin();
  const { status, body } = await admin('POST', '/faults', { effect: { kind: 'explode' } });
  expect([status, body.message]).toEqual([400, expect.stringMatching(/effect.kind must be one of/)]);
});

it('/admin/projects/{id}/lock locks a project and releases it', async () => {
  const { admin, project, create } = await startAdmin();
  await admin('POST', `/projects/${project.id}/lock`);
  expect((await create()).status).toBe(423);
  await admin('DELETE', `/projects/${project.id}/lock`);
  expect((await create()).status).toBe(201);
});

it('/admin/endpoints/{id} changes, connects to and deletes an endpoint', async () => {
  const { admin, createActive, held } = await startAdmin();
  const id = await createActive();
  await admin('PATCH', `/endpoints/${id}`, { endpoint: { suspend_timeout_seconds: 60 } });
  expect(held(id)?.suspend_timeout_seconds).toBe(60);
  expect((await admin('POST', `/endpoints/${id}/connect`)).body).toEqual({ operations: [] });
  await admin('DELETE', `/endpoints/${id}`);
  expect(held(id)).toBeUndefined();
});

it('/admin adds an endpoint of another client', async () => {
  const { admin, emulator, project, branch } = await startAdmin();
  const endpoint = { branch_id: branch.id, type: 'read_write', name: 'other' };
  const made = await admin('POST', `/projects/${project.id}/endpoints`, { endpoint, ageMs: 1000 });
  expect([made.status, made.body.endpoint]).toEqual([201, emulator.endpoints(project.id)[1]]);
});

it.each([
  ['POST', '/projects/:p/endpoints', { endpoint: { branch_id: ':b', type: 'read_write' }, age: 1 }],
  ['POST', '/projects/:p/endpoints', {}],
])('%s /admin%s rejects the body %j', async (method, path, body) => {
  const { admin, project, branch } = await startAdmin();
  const url = path.replace(':p', project.id);
  const requested = JSON.parse(JSON.stringify(body).replace(':b', branch.id));
  expect((await admin(method, url, requested)).status).toBe(400);
});
