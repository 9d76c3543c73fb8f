import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { startProgram } from '../support/start-program';
import { urnOf } from '../support/start-service';

describe('advice', () => {
  it('names the resource that is to adopt what this one keeps', async () => {
    const { startRun, run, projectId } = await startProgram();
    const one = await startRun().create('branch', 'one', { projectId, name: 'data' });
    await run.check('branch', 'heir', { projectId, name: 'data', adopt: true });
    const { message } = await errorOf(run.preview(one, { projectId, name: 'renamed' }));
    expect(message).toContain(`${one.id} is in state here, and ${urnOf('heir', 'branch')} is to adopt it`);
  });

  it('says that the update frees a name, and following it works', async () => {
    const { startRun, run, projectId } = await startProgram();
    const a = await startRun().create('branch', 'a', { projectId, name: 'x' });
    await run.preview(a, { projectId, name: 'y' });
    await run.check('branch', 'b', { projectId, name: 'x' });
    expect(run.shown.join()).toContain(`With its resource (${urnOf('a', 'branch')}) in \`dependsOn\``);
    const next = startRun();
    await next.update(a, { projectId, name: 'y' });
    expect((await next.create('branch', 'b', { projectId, name: 'x' })).id).not.toBe(a.id);
  });

  it('says that adopt finds nothing, and what a forced replacement deletes', async () => {
    const { startRun, run, request, emulator, projectId, on, feature } = await startProgram();
    for (const { id } of emulator.endpoints())
      await request('DELETE', `/projects/${projectId}/endpoints/${id}`);
    await startRun().create('branch', 'a', { projectId, name: 'x' });
    await run.check('branch', 'b', { projectId, name: 'y', adopt: true });
    await run.check('endpoint', 'e', on(feature, { type: 'read_only', name: 'z', adopt: true }));
    await run.check('role', 'r', { projectId, branchId: feature, name: 'w', adopt: true });
    expect(run.shown.join('\n')).toMatch(
      /adopt finds no branch "y".*\n.*adopt finds no endpoint "z".*\n.*adopt finds no role "w"/,
    );
    await run.check('branch', 'a', { projectId, name: 'x', adopt: true });
    expect(run.shown.join()).toMatch(
      /adopt takes over .*\. With --replace or taint, `pulumi up` first deletes the branch, with its data and endpoints, unless it has retainOnDelete$/,
    );
    await startRun().create('branch', 's', { projectId, name: 'safe', protected: true });
    for (const declared of ['main', 'safe'].flatMap((name) => [{ name }, { name, adopt: true }])) {
      const never = startRun();
      await never.check('branch', 'm', { projectId, ...declared });
      expect(never.shown.join()).toMatch(/branch/);
      expect(never.shown.join()).not.toContain('--replace');
    }
    const next = startRun();
    await next.check('branch', 'a', { projectId, name: 'x' });
    expect(next.shown.join()).toMatch(
      /^with --replace or taint, `pulumi up` first deletes the branch, .*\. Otherwise: create of branch/,
    );
    const last = startRun();
    await last.check('branch', 'a', { projectId, name: 'x' }, undefined, { createsBeforeDelete: true });
    expect(last.shown.join()).toMatch(
      /name, or set deleteBeforeReplace: true for --replace or taint\. .* `aliases` instead\.$/,
    );
  });

  it('foretells a take-over, and its restart, on a branch that is adopted', async () => {
    const { emulator, run, projectId, on } = await startProgram();
    const branch = emulator.createBranch(projectId, { name: 'main-2' });
    const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
    const { id } = emulator.createEndpoint(projectId, { branch_id: branch.id, type: 'read_write', ...size });
    await run.check('branch', 'b', { projectId, name: 'main-2', adopt: true });
    const larger = { adopt: true, allowRestart: false, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 };
    await run.check('endpoint', 'e', on(unknownValue, larger));
    expect(run.shown.join('\n')).toMatch(
      new RegExp(
        `if this is on branch ${branch.id}, which this update adopts, \`pulumi up\` takes over endpoint ${id}\n.*${id}, it restarts the compute, drops connections .*\n.*${id}, the create fails, because allowRestart is false`,
      ),
    );
  });

  it('foretells an own endpoint on a branch that is adopted', async () => {
    const { startRun, run, projectId, on } = await startProgram();
    const named = { projectId, name: 'x' };
    const branch = await startRun().create('branch', 'b', named);
    const { id } = await startRun().create('endpoint', 'e', on(branch.id));
    await run.check('branch', 'b', { ...named, adopt: true });
    await run.check('endpoint', 'e', on(unknownValue));
    expect(run.shown[1]).toBe(
      `if this is on branch ${branch.id}, which this update adopts, \`pulumi up\` takes over endpoint ${id}`,
    );
  });

  it('to adopt what another resource of the program replaces is not given', async () => {
    const { run, startRun, on, feature } = await startProgram();
    const replica = { type: 'read_only' };
    const main = await startRun().create('endpoint', 'main', on(feature));
    const other = await startRun().create('endpoint', 'other', on(feature, replica));
    await run.preview(main, on(feature, replica));
    const swapped = await errorOf(run.preview(other, on(feature, { adopt: true })));
    expect(swapped.message).toMatch(/in an earlier `pulumi up`\.$/);
    const late = await errorOf(run.check('endpoint', 'new', on(feature, { adopt: true })));
    expect(late.message).toContain(`${main.id}, which ${urnOf('main')} has`);
    const first = startRun();
    await first.preview(other, on(feature, { adopt: true }));
    const early = await errorOf(first.preview(main, on(feature, replica)));
    expect(early.message).toContain(`${main.id} is in state here, and ${urnOf('other')} is to adopt it`);
    const next = startRun();
    await next.preview(main, on(feature, replica));
    await next.delete(main);
    await startRun().preview(other, on(feature));
  });

  it('refuses an ambiguous adopter, and one of what another one has', async () => {
    const { emulator, run, startRun, projectId, on, feature } = await startProgram();
    const other = emulator.createBranch(projectId).id;
    const first = emulator.createEndpoint(projectId, { branch_id: feature, type: 'read_write', name: 'api' });
    const second = emulator.createEndpoint(projectId, { branch_id: other, type: 'read_write' });
    const unclear = await errorOf(run.check('endpoint', 'c', on(other, { name: 'api', adopt: true })));
    expect(unclear.message).toContain(`can mean two endpoints: ${first.id} by the name`);
    expect(unclear.message).toContain(second.id);
    const next = startRun();
    await next.check('endpoint', 'a', on(feature, { name: 'api', adopt: true }));
    const rival = await errorOf(next.check('endpoint', 'b', on(feature, { adopt: true })));
    expect(rival.message).toContain(`${first.id}, which ${urnOf('a')} has or takes over`);
    const kept = await startRun().create('endpoint', 'a', on(feature, { adopt: true }));
    const last = startRun();
    await last.preview(kept, on(feature, { adopt: true }));
    const late = await errorOf(last.check('endpoint', 'b', on(feature, { adopt: true })));
    expect(late.message).toContain(`${first.id}, which ${urnOf('a')} has`);
  });
});

it('what lacks a value because another resource has failed says so', async () => {
  const { run, on, projectId, emulator } = await startProgram();
  emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 422 } });
  const { branchId: _, ...lacking } = on('');
  const required = await errorOf(run.check('endpoint', 'e', lacking));
  expect(required.message).toContain('is required');
  await errorOf(run.create('branch', 'b', { projectId, name: 'data' }));
  const follows = await errorOf(run.check('endpoint', 'e', lacking));
  expect(follows.message).toBe(
    'has no value, because another resource of this program has failed: see its error',
  );
});

it('the preview names the endpoint that has the name, on an unknown branch', async () => {
  const { run, on, projectId, feature, emulator } = await startProgram();
  const { id } = emulator.createEndpoint(projectId, { branch_id: feature, type: 'read_only', name: 'api' });
  await run.check('endpoint', 'e', on(unknownValue, { name: 'api' }));
  expect(run.shown.join()).toMatch(
    new RegExp(
      `^with --replace or taint, \`pulumi up\` first deletes .* already has an endpoint of that name, ${id} `,
    ),
  );
});
