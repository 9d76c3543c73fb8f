import type { OperationEffect, RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

const createCall = { method: 'POST', path: '/projects/:projectId/endpoints' };

/** The raw response to a create that the fault applies to, and the number of endpoints afterwards: 1 without the new one. */
async function createWith(effect: RequestEffect) {
  const { emulator, project, branch, endpoints } = await startService();
  emulator.inject({ match: createCall, effect });
  const response = await fetch(`${emulator.url}${endpoints}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: { branch_id: branch.id, type: 'read_write' } }),
  });
  return { response, emulator, held: () => emulator.endpoints(project.id).length };
}

/** Where there is no endpoint any more, a DELETE has no body. */
async function deleteWith(effect: RequestEffect) {
  const { emulator, call, endpoints, createActive } = await startService();
  const id = await createActive();
  emulator.deleteEndpoint(id);
  const fault = emulator.inject({ match: { method: 'DELETE' }, effect });
  return { status: (await call('DELETE', `${endpoints}/${id}`)).status, hits: fault.hits };
}

describe('a request fault', () => {
  it.each([
    ['lost-before-work', 'does nothing', 1],
    ['lost-after-work', 'does the work', 2],
  ] as const)('%s breaks the connection and %s', async (kind, _work, held) => {
    const { emulator, project, create } = await startService();
    emulator.inject({ match: createCall, effect: { kind } });
    await expect(create()).rejects.toThrow();
    expect(emulator.endpoints(project.id)).toHaveLength(held);
    expect(emulator.requests().at(-1)?.status).toBeNull();
  });

  it.each([
    [400, 'before-work', 1],
    [429, 'after-work', 2],
    [503, 'before-work', 1],
    [599, 'after-work', 2],
  ] as const)('a status fault responds with %i %s', async (status, when, held) => {
    const { response, ...after } = await createWith({ kind: 'status', status, when });
    expect([response.status, after.held()]).toEqual([status, held]);
    expect(await response.json()).toEqual({
      request_id: response.headers.get('x-request-id'),
      code: 'INJECTED_FAULT',
      message: expect.any(String),
    });
  });

  it('a status fault after the work replaces a response without a body', async () => {
    const effect = { kind: 'status', status: 500, when: 'after-work' } as const;
    expect(await deleteWith(effect)).toMatchObject({ status: 500 });
  });

  it.each<[string, Partial<RequestEffect>, RegExp | null]>([
    ['in seconds', { retryAfterSeconds: 3 }, /^3$/],
    [
      'as a date',
      { retryAfterSeconds: 3, retryAfterFormat: 'http-date' },
      /^\w{3}, \d\d \w{3} \d{4} .* GMT$/,
    ],
    ['not at all', {}, null],
  ])('a status fault sends Retry-After %s', async (_case, effect, expected) => {
    const { response } = await createWith({ kind: 'status', status: 429, ...effect } as RequestEffect);
    const retryAfter = response.headers.get('retry-after');
    expect(retryAfter).toEqual(expected === null ? null : expect.stringMatching(expected));
  });

  it('a malformed fault truncates the JSON', async () => {
    const { response } = await createWith({ kind: 'malformed' });
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  it.each([
    [200, 'before-work', 1],
    [201, 'after-work', 2],
    [302, 'before-work', 1],
    [599, 'after-work', 2],
  ] as const)('a proxy page of %i %s is HTML without a request id', async (status, when, held) => {
    const { response, emulator, ...after } = await createWith({ kind: 'proxy-page', status, when });
    expect([response.status, after.held()]).toEqual([status, held]);
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('x-request-id')).toBeNull();
    expect(await response.text()).toContain(`<h1>${status} `);
    expect(emulator.requests()).toMatchObject([{ method: 'POST', status }]);
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

  it('a cut-off response has its status and headers, and half its body', async () => {
    const { response, held } = await createWith({ kind: 'cut-off' });
    expect([response.status, held()]).toEqual([201, 2]);
    expect(response.headers.get('x-request-id')).not.toBeNull();
    const arrived: Uint8Array[] = [];
    const readAll = async () => {
      for await (const part of response.body ?? []) arrived.push(part);
    };
    await expect(readAll()).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    const length = Number(response.headers.get('content-length'));
    expect(length).toBeGreaterThan(500);
    expect(Buffer.concat(arrived)).toHaveLength(Math.floor(length / 2));
    expect(String(Buffer.concat(arrived))).toMatch(/^\{"endpoint":/);
  });

  it('a cut-off gzip body is complete, but its stream breaks', async () => {
    const { response, held } = await createWith({ kind: 'cut-off', encoding: 'gzip' });
    expect([response.status, held()]).toEqual([201, 2]);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'Z_DATA_ERROR' } });
  });

  it('a cut-off fault does not change a response without a body', async () => {
    expect(await deleteWith({ kind: 'cut-off' })).toEqual({ status: 204, hits: 1 });
  });

  it.each([
    ['after-work', 2],
    ['before-work', 1],
  ] as const)('a slow fault %s delays the response', async (when, held) => {
    const { emulator, project, create } = await startService();
    const effect = { kind: 'slow', delayMs: 60_000, when } as const;
    const fault = emulator.inject({ match: createCall, effect });
    const responded = create().catch(() => undefined);
    await expect.poll(() => [fault.hits, emulator.endpoints(project.id).length]).toEqual([1, held]);
    expect(emulator.requests().at(-1)?.status).toBeNull();
    await emulator.stop();
    await responded;
  });

  it.each([
    ['repeated-operations', ['apply_config', 'suspend_compute', 'start_compute'], true],
    ['reversed-operations', ['start_compute', 'suspend_compute', 'apply_config'], false],
  ] as const)('%s changes only the list in the response', async (kind, actions, isTwice) => {
    const { emulator, call, endpoints, createActive } = await startService();
    const id = await createActive();
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind } });
    const response = await call('PATCH', `${endpoints}/${id}`, { endpoint: { autoscaling_limit_max_cu: 1 } });
    expect(actionsOf(response)).toEqual(isTwice ? [...actions, ...actions] : actions);
  });

  it.each([
    [{ method: 'DELETE' }, [200, 200, 200]],
    [{ path: '/projects/:projectId' }, [200, 200, 200]],
    [{ path: '/projects/:projectId/endpoints' }, [503, 503, 200]],
    [{ method: 'get' }, [503, 503, 200]],
  ])('a fault matching %j, two times, leads to %j', async (match, expected) => {
    const { emulator, call, endpoints } = await startService();
    const fault = emulator.inject({ match, effect: { kind: 'status', status: 503 }, times: 2 });
    const statuses: number[] = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await call('GET', endpoints)).status);
    expect([statuses, fault.hits]).toEqual([expected, expected.filter((status) => status === 503).length]);
  });
});

describe('an operation fault', () => {
  it.each([undefined, 'error', 'cancelled'] as const)(
    'an operation-fails fault ends an operation as %s with the error text',
    async (status) => {
      const { emulator, project, createActive } = await startService();
      const effect: OperationEffect = {
        kind: 'operation-fails',
        ...(status && { status }),
        error: 'no room',
      };
      emulator.inject({ match: { action: 'start_compute' }, effect });
      await createActive();
      expect(emulator.operations(project.id)[0]).toMatchObject({
        status: status ?? 'failed',
        error: 'no room',
        failures_count: status === 'cancelled' ? 0 : 1,
      });
    },
  );

  it('a failed operation cancels the later operations of its request', async () => {
    const { emulator, project, call, endpoints, createActive, settled, held } = await startService();
    const id = await createActive();
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    await call('PATCH', `${endpoints}/${id}`, { endpoint: { autoscaling_limit_max_cu: 1 } });
    await settled();
    const statuses = emulator.operations(project.id).map(({ status }) => status);
    expect(statuses.slice(0, 3)).toEqual(['cancelled', 'cancelled', 'failed']);
    expect(held(id)?.current_state).toBe('active');
  });

  it("a failed start leaves the compute idle, 'always' until cleared", async () => {
    const { emulator, call, endpoints, createActive, settled, held } = await startService();
    const effect = { kind: 'operation-fails' } as const;
    const fault = emulator.inject({ match: { action: 'start_compute' }, effect, times: 'always' });
    const id = await createActive();
    await call('POST', `${endpoints}/${id}/start`);
    await settled();
    expect([held(id)?.current_state, held(id)?.pending_state, fault.hits]).toEqual(['idle', undefined, 2]);
    fault.clear();
    await call('POST', `${endpoints}/${id}/start`);
    await settled();
    expect(held(id)?.current_state).toBe('active');
  });

  it.each<[OperationEffect, string]>([
    [{ kind: 'operation-hangs' }, 'running'],
    [{ kind: 'operation-status', status: 'pondering' }, 'pondering'],
  ])('the fault %j holds an operation and its lock until it is cleared', async (effect, status) => {
    const { emulator, create, settled, held } = await startService();
    const fault = emulator.inject({ match: { action: 'start_compute' }, effect });
    const { body } = await create();
    const other = await create({ type: 'read_only' });
    expect([other.status, other.body?.message]).toEqual([423, expect.stringContaining(`is ${status}`)]);
    fault.clear();
    await settled();
    expect(held(body?.endpoint.id ?? '')?.current_state).toBe('active');
  });

  it('an operation fault for one endpoint does not apply to others', async () => {
    const { emulator, call, endpoints, createActive, settled, held } = await startService();
    const [first, second] = [await createActive(), await createActive({ type: 'read_only' })];
    emulator.inject({ match: { endpointId: first }, effect: { kind: 'operation-fails' }, times: 'always' });
    for (const id of [first, second]) {
      await call('POST', `${endpoints}/${id}/suspend`);
      await settled();
    }
    expect([held(first)?.current_state, held(second)?.current_state]).toEqual(['active', 'idle']);
  });
});
