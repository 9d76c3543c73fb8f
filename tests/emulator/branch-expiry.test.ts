import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startExpiry } from '../../emulator/src/control-plane/branches';
import { VirtualService } from '../support/virtual-service';

const toSecond = (time: string) => `${time.slice(0, 19)}Z`;

/** A branch with an endpoint, in virtual time. */
function startWithBranch() {
  const service = new VirtualService();
  onTestFinished(startExpiry(service.plane));
  const { emulator } = service;
  const { id: projectId } = emulator.createProject();
  const { id, parent_id } = emulator.createBranch(projectId);
  const endpoint = emulator.createEndpoint(projectId, { branch_id: id, type: 'read_write' });
  const path = `/projects/${projectId}/branches/${id}`;
  const change = (branch: object) => service.request('PATCH', path, { branch });
  const expireIn = async (seconds: number) => {
    const expires_at = new Date(Date.now() + seconds * 1000).toISOString();
    await change({ expires_at });
    return expires_at;
  };
  const restore = () => service.request('POST', `${path}/restore`, { source_branch_id: parent_id });
  const held = () => emulator.branches(projectId).find((branch) => branch.id === id);
  const { clock } = service.plane;
  return { emulator, clock, projectId, endpoint, change, expireIn, restore, held };
}

it('a branch is deleted with its endpoints when it expires, also if locked', async () => {
  const { emulator, projectId, endpoint, expireIn, held } = startWithBranch();
  await expireIn(60);
  emulator.lockProject(projectId);
  await sleep(58_000);
  expect(held()).toBeDefined();
  await sleep(5_000);
  expect(held()).toBeUndefined();
  expect(emulator.endpoints(projectId)).not.toContainEqual(expect.objectContaining({ id: endpoint.id }));
});

it('a branch that expires is deleted after a restore of it', async () => {
  const { emulator, expireIn, restore, held } = startWithBranch();
  const match = { action: 'create_branch' };
  const hanging = emulator.inject({ match, effect: { kind: 'operation-hangs' } });
  await expireIn(60);
  await restore();
  await sleep(90_000);
  expect(held()).toMatchObject({ current_state: 'resetting' });
  hanging.clear();
  await sleep(5_000);
  expect(held()).toBeUndefined();
});

it('an expiry goes by the system time, also after one that was ahead', async () => {
  const { clock, expireIn, restore, held } = startWithBranch();
  clock.startAfter(new Date(Date.now() + 365 * 24 * 3_600_000).toISOString());
  await expireIn(60);
  await sleep(30_000);
  await restore();
  await sleep(58_000);
  expect(held()).toBeDefined();
  await sleep(5_000);
  expect(held()).toBeUndefined();
});

it('a restore counts the time to live anew', async () => {
  const { expireIn, restore, held } = startWithBranch();
  const before = await expireIn(3600);
  await sleep(60_000);
  await restore();
  expect(held()?.ttl_interval_seconds).toBe(3600);
  expect(Date.parse(held()?.expires_at ?? '') - Date.parse(toSecond(before))).toBe(60_000);
});

it('an expiry is shown to the second, until a PATCH sets another or null', async () => {
  const { change, expireIn, held } = startWithBranch();
  await expireIn(3600);
  const later = await expireIn(7200);
  expect(held()).toMatchObject({ expires_at: toSecond(later), ttl_interval_seconds: 7200 });
  await change({ name: 'kept' });
  expect(held()).toMatchObject({ expires_at: toSecond(later) });
  await change({ expires_at: null });
  expect(held()).not.toHaveProperty('expires_at');
  expect(held()).not.toHaveProperty('ttl_interval_seconds');
});
