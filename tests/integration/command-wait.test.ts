import { describe, expect, it } from 'vitest';
import { startCommand } from '../support/start-command';
import { until } from '../support/virtual-world';

type Service = Awaited<ReturnType<typeof startCommand>>;

/** An operation of the primary endpoint that has begun. */
async function startSuspension(service: Service) {
  const { stdout } = await service.run('endpoints', 'suspend', service.primary.id, '--no-wait', '--json');
  return (JSON.parse(stdout).operations as { id: string; status: string }[])[0] ?? { id: '', status: '' };
}

const pollsOf = (emulator: Service['emulator']) =>
  emulator.requests().filter(({ path }) => path.includes('/operations'));

describe('operations wait', () => {
  it('exits with 0 when the operation succeeds, and shows it', async () => {
    const service = await startCommand({ operationMs: 2_000 });
    const { id } = await startSuspension(service);
    const { exitCode, stdout, stderr } = await service.run('operations', 'wait', id);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/suspend_compute +\S+ +OK/);
    expect(stderr).toBe(`${id} suspend_compute: In progress\n${id} suspend_compute: OK\n`);
  });

  it('exits with 1 and the reason when the operation fails', async () => {
    const service = await startCommand();
    service.emulator.inject({
      match: { action: 'suspend_compute' },
      effect: { kind: 'operation-fails', error: 'the host is gone' },
    });
    const { id } = await startSuspension(service);
    const { exitCode, stderr } = await service.run('operations', 'wait', id);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `error: Not every operation succeeded: suspend_compute ${id} failed: the host is gone.\n`,
    );
  });

  it('exits with 3 and the unfinished operations at the time-out', async () => {
    const service = await startCommand({ operationMs: 60_000 });
    const { id } = await startSuspension(service);
    const words = ['operations', 'wait', id, '--timeout', '0.2', '--json'];
    const { exitCode, stderr, stdout } = await service.run(...words);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      new RegExp(`error: Still unfinished after [\\d.]+ s.*: suspend_compute ${id} running.\n$`),
    );
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'timed out',
      operations: [{ id, status: 'running' }],
    });
  });

  it('waits for every operation of an endpoint with --endpoint', async () => {
    const { run, emulator, primary } = await startCommand({ operationMs: 2_000 });
    await run('endpoints', 'restart', primary.id, '--no-wait');
    const { exitCode, stdout } = await run('operations', 'wait', '--endpoint', primary.id, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'succeeded',
      operations: [{ status: 'finished' }, { status: 'finished' }],
    });
    expect(emulator.endpoints()[0]).toMatchObject({ current_state: 'active' });
  });

  it('waits for every unfinished operation of the project by default', async () => {
    const service = await startCommand();
    const release = service.emulator.lockProject(service.project.id);
    const locked = await service.run('operations', 'wait', '--timeout', '0.2');
    release();
    const unlocked = await service.run('operations', 'wait');
    expect(locked.exitCode).toBe(3);
    expect(locked.stderr).toMatch(/create_branch: In progress\n/);
    expect(unlocked).toEqual({ exitCode: 0, stdout: '', stderr: 'No unfinished operations.\n' });
  });

  it('exits with 5 when the operation disappears', async () => {
    const service = await startCommand({ locks: 'none' });
    const { emulator, project, run } = service;
    emulator.inject({ match: {}, effect: { kind: 'operation-hangs' } });
    const { id } = await startSuspension(service);
    const waiting = run('operations', 'wait', id);
    await until(() => pollsOf(emulator).length > 1);
    const path = '/projects/:p/operations/:o';
    emulator.inject({ match: { path }, effect: { kind: 'status', status: 404 }, times: 'always' });
    // Enough newer operations that the newest page does not show it.
    for (let number = 0; number < 60; number += 1) emulator.createBranch(project.id);
    const { exitCode, stderr } = await waiting;
    expect(exitCode).toBe(5);
    expect(stderr).toContain(
      `error: The service no longer has operation ${id} (suspend_compute), so its outcome is unknown.\n`,
    );
  });
});
