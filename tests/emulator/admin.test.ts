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

it('/admin/endpoints/{id} connects to an endpoint and counts its restarts', async () => {
  const { admin, createActive } = await startAdmin();
  const id = await createActive();
  expect((await admin('POST', `/endpoints/${id}/connect`)).body).toEqual({ operations: [] });
  expect((await admin('GET', `/endpoints/${id}/restarts`)).body).toEqual({
    restarts: 0,
    connection_drops: 0,
  });
});
