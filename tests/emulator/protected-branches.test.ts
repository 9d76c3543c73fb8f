import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';

/** The branch `feature` with an active endpoint, protected. */
async function startWithProtected() {
  const service = await startService();
  const endpointId = await service.createActive();
  const { call, project, branch } = service;
  const path = `/projects/${project.id}/branches`;
  const protect = (isProtected: boolean) =>
    call('PATCH', `${path}/${branch.id}`, { branch: { protected: isProtected } });
  const passwordOf = async (branchId: string) =>
    (await call('GET', `${path}/${branchId}/roles/app_owner/reveal_password`)).body?.password;
  const createChild = async () => {
    const { body } = await call('POST', path, { branch: { parent_id: branch.id } });
    await service.settled();
    return body?.branch.id ?? '';
  };
  await protect(true);
  return { ...service, endpointId, path, protect, passwordOf, createChild };
}

describe('a protected branch', () => {
  it('and its computes and project stay until it is unprotected', async () => {
    const { call, project, branch, path, endpoints, endpointId, protect, settled } =
      await startWithProtected();
    const requests = [
      ['POST', `${path}/${branch.id}/restore`, { source_branch_id: branch.parent_id }],
      ['DELETE', `${endpoints}/${endpointId}`],
      ['DELETE', `${path}/${branch.id}`],
      ['DELETE', `/projects/${project.id}`],
    ] as const;
    for (const [method, url, body] of requests) {
      const response = await call(method, url, body);
      expect([url, response.status, response.body?.code]).toEqual([url, 422, 'BRANCH_PROTECTED']);
    }
    await protect(false);
    for (const [method, url, body] of requests) {
      expect([url, (await call(method, url, body)).status]).toEqual([url, 200]);
      if (url !== requests.at(-1)?.[1]) await settled();
    }
  });

  it.each(['data', 'compute'])('cannot become one while its %s is being deleted', async (what) => {
    const { emulator, call, branch, createActive } = await startService({ locks: 'none' });
    const endpointId = await createActive();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    const path = `/projects/${branch.project_id}/branches/${branch.id}`;
    const deleted = what === 'data' ? path : `/projects/${branch.project_id}/endpoints/${endpointId}`;
    expect((await call('DELETE', deleted)).status).toBe(200);
    expect((await call('PATCH', path, { branch: { protected: true } })).status).toBe(423);
    expect((await call('PATCH', path, { branch: { protected: false } })).status).toBe(200);
  });

  it('can be renamed, and its compute resized, suspended and started', async () => {
    const { call, branch, endpoints, endpointId, path, settled } = await startWithProtected();
    const sizes = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
    const one = `${endpoints}/${endpointId}`;
    for (const [method, url, body] of [
      ['PATCH', `${path}/${branch.id}`, { branch: { name: 'renamed' } }],
      ['PATCH', one, { endpoint: sizes }],
      ['POST', `${one}/suspend`],
      ['POST', `${one}/start`],
    ] as const) {
      expect([url, (await call(method, url, body)).status]).toEqual([url, 200]);
      await settled();
    }
  });

  it('gives its children new passwords, which a reset keeps', async () => {
    const { call, branch, path, protect, passwordOf, createChild, settled } = await startWithProtected();
    const childId = await createChild();
    const password = await passwordOf(childId);
    expect([password, password]).toEqual([
      expect.any(String),
      expect.not.stringMatching(`${await passwordOf(branch.id)}`),
    ]);
    await call('POST', `${path}/${childId}/restore`, { source_branch_id: branch.id });
    await settled();
    expect(await passwordOf(childId)).toBe(password);
    await protect(false);
    expect(await passwordOf(await createChild())).toBe(await passwordOf(branch.id));
  });
});
