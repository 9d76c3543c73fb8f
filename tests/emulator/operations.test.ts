import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

describe('the life of an operation', () => {
  it('an operation goes through scheduling, running and finished', async () => {
    const { emulator, project, create } = await startService({ schedulingMs: 300, operationMs: 300 });
    const { body } = await create();
    const seen = new Set<string>();
    await expect
      .poll(
        () => {
          const status =
            emulator.operations(project.id).find(({ id }) => id === body?.operations[0]?.id)?.status ?? '';
          seen.add(status);
          return status;
        },
        { interval: 5 },
      )
      .toBe('finished');
    expect([...seen]).toEqual(['scheduling', 'running', 'finished']);
  });

  it('an unfinished operation locks its project: a write is 423 and names it', async () => {
    const { create, call, endpoints } = await startService({ operationMs: 60_000 });
    const { body } = await create();
    const locked = await call('PATCH', `${endpoints}/${body?.endpoint.id}`, { endpoint: { name: 'x' } });
    expect([locked.status, locked.body?.message]).toEqual([
      423,
      expect.stringContaining(body?.operations[0]?.id ?? '?'),
    ]);
  });

  it('an operation runs although another client deletes what it waits for', async () => {
    const { emulator, project, call, held } = await startService();
    const match = { action: 'start_compute' };
    emulator.inject({ match, effect: { kind: 'operation-hangs' } });
    const both = { endpoints: [{ type: 'read_write' }, { type: 'read_only' }] };
    const { body } = await call('POST', `/projects/${project.id}/branches`, both);
    const [first = '', second = ''] = body?.endpoints.map(({ id }) => id) ?? [];
    await expect.poll(() => emulator.faults()).toMatchObject([{ hits: 1 }]);
    emulator.deleteEndpoint(first);
    await expect.poll(() => held(second)?.current_state).toBe('active');
  });

  it('an unfinished operation does not lock another project', async () => {
    const { emulator, create, call } = await startService({ operationMs: 60_000 });
    await create();
    const other = emulator.createProject();
    const branch = emulator.createBranch(other.id);
    const body = { endpoint: { branch_id: branch.id, type: 'read_write' } };
    expect((await call('POST', `/projects/${other.id}/endpoints`, body)).status).toBe(201);
  });

  it('with locks: endpoint, an operation does not lock another endpoint', async () => {
    const { create } = await startService({ operationMs: 60_000, locks: 'endpoint' });
    await create({ type: 'read_only' });
    expect((await create({ type: 'read_only' })).status).toBe(201);
  });
});

describe('a list of operations', () => {
  it('operations are newest first, each on one page, although some arrive', async () => {
    const { emulator, call, project, createActive } = await startService();
    const id = await createActive();
    const path = `/projects/${project.id}/operations`;
    const before = emulator.operations(project.id).map((operation) => operation.id);
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await call(
        'GET',
        `${path}?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      if (!body || body.operations.length === 0) break;
      seen.push(...body.operations.map((operation) => operation.id));
      cursor = body.pagination.cursor;
      emulator.connect(id);
    }
    expect(seen).toEqual(before);
  });
});
