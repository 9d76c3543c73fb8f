import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

describe('deleting an endpoint', () => {
  it('a second delete is 204', async () => {
    const { call, endpoints, createActive, settled, held } = await startService();
    const id = await createActive();
    expect((await call('DELETE', `${endpoints}/${id}`)).status).toBe(200);
    await settled();
    expect(held(id)).toBeUndefined();
    const again = await call('DELETE', `${endpoints}/${id}`);
    expect([again.status, again.body]).toEqual([204, undefined]);
  });

  it('an endpoint that is being deleted refuses connections', async () => {
    const { emulator, call, endpoints, createActive } = await startService();
    const id = await createActive();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    await call('DELETE', `${endpoints}/${id}`);
    expect(() => emulator.connect(id)).toThrow(`endpoint ${id} is being deleted`);
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
});
