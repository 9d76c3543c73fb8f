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

it('fleet: changes each stack once, and resumes after a kill -9', async (test) => {
  const { stack, emulator, endpoints, declare, start, changes, restarts, readReport } = await startFleet(
    ['canary', ...shops],
    test,
  );
  await declare({ waves: [['canary'], shops], concurrency: 2 });
  const killed = start();
  const isHalfWay = () => changes().length >= 2 || killed.exitCode !== null;
  await expect.poll(isHalfWay, { interval: 5 }).toBe(true);
  process.kill(-Number(killed.pid), 'SIGKILL');
  const first = await killed;
  expect(listFiles(join(stack.backend, '.pulumi', 'locks'))).not.toEqual([]);
  const { stacks } = await readReport();
  const interrupted = stacks.filter(({ outcome }) => outcome === 'running').map((result) => result.stack);

  const second = await start();
  expect(second.all).toMatch(/Every stack has the target.$/);
  expect(second.exitCode).toBe(0);
  expect(Object.values(restarts())).toEqual(Array(4).fill(1));
  const finished = (await readReport()).stacks;
  expect(finished).toMatchObject(Array(4).fill({ outcome: 'finished' }));
  // A restart that the killed run has finished is not announced again.
  const quiet = finished.filter(({ restarts: announced }) => announced !== 1).map((result) => result.stack);
  expect(interrupted).toEqual(expect.arrayContaining(quiet));
  // A change that was sent right before the kill is sent again, and restarts nothing again.
  const names = changes().map(({ name }) => name);
  const repeated = names.filter((name, index) => names.indexOf(name) < index);
  expect(interrupted).toEqual(expect.arrayContaining(repeated));
  expect(Math.max(mostAtOnce(first.all), mostAtOnce(second.all))).toBe(2);
  const [canary, next] = changes();
  expect(canary?.name).toBe('canary');
  const operations = emulator.operations(endpoints.get('canary')?.project_id ?? '');
  for (const { updated_at } of operations) expect(updated_at <= String(next?.time)).toBe(true);

  const requests = emulator.requests().length;
  expect((await start()).exitCode).toBe(0);
  expect(emulator.requests()).toHaveLength(requests);
});

it('fleet: after a failure no other stack starts; the next run resumes', async (test) => {
  const { emulator, endpoints, declare, start, changes, restarts, readReport } = await startFleet(
    shops,
    test,
  );
  const outcomes = async () => (await readReport()).stacks.map(({ outcome }) => outcome);
  await declare({ waves: [shops.slice(0, 2), shops.slice(2, 3)], concurrency: 2 });
  const [failing, slow] = [endpoints.get('shop-1'), endpoints.get('shop-2')];
  emulator.inject({
    match: { action: 'apply_config', endpointId: failing?.id ?? '' },
    effect: { kind: 'operation-fails', error: 'no room for the compute' },
  });
  const hanging = emulator.inject({
    match: { action: 'apply_config', endpointId: slow?.id ?? '' },
    effect: { kind: 'operation-hangs' },
  });
  const running = start();
  await expect.poll(async () => (await outcomes())[0]).toBe('failed');
  hanging.clear();
  const { exitCode, all } = await running;
  expect(exitCode).toBe(1);
  expect(all).toMatch(/shop-1: .*no room for the compute/s);
  expect(await outcomes()).toEqual(['failed', 'finished', 'pending']);
  expect(
    changes()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['shop-1', 'shop-2']);

  expect((await start()).exitCode).toBe(0);
  expect(await outcomes()).toEqual(['finished', 'finished', 'finished']);
  expect(restarts()).toMatchObject({ 'shop-2': 1, 'shop-3': 1 });
});

it('fleet: Ctrl-C cancels without a lock; the next run resumes', async (test) => {
  const { stack, emulator, endpoints, declare, start, changes, readReport } = await startFleet(
    shops.slice(0, 2),
    test,
  );
  await declare({ waves: [shops.slice(0, 2)] });
  const hanging = emulator.inject({
    match: { action: 'apply_config', endpointId: endpoints.get('shop-1')?.id ?? '' },
    effect: { kind: 'operation-hangs' },
  });
  const running = start();
  const isUnderWay = () => changes().length === 1 || running.exitCode !== null;
  await expect.poll(isUnderWay).toBe(true);
  process.kill(-Number(running.pid), 'SIGINT');
  const { exitCode, all } = await running;
  hanging.clear();
  expect(all).toMatch(/Interrupted. The next run resumes/);
  expect(exitCode).toBe(1);
  expect((await readReport()).stacks.map(({ outcome }) => outcome)).toEqual(['failed', 'pending']);
  expect(listFiles(join(stack.backend, '.pulumi', 'locks'))).toEqual([]);
  expect((await start()).exitCode).toBe(0);
});

it('fleet: outside its window restarts nothing and says when it opens', async (test) => {
  const { emulator, endpoints, declare, start, changes, restarts, readReport, configOf } = await startFleet(
    ['idle', 'active'],
    test,
  );
  const { id = '', project_id = '' } = endpoints.get('idle') ?? {};
  await sendRequest(emulator, 'POST', `/projects/${project_id}/endpoints/${id}/suspend`);
  const size = () => emulator.endpoints().find((endpoint) => endpoint.id === id);
  await expect.poll(() => size()?.current_state).toBe('idle');
  const opens = new Date(Date.now() + 180 * 86_400_000);
  const schedule = `0 3 ${opens.getUTCDate()} ${opens.getUTCMonth() + 1} *`;
  const waves = [['idle'], ['active']];
  await declare({ waves, restartWindow: { schedule, durationMinutes: 60, timeZone: 'UTC' } });
  const held = await start();
  expect(held.all).toContain(`opens at ${opens.toISOString().slice(0, 10)}T03:00:00.000Z`);
  expect(held.exitCode).toBe(2);
  expect(changes().map(({ name }) => name)).toEqual(['idle']);
  expect((await readReport()).stacks).toMatchObject([
    { outcome: 'finished', restarts: 0 },
    { outcome: 'held', restarts: 1 },
  ]);
  expect(await readFile(configOf('active'), 'utf8')).not.toMatch(/maxCu|allowRestart/);

  await declare({ waves });
  expect((await start()).exitCode).toBe(0);
  expect(restarts()).toEqual({ idle: 0, active: 1 });
  const config = await readFile(configOf('active'), 'utf8');
  expect(config).toContain('maxCu: "2"');
  expect(config).not.toContain('allowRestart');
});
