import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, type Login, PostgresEmulator } from '../support/postgres-emulator';
import { openSocket, openTls, startPacket } from '../support/raw-postgres-client';
import { readChallenge, saslInitial } from '../support/scram-client';

const range = (count: number) => Array.from({ length: count }, (_none, index) => index);
const REFUSED = /password authentication failed/;

describe.skipIf(!hasPostgres)('a login', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start({ operationMs: 10 });
    return () => service.emulator.stop();
  });

  /** A project whose compute has run and is idle. */
  const createIdle = async () => {
    const place = await service.createProject();
    const { projectId, endpointId, login } = place;
    await service.endOperations(projectId);
    const endpoint = () => service.emulator.endpoints(projectId)[0];
    const suspend = async () => {
      await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/suspend`);
      await service.endOperations(projectId);
      expect(endpoint()?.current_state).toBe('idle');
    };
    await service.connect(login);
    await suspend();
    return { ...place, suspend, endpoint };
  };

  it('130 silent clients and 130 wrong passwords wake nothing', async () => {
    const { endpointId, login, endpoint, projectId, branchId } = await createIdle();
    const port = service.emulator.postgresPort ?? 0;
    const parameters = { user: login.role, database: 'app', options: `endpoint=${endpointId}` };
    const started = service.emulator.operations(projectId).length;
    const silent = range(130).map(async (index) => {
      const socket = await (index % 2 ? openSocket(port) : openTls(port, { servername: login.host }));
      if (index % 4 > 1) socket.resume().write(startPacket(parameters));
    });
    await Promise.all(silent);
    const refusals = range(130).map((index) =>
      service.connect({ ...login, password: 'wrong', role: index % 2 ? login.role : 'nobody' }),
    );
    for (const refusal of await Promise.allSettled(refusals))
      expect(refusal).toMatchObject({ reason: { message: expect.stringMatching(REFUSED) } });
    expect(endpoint()?.current_state).toBe('idle');
    expect(service.emulator.operations(projectId)).toHaveLength(started);
    const client = await service.connect(login);
    const others = "SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend'";
    expect(await client.ask(others)).toBe(1);
    const path = `/projects/${projectId}/branches/${branchId}/roles`;
    await service.call('POST', path, { role: { name: 'bob' } });
    expect((await service.endOperations(projectId))[0]).toMatchObject({ status: 'finished' });
  });

  it('an idle compute knows what a client has set by SQL', async () => {
    const { login, suspend, endpoint } = await createIdle();
    const client = await service.connect(login);
    await client.query("ALTER ROLE app_owner PASSWORD 'changed'");
    const changed = { ...login, password: 'changed' };
    const logins: [Login, RegExp | undefined][] = [
      [login, REFUSED],
      [{ ...login, role: 'none', password: 'x' }, REFUSED],
      [changed, undefined],
    ];
    if (Number(await client.ask('SHOW server_version_num')) >= 160_000) {
      await client.query(`CREATE ROLE fred LOGIN PASSWORD 'f'; CREATE ROLE old LOGIN PASSWORD 'o' VALID UNTIL '1999-01-01';
        CREATE ROLE late LOGIN PASSWORD 'l' VALID UNTIL 'infinity'; CREATE ROLE early LOGIN PASSWORD 'e' VALID UNTIL '-infinity';
        CREATE ROLE bare LOGIN; CREATE ROLE group_only NOLOGIN PASSWORD 'g';
        SET password_encryption = 'md5'; CREATE ROLE ancient LOGIN PASSWORD 'a'`);
      logins.push(
        [{ ...login, role: 'fred', password: 'f' }, undefined],
        [{ ...login, role: 'old', password: 'o' }, REFUSED],
        [{ ...login, role: 'late', password: 'l' }, undefined],
        [{ ...login, role: 'early', password: 'e' }, REFUSED],
        [{ ...login, role: 'bare', password: 'x' }, REFUSED],
        [{ ...login, role: 'ancient', password: 'a' }, REFUSED],
        [{ ...login, role: 'group_only', password: 'g' }, /is not permitted to log in/],
      );
    }
    for (const [given, refusal] of logins) {
      for (const state of ['running', 'stopped']) {
        if (state === 'stopped') await suspend();
        else await service.connect(changed);
        const connected = service.connect(given);
        if (refusal === undefined) await connected;
        else await expect(connected).rejects.toThrow(refusal);
        if (state === 'stopped' && refusal === REFUSED) expect(endpoint()?.current_state).toBe('idle');
      }
    }
  });

  it('a branch of a running branch knows them, too', async () => {
    const { projectId, branchId, login } = await service.createProject();
    await (await service.connect(login)).query("ALTER ROLE app_owner PASSWORD 'changed'");
    const child = await service.createBranch(projectId, branchId, 'read_write');
    await expect(service.connect(child.login)).rejects.toThrow(REFUSED);
    await service.connect({ ...child.login, password: 'changed' });
  });

  it('a server that is starting refuses no password that is right', async () => {
    const { projectId, branchId, login } = await service.createProject();
    const path = `/projects/${projectId}/branches/${branchId}/roles`;
    const { body } = await service.call<{ role: { password: string } }>('POST', path, {
      role: { name: 'bob' },
    });
    const bob = { ...login, role: 'bob', password: body.role.password };
    const clients = range(40).map(async (index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 10));
      return service.connect(index % 2 ? login : bob);
    });
    await Promise.all(clients);
  });

  it('a role with a salt of its own that is too long cannot log in', async ({ skip }) => {
    const { login } = await service.createProject();
    const owner = await service.connect(login);
    const version = await owner.ask("SELECT current_setting('server_version_num')::int");
    if (Number(version) >= 180_000) skip('Postgres refuses it itself');
    const [salt, key] = ['AAAA'.repeat(250_000), Buffer.alloc(32).toString('base64')];
    await owner.query(`ALTER ROLE app_owner PASSWORD 'SCRAM-SHA-256$4096:${salt}$${key}:${key}'`);
    await expect(service.connect(login)).rejects.toThrow(REFUSED);
  });

  it('an unknown role has a stable salt of its own', async () => {
    const { endpointId } = await service.createProject();
    const challengeOf = async (user: string) => {
      const socket = await openSocket(service.emulator.postgresPort ?? 0);
      socket.write(startPacket({ user, options: `endpoint=${endpointId}` }));
      await once(socket, 'data');
      socket.write(saslInitial('SCRAM-SHA-256', 'n,,n=,r=abc'));
      return (await readChallenge(socket)).replace(/^r=[^,]*/, '');
    };
    const challenges = [];
    for (const role of ['app_owner', 'app_owner', 'nobody', 'nobody', 'eve'])
      challenges.push(await challengeOf(role));
    const [known, again, nobody, nobodyAgain, eve] = challenges;
    expect([again, nobodyAgain]).toEqual([known, nobody]);
    expect(new Set([known, nobody, eve]).size).toBe(3);
    for (const challenge of challenges) expect(challenge).toMatch(/^,s=.{24},i=4096$/);
  });
});
