import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startBranchProgram } from '../support/start-program';

it('what leaves the program has its data named, if it still has any', async () => {
  const { one, startRun, projectId, feature, request } = await startBranchProgram();
  const place = { projectId, branchId: feature, ownerName: 'app_owner' };
  const shop = await startRun().create('database', 'shop', { ...place, name: 'shop' });
  const gone = await startRun().create('database', 'gone', { ...place, name: 'gone' });
  await request('DELETE', `/projects/${projectId}/branches/${feature}/databases/gone`);
  const run = startRun();
  for (const each of [shop, gone, one]) await run.delete(each);
  const said = [`database ${shop.id}`, `branch ${one.id}`].map((which) => `deletes the data of ${which}`);
  expect(run.shown.filter((line) => line.includes('deletes the data'))).toEqual(said);
});

it('data is named where no diff has announced the delete', async () => {
  const { one, startRun } = await startBranchProgram();
  const inputs = { ...one.inputs, name: 'later', allowDataLoss: true };
  const later = await startRun().create('branch', 'one', inputs);
  const run = startRun();
  await run.preview(later, inputs); // The earlier one is left of an interrupted replacement, or gives way to an import.
  await run.delete(one);
  expect(run.shown).toEqual([`deletes the data of branch ${one.id}`]);
  const forced = startRun();
  await forced.check('branch', 'one', inputs);
  await forced.delete(later);
  expect(forced.shown.at(-1)).toBe(`deletes the data of branch ${later.id}`);
});

it('a forced replacement that also renames a branch needs allowDataLoss', async () => {
  const { one, startRun, isThere } = await startBranchProgram();
  const [run, allowed] = [startRun(), startRun()];
  await run.check('branch', 'one', { ...one.inputs, name: 'other' });
  expect(run.shown).toEqual([]); // Nothing shows the preview which branch it is.
  expect((await errorOf(run.delete(one))).message).toContain('allowDataLoss is not true');
  expect(isThere(one.id)).toBe(true);
  await allowed.check('branch', 'one', { ...one.inputs, name: 'other', allowDataLoss: true });
  await allowed.delete(one);
  expect(isThere(one.id)).toBe(false);
});

it('a forced replacement that creates first and renames needs it, too', async () => {
  const { one, startRun, isThere } = await startBranchProgram();
  const run = startRun();
  await run.create('branch', 'one', { ...one.inputs, name: 'other' });
  expect((await errorOf(run.delete(one))).message).toContain('allowDataLoss is not true');
  expect(isThere(one.id)).toBe(true);
});

it('data is named once where a diff has announced the delete', async () => {
  const { one, startRun, projectId, feature } = await startBranchProgram();
  const args = { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner', allowDataLoss: true };
  const shop = await startRun().create('database', 'shop', args);
  const run = startRun();
  await run.preview(one, { ...one.inputs, parentId: feature, allowDataLoss: true });
  await run.replaceEarly(shop, { branchId: unknownValue });
  await run.delete(shop);
  await run.delete(one);
  expect(run.shown.filter((line) => line.includes('data'))).toHaveLength(2);
});

it.each([true, false])('a database goes with its branch, unless that is retained: %s', async (isKept) => {
  const { one, startRun, projectId, feature } = await startBranchProgram();
  const args = { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner', allowDataLoss: true };
  const retained = { retainsOnDelete: true };
  const shop = await startRun().create('database', 'shop', args, retained);
  const run = startRun();
  const changed = { ...one.inputs, name: 'other', parentId: feature, allowDataLoss: true };
  expect(await run.preview(one, changed, isKept ? retained : {})).toMatchObject({ deletesData: !isKept });
  const diff = await run.replaceEarly(shop, { branchId: unknownValue }, retained);
  expect(diff).toMatchObject({ deletesData: !isKept });
  const said = isKept ? `leaves database ${shop.id} at the service` : `deletes database ${shop.id} with its`;
  expect(run.shown.join()).toContain(said);
});

/** A role on the branch `one` owns a database that the program retains. */
async function startOwner() {
  const ground = await startBranchProgram();
  const { one, startRun, projectId } = ground;
  const place = { projectId, branchId: one.id };
  const role = await startRun().create('role', 'r', { ...place, name: 'own' });
  const args = { ...place, name: 'shop', ownerName: 'own', allowDataLoss: true };
  const retained = { retainsOnDelete: true };
  const shop = await startRun().create('database', 'shop', args, retained);
  return { ...ground, role, args, retained, shop, run: startRun() };
}

it('a retained database goes with its branch, and its owner with both', async () => {
  const { one, run, feature, role, args, retained, shop } = await startOwner();
  await run.preview(one, { ...one.inputs, name: 'other', parentId: feature, allowDataLoss: true });
  // The new branch comes first, so the engine has passed the declarations.
  await run.preview(role, { ...role.inputs, branchId: unknownValue });
  const diff = await run.preview(shop, { ...args, branchId: unknownValue }, retained);
  expect(diff).toMatchObject({ deletesData: true });
  expect(run.shown.join()).toContain(`deletes database ${shop.id} with its`);
  await run.delete(role); // The service refuses it.
});

it('the owner of a database stays if the replacement of its branch fails', async () => {
  const { one, run, feature, role, emulator } = await startOwner();
  const changed = { ...one.inputs, name: 'other', parentId: feature, allowDataLoss: true };
  const options = { createsBeforeDelete: true };
  await run.preview(one, changed, options);
  emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 403 } });
  await errorOf(run.create('branch', 'one', changed, options));
  // With --continue-on-error, the engine goes on to a role that has left the program.
  expect((await errorOf(run.delete(role))).message).toContain('A role that owns databases stays');
});

