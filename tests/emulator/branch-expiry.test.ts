import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const toSecond = (time: string) => `${time.slice(0, 19)}Z`;

async function startWithBranches() {
  const service = await startService();
  const { emulator, project, call } = service;
  const path = `/projects/${project.id}/branches`;
  const main = emulator.branches(project.id)[0];
  const held = (id: string) => emulator.branches(project.id).find((branch) => branch.id === id);
  const create = (branch: object) => call('POST', path, { branch, endpoints: [{ type: 'read_write' }] });
  const change = (id: string, branch: object) => call('PATCH', `${path}/${id}`, { branch });
  return { ...service, path, main, held, create, change };
}

describe('a branch with expires_at', () => {
  it('is deleted with its endpoints at its time, even in a locked project', async () => {
    const { emulator, project, create, change, settled } = await startWithBranches();
    const { body } = await create({});
    await settled();
    // A set-up may take longer than the branch is to live.
    expect((await change(body?.branch.id ?? '', { expires_at: inSeconds(5) })).status).toBe(200);
    emulator.lockProject(project.id);
    const left = () =>
      [...emulator.branches(project.id), ...emulator.endpoints(project.id)].map(({ id }) => id);
    await expect.poll(left).not.toContain(body?.branch.id);
    expect(left()).not.toContain(body?.endpoints[0]?.id);
  });

  it('is deleted after a restore of it, which may preserve its data', async () => {
    const { emulator, main, path, call, create, change, held, settled } = await startWithBranches();
    const { body } = await create({});
    await settled();
    const id = body?.branch.id ?? '';
    const hanging = emulator.inject({
      match: { action: 'create_branch' },
      effect: { kind: 'operation-hangs' },
    });
    await change(id, { expires_at: inSeconds(5) });
    expect((await call('POST', `${path}/${id}/restore`, { source_branch_id: main?.id })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5500));
    expect(held(id)).toMatchObject({ current_state: 'resetting' });
    hanging.clear();
    await expect.poll(() => held(id)).toBeUndefined();
  });

  it('shows it to the second, until a PATCH sets another one or null', async () => {
    const { create, change, held } = await startWithBranches();
    const expires_at = inSeconds(3600);
    const { body } = await create({ expires_at });
    const id = body?.branch.id ?? '';
    expect(held(id)).toMatchObject({ expires_at: toSecond(expires_at), ttl_interval_seconds: 3600 });
    const later = inSeconds(7200);
    await change(id, { expires_at: later });
    expect(held(id)).toMatchObject({ expires_at: toSecond(later), ttl_interval_seconds: 7200 });
    await change(id, { name: 'kept' });
    expect(held(id)).toMatchObject({ expires_at: toSecond(later) });
    await change(id, { expires_at: null });
    expect(Object.keys(held(id) ?? {})).not.toEqual(expect.arrayContaining(['expires_at']));
    expect(Object.keys(held(id) ?? {})).not.toEqual(expect.arrayContaining(['ttl_interval_seconds']));
  });
});
