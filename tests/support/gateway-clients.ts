import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { onTestFinished } from 'vitest';
import type { Gateway } from '../../emulator/src/gateway/gateway';
import { HOST } from './start-gateway';

const run = promisify(execFile);

/** Runs psql with a connection string. */
export async function psql(gateway: Gateway, query: string, words = '', environment = {}) {
  const conninfo = `host=${HOST} hostaddr=127.0.0.1 port=${gateway.port} user=app dbname=app sslmode=require ${words}`;
  const env = { PATH: process.env.PATH, PGPASSWORD: 'secret', ...environment };
  return (await run('psql', [conninfo, '-XAtc', query], { env })).stdout.trim();
}

/** Connects node-postgres as an application does, with a verified certificate. */
export async function connectClient(gateway: Gateway, options: ClientConfig = {}): Promise<Client> {
  const client = new Client({
    host: '127.0.0.1',
    port: gateway.port,
    user: 'app',
    database: 'app',
    password: 'secret',
    ssl: { servername: HOST, ca: readFileSync(gateway.certificateFile, 'utf8') },
    ...options,
  });
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}
