import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Client, neon, neonConfig, Pool } from '@neondatabase/serverless';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hasPostgres, type Place, usePostgres } from '../support/postgres-emulator';
import { openSocket } from '../support/raw-postgres-client';

const WHEN = new Date('2026-01-02T03:04:05.678Z');

/** Most of the driver's own sample queries. */
const SAMPLES: [string, unknown[]][] = [
  ['SELECT $1 AS x', [1]],
  ['SELECT $1::int8 AS x', [1]],
  ['SELECT $1::decimal AS x', [-1]],
  ['SELECT $1::real AS x, $1::double precision AS y', [Math.PI]],
  ['SELECT $1::int4range AS x', ['[1,4)']],
  ['SELECT $1 AS x', [['a', 'b"\\', 'NULL']]],
  ['SELECT $1::text[] AS x', [['a', 'b"\\', null]]],
  ['SELECT $1::int[][] AS x', [[[2], [4]]]],
  ['SELECT $1::timestamptz AS x, $1::timestamp AS y, $1::date AS z', [WHEN]],
  ['SELECT $1::time AS x, $2::timetz AS y', ['17:18:19', '16:17:18+01:00']],
  ['SELECT $1::point AS x, $2::circle AS y', ['(2, 3)', '<(2, 3), 1>']],
  ['SELECT $1::cidr AS x, $2::macaddr AS y', ['10.10.10.0/24', '11:22:33:44:55:66']],
  ['SELECT $1::json AS x, $1::jsonb AS y', [{ x: 'y' }]],
  ['SELECT $1::bytea AS x, $1::text AS y', [new Uint8Array([65, 66, 255])]],
  ['SELECT $1::bytea[] AS x', [['\\xDEADBEEF', '\\xDEADBEEF']]],
  ['SELECT $1::boolean AS x, NULL AS y, $2 AS z', [true, null]],
  ['SELECT 1 AS x, 2 AS x', []],
  ['SELECT generate_series(1, 3) AS x WHERE false', []],
  ['CREATE TEMPORARY TABLE notes (id int)', []],
  ['', []],
];

