import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

describe('deleting an endpoint', () => {
  it('a second delete is 204, and a delete of an unknown id is 404', async () => {
    const { call, endpoints, createActive, settled, held } = await startService();
    const id = await createActive();
    expect((await call('DELETE', `${endpoints}/${id}`)).status).toBe(200);
    await settled();
    expect(held(id)).toBeUndefined();
    const again = await call('DELETE', `${endpoints}/${id}`);
    expect([again.status, again.body]).toEqual([204, undefined]);
    expect((await call('DELETE', `${endpoints}/ep-never-there-1`)).status).toBe(404);
  });

  it.each([
    ['PATCH', ''],
    ['POST', '/start'],
    ['POST', '/suspend'],
    ['POST', '/restart'],
  ])('an endpoint that is being deleted refuses %s%s, even without locks', async (method, command) => {
    const { emulator, project, call, endpoints, createActive, held } = await startService({ locks: 'none' });
    const id = await createActive();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    const deleted = await call('DELETE', `${endpoints}/${id}`);
    const before = emulator.operations(project.id);
    const body = method === 'PATCH' ? { endpoint: { name: 'late' } } : undefined;
    const { status, body: refusal } = await call(method, `${endpoints}/${id}${command}`, body);
    expect([status, refusal?.message]).toEqual([409, `endpoint ${id} is being deleted`]);
    expect(() => emulator.connect(id)).toThrow('is being deleted');
    expect([emulator.operations(project.id), held(id)]).toEqual([before, deleted.body?.endpoint]);
  });

  it('a change of a deleting endpoint is 423 while the project is locked', async () => {
    const { emulator, project, branch, call, endpoints } = await startService({ operationMs: 60_000 });
    const { id } = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    await call('DELETE', `${endpoints}/${id}`);
    expect((await call('POST', `${endpoints}/${id}/suspend`)).status).toBe(423);
  });

  it('an endpoint can be changed after its delete has failed', async () => {
    const { emulator, call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    await call('DELETE', `${endpoints}/${id}`);
    await settled();
    const patched = await call('PATCH', `${endpoints}/${id}`, { endpoint: { name: 'kept' } });
    expect(patched.status).toBe(200);
  });

  it('a delete of an idle endpoint has no operations', async () => {
    const { call, endpoints, createActive, settled } = await startService();
    const id = await createActive();
    await call('POST', `${endpoints}/${id}/suspend`);
    await settled();
    expect(actionsOf(await call('DELETE', `${endpoints}/${id}`))).toEqual([]);
  });
});