it('the owner of a database stays if another resource adopts its branch', async () => {
  const { one, run, role, projectId } = await startOwner();
  await run.create('branch', 'heir', { projectId, name: 'data', adopt: true });
  await run.check('branch', 'one', { projectId, name: 'renamed' });
  await run.replaceEarly(role, { branchId: unknownValue });
  await run.delete(role);
  await run.delete(one);
  expect(run.shown.join()).toContain(`role ${role.id} was not deleted, because it owns a database`);
});

it('the owner of a database that an interrupted run has left may stay', async () => {
  const { run, startRun, projectId, feature, role } = await startOwner();
  const now = await startRun().create('role', 'r', { projectId, branchId: feature, name: 'own' });
  await run.preview(now, now.inputs);
  await run.delete(role);
  expect(run.shown.join()).toContain(`role ${role.id} was not deleted, because it owns a database`);
});

describe('a parent that is replaced by force, and whose child another resource is to adopt,', () => {
  async function startFamily(place: 'with a parent' | 'without') {
    const { one, startRun, projectId } = await startBranchProgram();
    const child = { projectId, parentId: one.id, name: 'child' };
    const two = await startRun().create('branch', 'two', child);
    const run = startRun();
    const heir = {
      projectId,
      name: 'child',
      adopt: true,
      ...(place === 'with a parent' && { parentId: one.id }),
    };
    await run.check('branch', 'one', one.inputs);
    await run.check('branch', 'two', { ...child, name: 'renamed' });
    await run.check('branch', 'heir', heir);
    return { one, two, run, adopt: () => run.create('branch', 'heir', heir) };
  }

  it('is refused once its child is adopted', async () => {
    const { one, two, run, adopt } = await startFamily('without');
    await Promise.all([run.delete(two), adopt()]);
    expect((await errorOf(run.delete(one))).message).toContain('other branches were created from it');
  });

  it('does not wait for a create that waits for it', async () => {
    const { one, two, run, adopt } = await startFamily('with a parent');
    const [first] = await Promise.allSettled([run.delete(one), run.delete(two), adopt()]);
    expect(first).toMatchObject({ reason: { message: expect.stringContaining('other branches') } });
  });
});

// If `aliases` rename what is replaced, the engine deletes it under the old name.
describe.each(['one', 'new'])('a branch that a forced replacement of %s hands over', (replaced) => {
  async function startHandOver() {
    const { one, startRun, emulator, projectId, isThere } = await startBranchProgram();
    const run = startRun();
    await run.check('branch', replaced, { projectId, name: 'renamed' });
    const heir = { projectId, name: 'data', adopt: true, protected: true };
    await run.check('branch', 'heir', heir);
    const adopt = () => run.create('branch', 'heir', heir);
    return { one, run, emulator, adopt, isStanding: () => isThere(one.id) };
  }

  it('goes to the adopter, whose create ends before the delete is judged', async () => {
    const { one, run, adopt, isStanding } = await startHandOver();
    await Promise.all([run.delete(one), adopt()]);
    expect(isStanding()).toBe(true);
    expect(run.shown.join()).toContain('was not deleted');
  });

  it('stays with its resource if the adoption ends with a refusal', async () => {
    const { one, run, emulator, adopt, isStanding } = await startHandOver();
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 403 } });
    const [refusal] = await Promise.all([errorOf(run.delete(one)), errorOf(adopt())]);
    expect(refusal.message).toContain('has not taken it over');
    expect(isStanding()).toBe(true);
  });

  it('stays with the resource whose delete was refused', async () => {
    const { one, run, adopt, isStanding } = await startHandOver();
    const refusal = await errorOf(run.delete(one));
    expect(refusal.message).toContain('has not taken it over');
    const conflict = await errorOf(adopt());
    expect(conflict.message).toContain(`${one.id} already belongs to`);
    expect(isStanding()).toBe(true);
  });
});
