import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

/** The raw response to a create that the fault applies to, and the number of endpoints afterwards: 1 without the new one. */
async function createWith(effect: RequestEffect) {
  const { emulator, project, branch, endpoints } = await startService();
  emulator.inject({ match: { method: 'POST' }, effect });
  const response = await fetch(`${emulator.url}${endpoints}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: { branch_id: branch.id, type: 'read_write' } }),
  });
  return { response, emulator, held: () => emulator.endpoints(project.id).length };
}

describe('a proxy-page fault', () => {
  it.each([
    [200, 'before-work', 1],
    [201, 'after-work', 2],
    [302, 'before-work', 1],
    [404, 'before-work', 1],
    [502, 'after-work', 2],
    [599, 'before-work', 1],
  ] as const)('of status %i %s is HTML without a request id', async (status, when, held) => {
    const result = await createWith({ kind: 'proxy-page', status, when });
    const { headers } = result.response;
    expect([result.response.status, result.held()]).toEqual([status, held]);
    expect([headers.get('content-type'), headers.get('x-request-id')]).toEqual(['text/html', null]);
    expect(await result.response.text()).toContain(`<h1>${status} `);
  });

  it('a proxy page can be JSON', async () => {
    const body = '{"message":"no Route matched"}';
    const effect = { kind: 'proxy-page', status: 404, contentType: 'application/json', body } as const;
    const { response } = await createWith(effect);
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['application/json', body]);
  });

  it('a proxy page has no body with a status that HTTP defines without one', async () => {
    const { response } = await createWith({ kind: 'proxy-page', status: 204 });
    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('the request log contains the status of a proxy page', async () => {
    const { emulator } = await createWith({ kind: 'proxy-page', status: 200, when: 'after-work' });
    expect(emulator.requests()).toMatchObject([{ method: 'POST', status: 200 }]);
  });
});

describe('a cut-off fault', () => {
  it('a cut-off response has a 2xx status and all headers', async () => {
    const { response, held } = await createWith({ kind: 'cut-off' });
    expect([response.status, held()]).toEqual([201, 2]);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(500);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
  });

  it('the first half of a cut-off body arrives', async () => {
    const { response } = await createWith({ kind: 'cut-off' });
    const arrived: Uint8Array[] = [];
    const readAll = async () => {
      for await (const part of response.body ?? []) arrived.push(part);
    };
    await expect(readAll()).rejects.toThrow();
    expect(Buffer.concat(arrived).toString()).toMatch(/^\{"endpoint":/);
    expect(Buffer.concat(arrived)).toHaveLength(
      Math.floor(Number(response.headers.get('content-length')) / 2),
    );
  });

  it('a cut-off gzip body is complete, but its stream breaks', async () => {
    const { response, held } = await createWith({ kind: 'cut-off', encoding: 'gzip' });
    expect([response.status, held()]).toEqual([201, 2]);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'Z_DATA_ERROR' } });
  });

  it('a cut-off fault does not change a response without a body', async () => {
    const { emulator, call, endpoints, createActive } = await startService();
    const id = await createActive();
    emulator.deleteEndpoint(id);
    const fault = emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'cut-off' } });
    expect([(await call('DELETE', `${endpoints}/${id}`)).status, fault.hits]).toEqual([204, 1]);
  });
});
