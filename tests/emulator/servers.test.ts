import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Connect, dropRole } from '../../emulator/src/data-plane/access-changes';
import { asAdmin } from '../../emulator/src/data-plane/admin';
import { BranchData } from '../../emulator/src/data-plane/branch-data';
import { DEFAULT_LIMITS } from '../../emulator/src/data-plane/cluster-state';
import { findPostgres } from '../../emulator/src/data-plane/find-postgres';
import { asServer, runGuarded } from '../../emulator/src/data-plane/guarded-process';
import { PostgresServer, type ServerStart } from '../../emulator/src/data-plane/postgres-server';
import { giveToServer, writeServerFile } from '../../emulator/src/data-plane/server-files';
import { createTemplate } from '../../emulator/src/data-plane/template';
import { Verifiers } from '../../emulator/src/data-plane/verifiers';
import type { BranchRecord, ProjectRecord } from '../../emulator/src/records/records';
import { hasPostgres } from '../support/postgres-emulator';
import { makeTemporaryFolder } from '../support/temporary-folder';

it('gives the servers no secrets of the environment', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['POSTGRES_CONTROL_EMULATOR_API_KEY', 'CI_TOKEN', 'PGPASSWORD']) vi.stubEnv(name, 'x');
  vi.stubEnv('LC_MESSAGES', 'C');
  expect(asServer().env).toMatchObject({ PATH: process.env.PATH, LC_MESSAGES: 'C' });
  expect(Object.values(asServer().env)).not.toContain('x');
});

it('fails with the first lines of what a program prints', async () => {
  const script = 'for file in 1 2 3 4 5; do echo "no space for $file" >&2; done; exit 1';
  const failed = expect(runGuarded('/bin/sh', ['-c', script]));
  await failed.rejects.toThrow(/^\/bin\/sh failed: no space for 1\nno space for 2\nno space for 3$/);
});

it('judges each line of what a program prints, however much it is', async () => {
  const script = 'seq 30000 | sed "s/$/ is missing/" >&2; [ -z "$1" ] || echo "$1" >&2;';
  const run = (last: string, end = 'exit 1') =>
    runGuarded('/bin/sh', ['-c', `${script} ${end}`, 'sh', last], {
      isHarmless: (line) => /^\d+ is missing$/.test(line),
    });
  await run('');
  await expect(run('no space')).rejects.toThrow('/bin/sh failed: no space');
  await expect(run('', 'kill -KILL $$')).rejects.toThrow('/bin/sh failed: SIGKILL');
});

