import type { Emulator } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { newDataFile, restart, start } from '../support/data-emulator';
import { sendRequest } from '../support/send-request';
import { clientOf, settled } from '../support/service-client';

/** An emulator on a data file, with a project that has a branch, and an active endpoint on that branch. */
async function startService(data = newDataFile()) {
  const emulator = await start({ data });
  const project = emulator.createProject({ name: 'größer' });
  const branch = emulator.createBranch(project.id);
  const path = `/projects/${project.id}`;
  const attributes = { branch_id: branch.id, type: 'read_write' };
  const response = await sendRequest(emulator, 'POST', `${path}/endpoints`, { endpoint: attributes });
  // A create responds with the endpoint.
  const { endpoint } = (await response.json()) as { endpoint: { id: string } };
  await settled(emulator, project.id);
  return { data, emulator, path, project, branch, endpoint };
}

type Service = Awaited<ReturnType<typeof startService>>;

/** All data of an emulator that the controls show. */
async function lookAtEverything({ emulator, path, branch, endpoint }: Service) {
  const read = async (of: string) => ({ ...(await clientOf(emulator)('GET', of)).body, request_id: '' });
  const ofBranch = (part: string) => read(`${path}/branches/${branch.id}/${part}`);
  const countsOf = (id: string) => [emulator.restarts(id), emulator.connectionDrops(id)];
  const projects = emulator.projects();
  return {
    projects,
    branches: await Promise.all(projects.map(({ id }) => read(`/projects/${id}/branches`))),
    endpoints: emulator.endpoints().map((held) => [held, countsOf(held.id)]),
    ofTheFirstEndpoint: projects.length === 0 ? [] : countsOf(endpoint.id),
    operations: projects.map(({ id }) => emulator.operations(id)),
    access: await Promise.all(['roles', 'databases', 'roles/app_owner/reveal_password'].map(ofBranch)),
  };
}

const deleteEndpoint = ({ emulator, path, endpoint }: Service) =>
  sendRequest(emulator, 'DELETE', `${path}/endpoints/${endpoint.id}`);
const ofEndpoint = { endpoint: { name: 'über' } };
const settings = { endpoint: { settings: { pg_settings: { work_mem: '8MB' } } } };
const readWrite = { endpoints: [{ type: 'read_write' }] };

describe('data after a restart', () => {
  it.each<[string, string | ((service: Service) => unknown), object?]>([
    ['a name', 'PATCH PROJECT/endpoints/ENDPOINT', ofEndpoint],
    ['a size', 'PATCH PROJECT/endpoints/ENDPOINT', { endpoint: { autoscaling_limit_max_cu: 2 } }],
    ['a setting', 'PATCH PROJECT/endpoints/ENDPOINT', settings],
    ['a restart', 'POST PROJECT/endpoints/ENDPOINT/restart'],
    ['a suspension', 'POST PROJECT/endpoints/ENDPOINT/suspend'],
    ['a deletion', 'DELETE PROJECT/endpoints/ENDPOINT'],
    ['a new branch with an endpoint', 'POST PROJECT/branches', readWrite],
    ['the delete of a branch', 'DELETE PROJECT/branches/BRANCH'],
    ['a role', 'POST PROJECT/branches/BRANCH/roles', { role: { name: 'bob' } }],
    ['a new password', 'POST PROJECT/branches/BRANCH/roles/app_owner/reset_password'],
    ['a name of a database', 'PATCH PROJECT/branches/BRANCH/databases/app', { database: { name: 'shop' } }],
    ['a new project', 'POST /projects', { project: { name: 'new' } }],
    ['the deletion of a project', 'DELETE PROJECT'],
    ['a connection', ({ emulator, endpoint }) => emulator.connect(endpoint.id)],
    [
      'a change by a control',
      ({ emulator, endpoint }) => emulator.changeEndpoint(endpoint.id, { name: 'x' }),
    ],
    ['a delete by a control', ({ emulator, endpoint }) => emulator.deleteEndpoint(endpoint.id)],
    ['an empty branch', ({ emulator, project }) => emulator.createBranch(project.id, { name: 'empty' })],
    [
      'a delete that failed',
      (service) => {
        const match = { action: 'suspend_compute' };
        service.emulator.inject({ match, effect: { kind: 'operation-fails' } });
        return deleteEndpoint(service);
      },
    ],
  ])('a restart keeps %s', async (_case, change, body) => {
    const service = await startService();
    const { data, emulator, path, endpoint, branch } = service;
    // All earlier changes are on the disk, so that only this change remains to be written.
    const changed = { ...service, emulator: await restart(emulator, { data }) };
    if (typeof change === 'string') {
      const words: Record<string, string> = { PROJECT: path, ENDPOINT: endpoint.id, BRANCH: branch.id };
      const [method = '', rest = ''] = change.split(' ');
      const url = rest.replace(/\b[A-Z]+\b/g, (word) => words[word] ?? word);
      expect((await sendRequest(changed.emulator, method, url, body)).ok).toBe(true);
    } else await change(changed);
    for (const { id } of changed.emulator.projects()) await settled(changed.emulator, id);
    const before = await lookAtEverything(changed);
    const after = { ...service, emulator: await restart(changed.emulator, { data }) };
    expect(await lookAtEverything(after)).toEqual(before);
  });
});

