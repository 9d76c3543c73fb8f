import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasPostgres, type TestClient, usePostgres } from '../support/postgres-emulator';
import { makeTemporaryFolder } from '../support/temporary-folder';

const pg_settings = { max_wal_size: '2MB', min_wal_size: '2MB' };
const createScrap = 'CREATE TABLE scrap (text text); ALTER TABLE scrap ALTER text SET STORAGE EXTERNAL';
const write20Megabytes =
  "INSERT INTO scrap SELECT repeat('x', 1000000) FROM generate_series(1, 20); TRUNCATE scrap";

describe.skipIf(!hasPostgres)('a copy of data that changes', () => {
  const service = usePostgres();

  it('has the log of everything that was written meanwhile', async () => {
    const place = await service().createProject();
    await place.patch({ settings: { pg_settings } });
    const client = await place.connect();
    await client.query("CREATE TABLE notes AS SELECT repeat('x', 500) FROM generate_series(1, 700000)");
    await client.query(createScrap);
    const child = service().createBranch(place, 'read_write');
    let isCopied = false;
    const end = () => {
      isCopied = true;
    };
    child.then(end, end);
    while (!isCopied) await client.query(write20Megabytes);
    const copy = await (await child).connect();
    expect(await copy.ask('SELECT count(*)::int FROM notes')).toBe(700_000);
  });

  it('lets no role change its password until the log is copied', async () => {
    const place = await service().createProject();
    const client = await place.connect();
    const programs = makeTemporaryFolder();
    chmodSync(programs, 0o777);
    const slow = `#!/bin/sh\ncase "$*" in */pg_wal/*) : > "$0.began"; sleep 1 ;; esac\nPATH=\${PATH#*:} exec cp "$@"\n`;
    writeFileSync(join(programs, 'cp'), slow, { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const copied = service().createBranch(place, 'read_write');
    await expect.poll(() => existsSync(join(programs, 'cp.began'))).toBe(true);
    const locks = "SELECT mode FROM pg_locks WHERE relation = 'pg_authid'::regclass AND mode = 'ShareLock'";
    expect(await client.ask(locks)).toBe('ShareLock');
    await copied;
  });

  it.each([
    [
      'that is stopped',
      async (receiver: number) => {
        process.kill(receiver, 'SIGSTOP');
        return async () => void process.kill(receiver, 'SIGCONT');
      },
    ],
    [
      'that cannot log in',
      async (receiver: number, client: TestClient) => {
        await client.query('BEGIN; LOCK TABLE pg_roles');
        process.kill(receiver, 'SIGTERM');
        return async () => void (await client.query('COMMIT'));
      },
    ],
  ])('follows again after 200 MB for a receiver %s', async (_which, holdUp) => {
    const { patch, connect, addEndpoint } = await service().createProject();
    await patch({ settings: { pg_settings } });
    const { host } = await addEndpoint('read_only');
    const client = await connect();
    await client.query(`CREATE TABLE notes (id int); ${createScrap}`);
    const replica = await connect({ host });
    const pid = () => replica.ask('SELECT pid FROM pg_stat_wal_receiver');
    // It starts after the replica accepts connections.
    await expect.poll(pid).toBeDefined();
    const letGo = await holdUp(Number(await pid()), await connect());
    onTestFinished(() => letGo().catch(() => undefined));
    for (let part = 0; part < 10; part += 1) await client.query(write20Megabytes);
    await client.query('INSERT INTO notes VALUES (1)');
    await letGo();
    const count = async () => (await connect({ host })).ask('SELECT count(*)::int FROM notes');
    await expect.poll(() => count().catch(() => undefined), { interval: 1000 }).toBe(1);
  });

  it('is replaced by a restore that begins before it is complete', async () => {
    const place = await service().createProject();
    const { connect, send, addEndpoint, branchId } = place;
    const client = await connect();
    await client.query('CREATE TABLE notes AS SELECT 1::text');
    const small = await service().createBranch(place);
    await client.query("INSERT INTO notes SELECT repeat('x', 500) FROM generate_series(1, 700000)");
    const { body } = await send('POST', 'branches', { branch: { parent_id: branchId } });
    const { id } = body.branch;
    await send('POST', `branches/${id}/restore`, { source_branch_id: small.branchId });
    const { host } = await addEndpoint('read_write', { branch_id: id });
    expect(await (await connect({ host })).ask('SELECT count(*)::int FROM notes')).toBe(1);
  });
});