it('replaces a file as a whole: a full disk leaves the former one', () => {
  const [file, former] = [join(makeTemporaryFolder(), 'state'), join(makeTemporaryFolder(), 'former')];
  writeServerFile(file, 'one');
  linkSync(file, former);
  writeServerFile(file, 'two');
  expect([former, file].map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two']);
});

/** An emulator's data, and two branches that have none. */
async function openData(saved: () => Promise<void>) {
  const temporary = makeTemporaryFolder();
  giveToServer(temporary);
  const folders = { data: join(temporary, 'data'), temporary };
  const data = await BranchData.open(findPostgres(undefined, temporary), folders, new Set(), saved);
  const access = { roles: [], databases: [] };
  // Copies read only these attributes.
  const makeBranch = (id: string) =>
    ({ wire: { id, last_reset_at: '2026-01-31T08:00:00Z' }, ...access }) as unknown as BranchRecord;
  return { data, folders, access, source: makeBranch('br-source'), target: makeBranch('br-target') };
}

it.skipIf(!hasPostgres)('a restore that cannot be saved leaves no copy in the way', async () => {
  const { data, access, source, target } = await openData(() =>
    Promise.reject(new Error('the disk is full')),
  );
  const branches = new Map([source, target].map((branch) => [branch.wire.id, branch]));
  const project = { branches } as unknown as ProjectRecord;
  const restored = data.copies.restore(project, 'br-target', { sourceId: 'br-source', access });
  await expect(restored).rejects.toThrow('the disk is full');
  await data.prepare(data.of('br-target'));
});

it.skipIf(!hasPostgres)('a branch whose data cannot be reached is not copied as an empty one', async () => {
  const { data, folders, source, target } = await openData(async () => undefined);
  renameSync(folders.data, `${folders.data}.away`);
  data.copies.fork(source, target);
  await expect(data.copies.created('br-target')).rejects.toThrow('ENOENT');
});

it.skipIf(!hasPostgres)(
  'a login waits for nothing that takes long, where its password is known',
  async () => {
    const { data, source } = await openData(async () => undefined);
    const cluster = data.of('br-source');
    await data.prepare(cluster);
    cluster.note({
      passwords: [{ role: 'bob', verifier: 'SCRAM-SHA-256$5000:c2FsdA==$a2V5:a2V5', validUntilMs: null }],
    });
    // Such as a copy, while a replica runs.
    void cluster.inTurn(() => new Promise(() => undefined));
    expect(await new Verifiers(data).of(source, 'bob')).toMatchObject({ iterations: 5000 });
  },
);

it.skipIf(!hasPostgres)('a schema of a branch that is deleted leaves no timer', async () => {
  const { data, source } = await openData(async () => undefined);
  const cluster = data.of('br-source');
  await data.prepare(cluster);
  await cluster.start(DEFAULT_LIMITS);
  onTestFinished(() => cluster.stop());
  cluster.leaving.abort(new Error('the branch was deleted'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await expect(data.schemas.read(source, 'postgres')).rejects.toThrow('the branch was deleted');
  expect(vi.getTimerCount()).toBe(0);
});

/** Makes a folder of data, with a function that starts a server on it. */
async function makeData() {
  const sockets = makeTemporaryFolder();
  giveToServer(sockets);
  const { version, ...programs } = findPostgres(undefined, join(sockets, 'bin'));
  const data = join(sockets, 'data');
  const { signal } = new AbortController();
  const start = async (flags: Record<string, string>, more: Partial<ServerStart> = {}) => {
    const { postgres: program } = programs;
    const server = await PostgresServer.start({ program, data, sockets, flags, signal, ...more });
    onTestFinished(() => server.stop());
    return server;
  };
  const passwordFile = join(sockets, 'password');
  writeServerFile(passwordFile, 'secret');
  await createTemplate({ version, ...programs }, data, passwordFile);
  return { sockets, version, data, start };
}

it.skipIf(!hasPostgres)('gives up a start that takes too long', async () => {
  const { start } = await makeData();
  await expect(start({}, { longestMs: 1 })).rejects.toThrow('Postgres was not ready after 0.001 s');
});

it.skipIf(!hasPostgres).each([
  ['a process', 'SIGCONT', 1],
  ['its first process', 'SIGSTOP', 2],
] as const)('ends a server of which %s does not answer', async (_which, signal, periods) => {
  const { sockets, version, data, start } = await makeData();
  const server = await start({});
  const access = { sockets, password: 'secret', version };
  // Before version 17, Postgres computes this without a look at interruptions.
  const key = `${'A'.repeat(43)}=`;
  const slow = `ALTER ROLE cloud_admin PASSWORD 'SCRAM-SHA-256$2000000000:MDEyMzQ1Njc4OWFiY2RlZg==$${key}:${key}'`;
  asAdmin(access, 'postgres', (admin) => admin.query(slow)).catch(() => undefined);
  const running = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'ALTER ROLE%'";
  await expect
    .poll(() => asAdmin(access, 'postgres', async (admin) => (await admin.query(running)).rowCount))
    .toBe(1);
  process.kill(Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10), signal);
  // The longest time until the next signal.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const stopped = server.stop();
  vi.advanceTimersByTime(periods * 15_000);
  await stopped;
  expect(server.hasExited).toBe(true);
});

it.skipIf(!hasPostgres)('waits for a recovery however long it takes, unless it has to go', async () => {
  const { data, sockets, start } = await makeData();
  writeFileSync(join(data, 'recovery.signal'), '');
  const [began, go] = [join(sockets, 'began'), join(sockets, 'go')];
  const restore_command = `touch ${began}; until [ -e ${go} ]; do sleep 0.1; done; false`;
  const begin = (more?: Partial<ServerStart>) => start({ restore_command, hot_standby: 'off' }, more);
  const hasBegun = () => vi.waitUntil(() => existsSync(began), { timeout: 30_000 });

  const leaving = new AbortController();
  const ended = expect(begin({ signal: leaving.signal })).rejects.toThrow('the branch was deleted');
  await hasBegun();
  leaving.abort(new Error('the branch was deleted'));
  await ended;

  rmSync(began);
  const server = begin();
  await hasBegun();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  writeFileSync(go, '');
  expect((await server).hasExited).toBe(false);
});

it.skipIf(!hasPostgres)('removes a role within a minute, in all databases together', async () => {
  const { sockets, version, start } = await makeData();
  await start({});
  const access = { sockets, password: 'secret', version };
  const ask = async (database: string, ...statements: string[]) => {
    for (const statement of statements) await asAdmin(access, database, (admin) => admin.query(statement));
  };
  await ask('postgres', 'CREATE ROLE heir', 'CREATE ROLE leaver', 'CREATE DATABASE large OWNER leaver');
  await ask('large', 'SET ROLE leaver; SELECT lo_create(0) FROM generate_series(1, 5000)');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const connect: Connect = (database, work) => {
    vi.setSystemTime(Date.now() + 60_000);
    return asAdmin(access, database, work);
  };
  // A removal reads only the names of roles.
  const branch = { roles: [{ name: 'heir' }], databases: [] } as unknown as BranchRecord;
  await expect(dropRole(connect, 'leaver', branch)).rejects.toThrow('due to statement timeout');
});