describe('behaviour after a restart', () => {
  it('after a restart, a second delete of a record is still 204', async () => {
    const service = await startService();
    const { data, emulator, path, branch, endpoint } = service;
    await deleteEndpoint(service);
    await expect.poll(() => emulator.endpoints()).toHaveLength(1);
    await sendRequest(emulator, 'DELETE', `${path}/branches/${branch.id}`);
    const after = await restart(emulator, { data });
    for (const deleted of [`/endpoints/${endpoint.id}`, `/branches/${branch.id}`]) {
      expect((await sendRequest(after, 'DELETE', `${path}${deleted}`)).status).toBe(204);
    }
  });

  it('after a restart, a delete under way is not started twice', async () => {
    const { data, emulator, path, endpoint } = await startService();
    const slow = await restart(emulator, { data, operationMs: 60_000, locks: 'none' });
    const deleted = `${path}/endpoints/${endpoint.id}`;
    const deleteOnce = async (from: Emulator) =>
      (await clientOf(from)('DELETE', deleted)).body?.operations.map(({ id }) => id);
    const ids = await deleteOnce(slow);
    expect(ids).toHaveLength(1);
    expect(await deleteOnce(await restart(slow, { data, operationMs: 60_000, locks: 'none' }))).toEqual(ids);
  });

  it('after a restart, a list continues at an earlier cursor', async () => {
    const { data, emulator, path } = await startService();
    const readPage = async (from: Emulator, query: string) =>
      (await clientOf(from)('GET', `${path}/operations?${query}`)).body;
    const whole = await readPage(emulator, 'limit=1000');
    const first = await readPage(emulator, 'limit=2');
    const cursor = encodeURIComponent(first?.pagination.cursor ?? '');
    const rest = await readPage(await restart(emulator, { data }), `limit=1000&cursor=${cursor}`);
    expect([...(first?.operations ?? []), ...(rest?.operations ?? [])]).toEqual(whole?.operations);
  });

  it('after a restart, unfinished operations run again and take effect', async () => {
    const data = newDataFile();
    const emulator = await start({ data, locks: 'none', operationMs: 60_000 });
    const [kept, deleted] = [emulator.createProject(), emulator.createProject()];
    const branch = emulator.createBranch(kept.id);
    const [first] = emulator.endpoints(kept.id);
    const endpoint = { branch_id: branch.id, type: 'read_write' };
    const call = clientOf(emulator);
    const { body } = await call('POST', `/projects/${kept.id}/endpoints`, { endpoint });
    await call('DELETE', `/projects/${kept.id}/endpoints/${first?.id}`);
    await call('POST', `/projects/${kept.id}/branches`, { endpoints: [{ type: 'read_write' }] });
    await call('DELETE', `/projects/${deleted.id}`);
    emulator.lockProject(kept.id);
    const after = await restart(emulator, { data, operationMs: 5 });
    await expect.poll(() => after.projects().map(({ id }) => id)).toEqual([kept.id]);
    await settled(after, kept.id);
    expect(after.operations(kept.id).every(({ status }) => status === 'finished')).toBe(true);
    expect(after.endpoints().map(({ id, current_state }) => [id, current_state])).toEqual([
      [body?.endpoint.id, 'active'],
      [expect.any(String), 'active'],
    ]);
  });

  it('after a restart, operations of a request run one after another', async () => {
    const { data, emulator, project, path } = await startService();
    const slow = await restart(emulator, { data, operationMs: 60_000 });
    await sendRequest(slow, 'POST', `${path}/branches`, { endpoints: [{ type: 'read_write' }] });
    const after = await restart(slow, { data, operationMs: { create_branch: 60_000, default: 0 } });
    await sendRequest(after, 'GET', path);
    expect(after.operations(project.id).slice(0, 2)).toMatchObject([
      { action: 'start_compute', status: 'scheduling' },
      { action: 'create_branch', status: 'running' },
    ]);
  });

  it('after a restart, the autosuspend delay of an active compute restarts', async () => {
    const data = newDataFile();
    const emulator = await start({ data, autosuspendSecondMs: 1000 });
    emulator.createProject();
    const after = await restart(emulator, { data, autosuspendSecondMs: 1 });
    await expect.poll(() => after.endpoints()[0]?.current_state).toBe('idle');
  });

  it('the option apiKey is accepted but not stored in the data file', async () => {
    const data = newDataFile();
    const emulator = await restart(await start({ data }), { data, apiKey: 'chosen-key' });
    expect(emulator.apiKey).toBe('chosen-key');
    expect((await restart(emulator, { data })).apiKey).toMatch(/^key_/);
  });
});
