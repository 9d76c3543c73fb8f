import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { hasPostgres, hasPsql, usePostgres } from '../support/postgres-emulator';

const run = async (program: string, ...args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { env: { PATH: process.env.PATH } })).stdout.trim();
const hasModule = (name: string) => spawnSync('python3', ['-c', `import ${name}`]).status === 0;

const PSYCOPG = 'import psycopg, sys; print(psycopg.connect(sys.argv[1]).execute("SELECT 1").fetchone()[0])';
const ASYNCPG = `import asyncio, asyncpg, sys
async def main():
    print(await (await asyncpg.connect(sys.argv[1])).fetchval("SELECT $1::int", 1))
asyncio.run(main())`;

/** Each asks for 1 with a connection string as the API gives it, and nothing else. */
const CLIENTS: Record<string, { isHere: boolean; ask: (uri: string) => Promise<unknown> }> = {
  psql: { isHere: hasPsql, ask: (uri) => run('psql', uri, '-XAtc', 'SELECT 1') },
  'node-postgres': {
    isHere: true,
    ask: async (uri) => {
      const client = new Client(uri);
      await client.connect();
      const { rows } = await client.query('SELECT $1::int AS one', [1]);
      await client.end();
      return rows[0]?.one;
    },
  },
  'postgres.js': {
    isHere: true,
    ask: async (uri) => {
      const sql = postgres(uri);
      const [row] = await sql`SELECT ${1}::int AS one`;
      await sql.end();
      return row?.one;
    },
  },
  psycopg: { isHere: hasModule('psycopg'), ask: (uri) => run('python3', '-c', PSYCOPG, uri) },
  asyncpg: { isHere: hasModule('asyncpg'), ask: (uri) => run('python3', '-c', ASYNCPG, uri) },
};

describe.skipIf(!hasPostgres)('with the option postgresHost', () => {
  const service = usePostgres({ postgresHost: 'localhost' });

  const listUris = async () => {
    const place = await service().createProject();
    const child = await service().createBranch(place, 'read_write');
    const asked = ['', '&pooled=true', `&endpoint_id=${child.endpointId}`].map(async (query) => {
      const path = `connection_uri?role_name=app_owner&database_name=app${query}`;
      return (await place.send('GET', path)).body.uri;
    });
    return [place.uri, child.uri, ...(await Promise.all(asked))];
  };

  it.each(Object.keys(CLIENTS))('every connection string of the API works in %s', async (name) => {
    const client = CLIENTS[name];
    if (!client?.isHere) return void process.stderr.write(`${name} is not installed: it is not tried.\n`);
    for (const uri of await listUris()) expect(String(await client.ask(uri))).toBe('1');
  });

  it('each connection string names another endpoint, at the same host', async () => {
    const uris = await listUris();
    const endpoints = uris.map((uri) => new URL(uri).searchParams.get('options'));
    expect(new Set(uris.map((uri) => new URL(uri).hostname))).toEqual(new Set(['localhost']));
    expect(endpoints[3]).toBe(`${endpoints[2]}-pooler`);
    expect([endpoints[0], endpoints[1]]).toEqual([endpoints[2], endpoints[4]]);
  });
});
