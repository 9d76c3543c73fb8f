import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasPostgres, type Login, usePostgres } from '../support/postgres-emulator';
import { openSocket, openTls, startPacket } from '../support/raw-postgres-client';
import { readChallenge, saslInitial } from '../support/scram-client';

const range = (count: number) => Array.from({ length: count }, (_none, index) => index);
const REFUSED = /password authentication failed/;

describe.skipIf(!hasPostgres)('a login', () => {
  const service = usePostgres({ operationMs: 10 });

  /** A project whose compute has run and is idle. */
  const createIdle = async () => {
    const place = await service().createProject();
    const endpoint = () => service().emulator.endpoints(place.projectId)[0];
    const suspend = async () => {
      await place.command('suspend');
      expect(endpoint()?.current_state).toBe('idle');
    };
    await place.endOperations();
    await place.connect();
    await suspend();
    return { ...place, suspend, endpoint };
  };

  it('130 silent clients and 130 wrong passwords wake nothing', async () => {
    const { endpointId, login, connect, endpoint, projectId, onBranch } = await createIdle();
    const port = service().emulator.postgresPort ?? 0;
    const parameters = { user: login.role, database: 'app', options: `endpoint=${endpointId}` };
    const started = service().emulator.operations(projectId).length;
    const silent = range(130).map(async (index) => {
      const socket = await (index % 2 ? openSocket(port) : openTls(port, { servername: login.host }));
      if (index % 4 > 1) socket.resume().write(startPacket(parameters));
    });
    await Promise.all(silent);
    const refusals = range(130).map((index) =>
      connect({ password: 'wrong', role: index % 2 ? login.role : 'nobody' }),
    );
    for (const refusal of await Promise.allSettled(refusals))
      expect(refusal).toMatchObject({ reason: { message: expect.stringMatching(REFUSED) } });
    expect(endpoint()?.current_state).toBe('idle');
    expect(service().emulator.operations(projectId)).toHaveLength(started);
    const client = await connect();
    const others = "SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend'";
    expect(await client.ask(others)).toBe(1);
    const { operations } = await onBranch('POST', 'roles', { role: { name: 'bob' } });
    expect(operations[0]).toMatchObject({ status: 'finished' });
  });

  it('an idle compute knows what a client has set by SQL', async () => {
    const { login, connect, suspend, endpoint } = await createIdle();
    const client = await connect();
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
        else await connect(changed);
        const connected = connect(given);
        if (refusal === undefined) await connected;
        else await expect(connected).rejects.toThrow(refusal);
        if (state === 'stopped' && refusal === REFUSED) expect(endpoint()?.current_state).toBe('idle');
      }
    }
  });

  it('a branch of a running branch knows them, too', async () => {
    const parent = await service().createProject();
    await (await parent.connect()).query("ALTER ROLE app_owner PASSWORD 'changed'");
    const child = await service().createBranch(parent, 'read_write');
    await expect(child.connect()).rejects.toThrow(REFUSED);
    await child.connect({ password: 'changed' });
  });

  it('a server that is starting refuses no password that is right', async () => {
    const { connect, login, send, branchId } = await service().createProject();
    const { body } = await send('POST', `branches/${branchId}/roles`, { role: { name: 'bob' } });
    const bob = { role: 'bob', password: body.role.password };
    const clients = range(40).map(async (index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 10));
      return connect(index % 2 ? login : bob);
    });
    await Promise.all(clients);
  });

  it('a role with a salt of its own that is too long cannot log in', async ({ skip }) => {
    const { connect } = await service().createProject();
    const owner = await connect();
    const version = await owner.ask("SELECT current_setting('server_version_num')::int");
    if (Number(version) >= 180_000) skip('Postgres refuses it itself');
    const [salt, key] = ['AAAA'.repeat(250_000), Buffer.alloc(32).toString('base64')];
    await owner.query(`ALTER ROLE app_owner PASSWORD 'SCRAM-SHA-256$4096:${salt}$${key}:${key}'`);
    await expect(connect()).rejects.toThrow(REFUSED);
  });

  it('an unknown role has a stable salt of its own', async () => {
    const { endpointId } = await service().createProject();
    const challengeOf = async (user: string) => {
      const socket = await openSocket(service().emulator.postgresPort ?? 0);
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
