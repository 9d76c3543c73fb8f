import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sendRequest } from '../support/send-request';
import { startFleet } from '../support/start-fleet';
import { listFiles } from '../support/temporary-folder';

const shops = Array.from({ length: 3 }, (_, index) => `shop-${index + 1}`);

/** The most stacks that a rollout showed as running at the same time. */
function mostAtOnce(screen = ''): number {
  const running = new Set<string>();
  const [table = ''] = screen.split('\n\n');
  const counts = [...table.matchAll(/^(\S+) +(running|finished|failed|held)/gm)].map(
    ([, stack = '', outcome]) => {
      if (outcome === 'running') running.add(stack);
      else running.delete(stack);
      return running.size;
    },
  );
  return Math.max(...counts);
}

it('fleet: a failure stops it, and after a kill -9 each stack changes once', async (test) => {
  const { stack, emulator, endpoints, declare, start, changes, restarts, readReport } = await startFleet(
    ['canary', ...shops],
    test,
  );
  const outcomes = async () => (await readReport()).stacks.map(({ outcome }) => outcome);
  await declare({ waves: [['canary'], shops], concurrency: 2 });
  const [failing, slow] = [endpoints.get('shop-1'), endpoints.get('shop-2')];
  emulator.inject({
    match: { action: 'apply_config', endpointId: failing?.id ?? '' },
    effect: { kind: 'operation-fails', error: 'no room for the compute' },
  });
  const hanging = emulator.inject({
    match: { action: 'apply_config', endpointId: slow?.id ?? '' },
    effect: { kind: 'operation-hangs' },
  });
  const stopping = start();
  await expect.poll(async () => (await outcomes())[1]).toBe('failed');
  hanging.clear();
  const { exitCode, all } = await stopping;
  expect(exitCode).toBe(1);
  expect(all).toMatch(/shop-1: .*no room for the compute/s);
  expect(await outcomes()).toEqual(['finished', 'failed', 'finished', 'pending']);
  expect(mostAtOnce(all)).toBe(2);
  const [canary, next, ...others] = changes();
  expect([canary?.name, others.length]).toEqual(['canary', 1]);
  const operations = emulator.operations(endpoints.get('canary')?.project_id ?? '');
  for (const { updated_at } of operations) expect(updated_at <= String(next?.time)).toBe(true);

  const killed = start();
  const isHalfWay = () => changes().length >= 4 || killed.exitCode !== null;
  await expect.poll(isHalfWay, { interval: 5 }).toBe(true);
  process.kill(-Number(killed.pid), 'SIGKILL');
  await killed;
  expect(listFiles(join(stack.backend, '.pulumi', 'locks'))).not.toEqual([]);
  const { stacks } = await readReport();
  const running = stacks.filter(({ outcome }) => outcome === 'running').map((result) => result.stack);
  const repeatable = ['shop-1', ...running];

  const last = await start();
  expect(last.all).toMatch(/Every stack has the target.$/);
  expect(last.exitCode).toBe(0);
  expect(restarts()).toMatchObject({ canary: 1, 'shop-2': 1, 'shop-3': 1 });
  const finished = (await readReport()).stacks;
  expect(finished).toMatchObject(Array(4).fill({ outcome: 'finished' }));
  // A restart that the killed run has finished is not announced again.
  const quiet = finished.filter(({ restarts: announced }) => announced !== 1).map((result) => result.stack);
  expect(repeatable).toEqual(expect.arrayContaining(quiet));
  // A change that was sent right before the kill is sent again, and restarts nothing again.
  const names = changes().map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  expect(repeatable).toEqual(expect.arrayContaining(repeated));

  const requests = emulator.requests().length;
  expect((await start()).exitCode).toBe(0);
  expect(emulator.requests()).toHaveLength(requests);
});

it('fleet: a closed window and Ctrl-C leave the rest to the next run', async (test) => {
  const { stack, emulator, endpoints, declare, start, changes, restarts, readReport, configOf } =
    await startFleet(['idle', 'active', 'last'], test);
  const { id = '', project_id = '' } = endpoints.get('idle') ?? {};
  await sendRequest(emulator, 'POST', `/projects/${project_id}/endpoints/${id}/suspend`);
  const size = () => emulator.endpoints().find((endpoint) => endpoint.id === id);
  await expect.poll(() => size()?.current_state).toBe('idle');
  const opens = new Date(Date.now() + 180 * 86_400_000);
  const schedule = `0 3 ${opens.getUTCDate()} ${opens.getUTCMonth() + 1} *`;
  const waves = [['idle'], ['active'], ['last']];
  await declare({ waves, restartWindow: { schedule, durationMinutes: 60, timeZone: 'UTC' } });
  const held = await start();
  expect(held.all).toContain(`opens at ${opens.toISOString().slice(0, 10)}T03:00:00.000Z`);
  expect(held.exitCode).toBe(2);
  expect(changes().map(({ name }) => name)).toEqual(['idle']);
  expect((await readReport()).stacks).toMatchObject([
    { outcome: 'finished', restarts: 0 },
    { outcome: 'held', restarts: 1 },
    { outcome: 'pending' },
  ]);
  expect(await readFile(configOf('active'), 'utf8')).not.toMatch(/maxCu|allowRestart/);

  await declare({ waves });
  const hanging = emulator.inject({
    match: { action: 'apply_config', endpointId: endpoints.get('active')?.id ?? '' },
    effect: { kind: 'operation-hangs' },
  });
  const running = start();
  const isUnderWay = () => changes().length === 2 || running.exitCode !== null;
  await expect.poll(isUnderWay).toBe(true);
  process.kill(-Number(running.pid), 'SIGINT');
  const { exitCode, all } = await running;
  hanging.clear();
  expect(all).toMatch(/Interrupted. The next run resumes/);
  expect(exitCode).toBe(1);
  expect((await readReport()).stacks).toMatchObject([{}, { outcome: 'failed' }, { outcome: 'pending' }]);
  expect(listFiles(join(stack.backend, '.pulumi', 'locks'))).toEqual([]);

  expect((await start()).exitCode).toBe(0);
  expect(restarts()).toEqual({ idle: 0, active: 1, last: 1 });
  const config = await readFile(configOf('active'), 'utf8');
  expect(config).toContain('maxCu: "2"');
  expect(config).not.toContain('allowRestart');
});
