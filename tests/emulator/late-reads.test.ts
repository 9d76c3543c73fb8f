import type { Emulator, EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { History } from '../../emulator/src/records/history';
import type { EndpointRecord, ProjectRecord } from '../../emulator/src/records/records';
import { newDataFile, restart, start } from '../support/data-emulator';
import { sendRequest } from '../support/send-request';
import { clientOf, startService } from '../support/service-client';

const A_MINUTE = 60_000;

/** An endpoint from a data file, which existed long before the reads. */
async function startWithOldEndpoint(options: EmulatorOptions) {
  const data = newDataFile();
  const first = await start({ data });
  const project = first.createProject();
  const emulator = await restart(first, { data, locks: 'none', ...options });
  const [endpoint] = emulator.endpoints(project.id);
  const path = `/projects/${project.id}/endpoints`;
  return { emulator, id: endpoint?.id ?? '', path, one: `${path}/${endpoint?.id}` };
}

const read = async (emulator: Emulator, path: string) => (await clientOf(emulator)('GET', path)).body;

describe('late lists with lateListsMs', () => {
  it('late lists omit newer records, which GETs of single records show', async () => {
    const { emulator, project, branch, create, call, endpoints } = await startService({
      lateListsMs: A_MINUTE,
    });
    const { body } = await create();
    const lists = [
      endpoints,
      `/projects/${project.id}/operations`,
      `/projects/${project.id}/branches`,
    ] as const;
    for (const path of lists) {
      const [list] = Object.values((await call('GET', path)).body ?? {});
      expect([path, list]).toEqual([path, []]);
    }
    expect((await call('GET', `/projects/${project.id}/branches/${branch.id}/endpoints`)).status).toBe(404);
    expect((await call('GET', `${endpoints}/${body?.endpoint.id}`)).status).toBe(200);
    expect(emulator.endpoints(project.id)).toHaveLength(2);
  });

  it('late lists show old attributes and states, and records deleted since', async () => {
    const { emulator, id, path, one } = await startWithOldEndpoint({ lateListsMs: A_MINUTE });
    await sendRequest(emulator, 'PATCH', one, { endpoint: { name: 'new' } });
    await sendRequest(emulator, 'DELETE', one);
    await expect.poll(() => emulator.endpoints()).toEqual([]);
    expect(await read(emulator, path)).toEqual({
      endpoints: [expect.objectContaining({ id, current_state: 'active' })],
    });
    expect((await read(emulator, path))?.endpoints[0]).not.toHaveProperty('name');
    expect((await sendRequest(emulator, 'GET', one)).status).toBe(404);
  });

  it('writes act on the current state despite late lists', async () => {
    const { create } = await startService({ lateListsMs: A_MINUTE, lateGetsMs: A_MINUTE });
    expect([(await create()).status, (await create()).status]).toEqual([201, 409]);
  });
});

describe('late GETs with lateGetsMs', () => {
  it('a late GET of a newer record is 404, and lists show it', async () => {
    const { create, call, project, endpoints } = await startService({ lateGetsMs: A_MINUTE });
    const { body } = await create();
    const [operation] = body?.operations ?? [];
    const one = await call('GET', `${endpoints}/${body?.endpoint.id}`);
    const unknown = await call('GET', `${endpoints}/ep-unknown`);
    expect([one.status, one.body?.code]).toEqual([404, unknown.body?.code]);
    expect((await call('GET', `/projects/${project.id}/operations/${operation?.id}`)).status).toBe(404);
    expect((await call('GET', endpoints)).body?.endpoints).toHaveLength(2);
  });

  it('a late GET still shows a record deleted since', async () => {
    const { emulator, id, path, one } = await startWithOldEndpoint({ lateGetsMs: A_MINUTE });
    emulator.deleteEndpoint(id);
    expect((await read(emulator, one))?.endpoint).toMatchObject({ id });
    expect(await read(emulator, path)).toEqual({ endpoints: [] });
  });
});

describe('a late-read fault', () => {
  const effect = { kind: 'late-read', lateMs: A_MINUTE } as const;

  it('a late-read fault shows the state from before it was injected', async () => {
    const { emulator, id, path, one } = await startWithOldEndpoint({});
    await sendRequest(emulator, 'PATCH', one, { endpoint: { name: 'new' } });
    const fault = emulator.inject({ match: { path: '/projects/:p/endpoints' }, effect });
    expect((await read(emulator, path))?.endpoints).toEqual([
      expect.not.objectContaining({ name: expect.anything() }),
    ]);
    expect((await read(emulator, path))?.endpoints).toEqual([expect.objectContaining({ id, name: 'new' })]);
    expect(fault.hits).toBe(1);
  });

  it('a late-read fault overrides the options', async () => {
    const { emulator, call, endpoints } = await startService({ lateListsMs: A_MINUTE });
    const shortly = { kind: 'late-read', lateMs: 1 } as const;
    const fault = emulator.inject({ match: {}, effect: shortly, times: 'always' });
    const readCount = async () => (await call('GET', endpoints)).body?.endpoints.length;
    await expect.poll(readCount).toBe(1);
    fault.clear();
    expect(await readCount()).toBe(0);
  });

  it('a late-read fault ignores requests that cannot be late', async () => {
    const { emulator, create, call } = await startService();
    const fault = emulator.inject({ match: {}, effect });
    await create();
    await call('GET', '/projects');
    expect(fault.hits).toBe(0);
  });
});

describe('the history of records', () => {
  // The history reads only these attributes of a record.
  const project = { endpoints: new Map([['ep-1', {}]]) } as unknown as ProjectRecord;
  const endpoint = (name: string) => ({ wire: { id: 'ep-1', name } }) as EndpointRecord;

  /** Sets one name after each gap, and returns what reads of given times show after the last one. */
  async function remember(names: readonly string[], gapMs = 10) {
    let nowMs = 0;
    const history = new History(() => nowMs);
    for (const name of names) {
      nowMs += gapMs;
      history.note({ project, kind: 'endpoints', record: endpoint(name) });
      await Promise.resolve();
    }
    return {
      history,
      shownAt: (atMs: number) => history.view(project, nowMs - atMs).endpoints.get('ep-1')?.name,
    };
  }

  it('the history forgets versions older than a minute', async () => {
    const { shownAt } = await remember(['a', 'b', 'c', 'd'], 40_000);
    // At 160 s, reads from 100 s on are possible, when b was shown.
    expect([1, 99_999, 100_000, 120_000, 160_000].map(shownAt)).toEqual(['b', 'b', 'b', 'c', 'd']);
  });

  it('the history shows no record of another project', async () => {
    const { history } = await remember(['a', 'b']);
    const other = { endpoints: new Map() } as unknown as ProjectRecord;
    expect(history.view(other, 5).endpoints.size).toBe(0);
  });
});
