import type { OperationEffect, RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

const createCall = { method: 'POST', path: '/projects/:projectId/endpoints' };

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

  it.each(
    [400, 408, 425, 429, 499, 500, 502, 503, 504, 507, 520, 522, 524, 529, 599].flatMap(
      (status) =>
        [
          [status, 'before-work', 1],
          [status, 'after-work', 2],
        ] as const,
    ),
  )('a status fault responds with %i %s', async (status, when, held) => {
    const { emulator, project, create } = await startService();
    emulator.inject({ match: createCall, effect: { kind: 'status', status, when } });
    const response = await create();
    expect([response.status, emulator.endpoints(project.id).length]).toEqual([status, held]);
    expect(response.body).toEqual({
      request_id: response.headers.get('x-request-id'),
      code: 'INJECTED_FAULT',
      message: expect.any(String),
    });
  });

  it('a status fault after the work replaces a response without a body', async () => {
    const { emulator, call, endpoints, createActive } = await startService();
    const id = await createActive();
    emulator.deleteEndpoint(id);
    emulator.inject({
      match: { method: 'DELETE' },
      effect: { kind: 'status', status: 500, when: 'after-work' },
    });
    expect((await call('DELETE', `${endpoints}/${id}`)).status).toBe(500);
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
    const { emulator, call } = await startService();
    emulator.inject({ match: {}, effect: { kind: 'status', status: 429, ...effect } as RequestEffect });
    const retryAfter = (await call('GET', '/projects')).headers.get('retry-after');
    expect(retryAfter).toEqual(expected === null ? null : expect.stringMatching(expected));
  });

  it('a malformed fault truncates the JSON', async () => {
    const { emulator, call } = await startService();
    emulator.inject({ match: {}, effect: { kind: 'malformed' } });
    await expect(call('GET', '/projects')).rejects.toThrow(SyntaxError);
  });

  it('a slow fault delays the response but not the work', async () => {
    const { emulator, project, create } = await startService();
    emulator.inject({ match: createCall, effect: { kind: 'slow', delayMs: 60_000 } });
    const responded = create().catch(() => undefined);
    await expect.poll(() => emulator.endpoints(project.id).length).toBe(2);
    expect(emulator.requests().at(-1)?.status).toBeNull();
    await emulator.stop();
    await responded;
  });

  it('a slow fault before the work delays the work', async () => {
    const { emulator, project, create } = await startService();
    const effect = { kind: 'slow', delayMs: 60_000, when: 'before-work' } as const;
    const fault = emulator.inject({ match: createCall, effect });
    const responded = create().catch(() => undefined);
    await expect.poll(() => fault.hits).toBe(1);
    expect(emulator.endpoints(project.id)).toHaveLength(1);
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

  it('a fault applies the given number of times, and counts its hits', async () => {
    const { emulator, call } = await startService();
    const fault = emulator.inject({ match: {}, effect: { kind: 'status', status: 503 }, times: 2 });
    const statuses: number[] = [];
    for (let request = 0; request < 3; request += 1) statuses.push((await call('GET', '/projects')).status);
    expect([statuses, fault.hits]).toEqual([[503, 503, 200], 2]);
  });

  it.each([
    ['another method', { method: 'DELETE' }],
    ['a longer path', { path: '/projects/:projectId' }],
    ['a regular expression that is not in the path', { path: /branches/ }],
  ])('a fault for %s does not apply to another request', async (_case, match) => {
    const { emulator, call, endpoints } = await startService();
    emulator.inject({ match, effect: { kind: 'status', status: 503 } });
    expect((await call('GET', endpoints)).status).toBe(200);
  });

  it.each([
    ['segments by any name', { path: '/projects/:projectId/endpoints' }],
    ['the rest of the path', { path: '/projects/**' }],
    ['a regular expression', { path: /endpoints$/g }],
    ['a method in lower case', { method: 'get' }],
  ])('a request fault matches by %s', async (_case, match) => {
    const { emulator, call, endpoints } = await startService();
    emulator.inject({ match, effect: { kind: 'status', status: 503 } });
    expect((await call('GET', endpoints)).status).toBe(503);
  });
});

it.each<[object, RegExp]>([
  [{ effect: { kind: 'malformed' }, time: 3 }, /fault.time is not an attribute of this request/],
  [{ effect: { kind: 'proxy-page' } }, /effect.status is required/],
  [{ effect: { kind: 'proxy-page', status: 199 } }, /from 200 to 599/],
  [{ effect: { kind: 'proxy-page', status: 600 } }, /from 200 to 599/],
  [{ effect: { kind: 'proxy-page', status: 200, contentType: 'a\r\nX: 1' } }, /effect.contentType must be/],
  [{ effect: { kind: 'proxy-page', status: 200, body: {} } }, /effect.body must be a string/],
  ...[{}, { lateMs: 0 }, { lateMs: 60_001 }].map((given): [object, RegExp] => [
    { effect: { kind: 'late-read', ...given } },
    /effect.lateMs/,
  ]),
  ...['a'.repeat(501), '/**/a/**', '/:a:b', '/a:b', '/:a.b'].map((path): [object, RegExp] => [
    { match: { path }, effect: { kind: 'malformed' } },
    /match.path must be a path of up to 500 characters/,
  ]),
])('rejects the fault %j', async (fault, message) => {
  const { emulator } = await startService();
  expect(() => emulator.inject({ match: {}, ...fault } as never)).toThrow(message);
});

describe('an operation fault', () => {
  it.each([undefined, 'failed', 'error', 'cancelled'] as const)(
    'an operation-fails fault ends an operation as %s with the error text',
    async (status) => {
      const { emulator, project, create, settled } = await startService();
      const effect: OperationEffect = {
        kind: 'operation-fails',
        ...(status && { status }),
        error: 'no room',
      };
      emulator.inject({ match: { action: 'start_compute' }, effect });
      await create();
      await settled();
      expect(emulator.operations(project.id)[0]).toMatchObject({
        status: status ?? 'failed',
        error: 'no room',
        failures_count: 1,
      });
    },
  );

  it('a failed start_compute leaves the compute idle', async () => {
    const { emulator, createActive, held } = await startService();
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    const id = await createActive();
    expect(held(id)).toMatchObject({ current_state: 'idle' });
    expect(held(id)).not.toHaveProperty('pending_state');
  });

  it('a failed operation cancels the later operations of its request', async () => {
    const { emulator, project, call, endpoints, createActive, settled, held } = await startService();
    const id = await createActive();
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    await call('PATCH', `${endpoints}/${id}`, { endpoint: { autoscaling_limit_max_cu: 1 } });
    await settled();
    const [start, suspend, apply] = emulator.operations(project.id).map(({ status }) => status);
    expect([apply, suspend, start, held(id)?.current_state]).toEqual([
      'failed',
      'cancelled',
      'cancelled',
      'active',
    ]);
  });

  it("a fault with times 'always' applies until it is cleared", async () => {
    const { emulator, call, endpoints, createActive, settled, held } = await startService();
    const effect = { kind: 'operation-fails' } as const;
    const fault = emulator.inject({ match: { action: 'start_compute' }, effect, times: 'always' });
    const id = await createActive();
    await call('POST', `${endpoints}/${id}/start`);
    await settled();
    expect([held(id)?.current_state, fault.hits]).toEqual(['idle', 2]);
    fault.clear();
    await call('POST', `${endpoints}/${id}/start`);
    await settled();
    expect(held(id)?.current_state).toBe('active');
  });

  it.each<[OperationEffect, string]>([
    [{ kind: 'operation-hangs' }, 'running'],
    [{ kind: 'operation-status', status: 'pondering' }, 'pondering'],
  ])('the fault %j holds an operation and its lock until it is cleared', async (effect, status) => {
    const { emulator, project, branch, create, settled, held } = await startService();
    const fault = emulator.inject({ match: { action: 'start_compute' }, effect });
    const { body } = await create();
    expect(emulator.operations(project.id)[0]?.status).toBe(status);
    const other = await create({ branch_id: branch.id, type: 'read_only' });
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