describe.skipIf(!hasPostgres)("the service's own driver", () => {
  const service = usePostgres({ operationMs: 10 });
  let uri: string;
  let pool: Pool;
  beforeAll(async () => {
    ({ uri } = await service().createProject());
    neonConfig.fetchEndpoint = (_host, port) => `http://localhost:${port}/sql`;
    neonConfig.wsProxy = (host, port) => `localhost:${port}/v2?address=${host}:${port}`;
    neonConfig.useSecureWebSocket = false;
    neonConfig.webSocketConstructor = WebSocket;
    pool = new Pool({ connectionString: uri });
    await pool.query(`CREATE TABLE accounts (id int PRIMARY KEY, name text NOT NULL CHECK (name <> 'x'))`);
    return () => pool.end();
  });

  it.each(SAMPLES)('gives the same for %j %j over HTTP as over a WebSocket', async (query, params) => {
    const sql = neon(uri, { fullResults: true });
    const [{ fields, rows, command, rowCount }, expected] = await Promise.all([
      sql.query(query, params),
      pool.query(query, params),
    ]);
    expect({ fields, rows, command, rowCount }).toEqual({
      fields: expected.fields.map((field) => ({ ...field })),
      rows: expected.rows,
      command: expected.command,
      rowCount: expected.rowCount,
    });
  });

  it('gives rows as arrays', async () => {
    const sql = neon(uri, { arrayMode: true });
    expect(await sql`SELECT ${1}::int AS x, ${'a'} AS x`).toEqual([[1, 'a']]);
  });

  it.each([
    ['SELECT 123 WHERE x', { code: '42703', position: '18', severity: 'ERROR' }],
    ['INSERT INTO accounts VALUES (1, NULL)', { code: '23502', column: 'name', table: 'accounts' }],
    ["INSERT INTO accounts VALUES (1, 'x')", { code: '23514', constraint: 'accounts_name_check' }],
    ['SELECT $1', { message: expect.stringMatching(/bind message supplies 0 parameters/) }],
    ['SELECT 1; SELECT 2', { code: '42601' }],
    [
      "DO $$ BEGIN RAISE 'a' USING HINT = 'h', DETAIL = 'd'; END $$",
      { hint: 'h', detail: 'd', code: 'P0001' },
    ],
  ])('reports the error of %j', async (query, error) => {
    await expect(neon(uri).query(query)).rejects.toMatchObject(error);
  });

  it.each(['running', 'idle'])('reports a wrong password and an unknown role: %s', async (state) => {
    const place = await service().createProject();
    await place.endOperations();
    if (state === 'idle') await place.command('suspend');
    const refused = { code: '28P01', message: expect.stringMatching(/^password authentication failed/) };
    for (const wrong of [place.uri.replace('@', 'x@'), place.uri.replace('//', '//x')]) {
      await expect(neon(wrong)`SELECT 1`).rejects.toMatchObject(refused);
      await expect(new Pool({ connectionString: wrong }).query('SELECT 1')).rejects.toMatchObject(refused);
    }
    const [endpoint] = service().emulator.endpoints(place.projectId);
    expect(endpoint?.current_state).toBe(state === 'idle' ? 'idle' : 'active');
  });

  it('runs a batch as one transaction, in the requested mode', async () => {
    const sql = neon(uri);
    const [, kept, mode] = await sql.transaction(
      [
        sql`INSERT INTO accounts VALUES (2, 'b')`,
        sql`SELECT name FROM accounts WHERE id = ${2}`,
        sql`SELECT current_setting('transaction_isolation') AS level, current_setting('transaction_deferrable') AS wait`,
      ],
      { isolationLevel: 'Serializable', deferrable: true },
    );
    expect([kept, mode]).toEqual([[{ name: 'b' }], [{ level: 'serializable', wait: 'on' }]]);
    const failing = sql.transaction([sql`INSERT INTO accounts VALUES (3, 'c')`, sql`SELECT 1 / 0`]);
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    const writing = sql.transaction([sql`INSERT INTO accounts VALUES (4, 'd')`], { readOnly: true });
    await expect(writing).rejects.toMatchObject({ code: '25006' });
    expect(await sql`SELECT id FROM accounts WHERE id > 2`).toEqual([]);
    expect(await sql.transaction([])).toEqual([]);
  });

  it.each(['password', false] as const)(
    'keeps a session over a WebSocket: pipelineConnect %s',
    async (value) => {
      neonConfig.pipelineConnect = value;
      const client = new Client(uri);
      await client.connect();
      await client.query('BEGIN');
      await client.query("INSERT INTO accounts VALUES (5, 'e')");
      await client.query('ROLLBACK');
      const { rows } = await client.query('SELECT count(*)::int AS count FROM accounts WHERE id = 5');
      expect(rows).toEqual([{ count: 0 }]);
      const large = await client.query('SELECT $1 || $1 AS text', ['x'.repeat(5_000_000)]);
      expect(large.rows[0]?.text).toHaveLength(10_000_000);
      await client.end();
    },
  );

  it('works with a connection string that names the endpoint by an option', async () => {
    const local = service().emulator.localConnectionUri(
      service().emulator.endpoints(service().emulator.projects()[0]?.id ?? '')[0]?.id ?? '',
    );
    expect(await neon(local)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    const other = new Pool({ connectionString: local });
    expect((await other.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await other.end();
  });

  const names = Array.from({ length: 20 }, (_none, index) => `NULL AS "${'\x01'.repeat(57)}${index}"`);
  it.each([
    "SELECT repeat('x', 20000000)",
    "SELECT repeat('x', 100) FROM generate_series(1, 200000)",
    "DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 20000000); END $$",
  ])('refuses the results of %j, which would fill the memory', async (query) => {
    await expect(neon(uri).query(query)).rejects.toThrow(/response is too large \(max is 10485760 bytes\)/);
    expect(await neon(uri)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  /** As a client without the driver. */
  const post = async (body: object, more: Record<string, string> = {}) => {
    const headers = { 'neon-raw-text-output': 'true', 'neon-connection-string': uri, ...more };
    const url = `http://localhost:${service().emulator.postgresPort}/sql`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers });
    return [response.status, await response.json()];
  };
  it('refuses a result with more than 10 MiB of names', async () => {
    const answer = await post({ query: `SELECT ${names} FROM generate_series(1, 1500)` });
    expect(answer).toMatchObject([507, { code: 'RESPONSE_TOO_LARGE' }]);
  });

  it('gives the rows of each query in the form that it asks for', async () => {
    const queries = [undefined, true, false].map((arrayMode) => ({ query: 'SELECT 1 AS one', arrayMode }));
    expect(await post({ queries }, { 'neon-array-mode': 'true' })).toMatchObject([
      200,
      { results: [{ rows: [['1']] }, { rows: [['1']] }, { rows: [{ one: '1' }] }] },
    ]);
  });

  /** A project whose role has a password with so many iterations, which is not the one in the URI. */
  const withIterations = async (iterations: number, place?: Place): Promise<string> => {
    const { uri: own } = place ?? (await service().createProject());
    const [salt, ...keys] = [16, 32, 32].map((length) => randomBytes(length).toString('base64'));
    await neon(own).query(
      `ALTER ROLE app_owner PASSWORD 'SCRAM-SHA-256$${iterations}:${salt}$${keys.join(':')}'`,
    );
    return own;
  };

  it('costly logins hold up neither another endpoint nor proven passwords', async () => {
    const place = await service().createProject();
    const { role, password } = await place.createRole('bob');
    const proven = place.uri.replace(/\/\/.*@/, `//${role}:${password}@`);
    await neon(proven)`SELECT 1`;
    const slow = await withIterations(100_000, place);
    let ended = 0;
    const logins = Array.from({ length: 20 }, async () => {
      await expect(neon(slow)`SELECT 1`).rejects.toThrow(/authentication failed/);
      ended += 1;
    });
    await Promise.all([uri, proven].map((each) => neon(each)`SELECT 1`));
    expect(ended).toBeLessThan(logins.length);
    await Promise.all(logins);
  });

  it('refuses a password in clear with more than 100,000 iterations', async () => {
    const slower = await withIterations(100_001);
    const refused = { code: '0A000', message: expect.stringMatching(/100001 iterations/) };
    await expect(neon(slower)`SELECT 1`).rejects.toMatchObject(refused);
  });

  it.each([
    ['as Postgres sends it', "SELECT repeat('x', 5000000)"],
    ['as JSON, because of its names', `SELECT ${names} FROM generate_series(1, 700)`],
  ])('one result at a time of an endpoint fills memory that is large %s', async (_case, query) => {
    const { uri: ownUri } = await service().createProject();
    const socket = (await openSocket(service().emulator.postgresPort ?? 0)).pause();
    const body = JSON.stringify({ query });
    const login = `Neon-Raw-Text-Output: true\r\nNeon-Connection-String: ${ownUri}`;
    socket.write(
      `POST /sql HTTP/1.1\r\nHost: x\r\n${login}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    // The response has begun, and is not read.
    await once(socket, 'readable');
    let isOver = false;
    const second = neon(ownUri)
      .query(query)
      .then(() => {
        isOver = true;
      });
    expect(await neon(ownUri)`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    expect(await neon(uri).query(query)).not.toEqual([]);
    expect(isOver).toBe(false);
    socket.destroy();
    await second;
  });

  it('a query ends when the client that asked goes', async () => {
    const signal = AbortSignal.timeout(300);
    const sleeping = neon(uri).query('SELECT pg_sleep(60)', [], { fetchOptions: { signal } });
    await expect(sleeping).rejects.toThrow(/abort/);
    const running = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'";
    await expect.poll(async () => (await pool.query(running)).rows[0]?.count).toBe(0);
  });
});
