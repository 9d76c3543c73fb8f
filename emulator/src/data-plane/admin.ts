import { Client, DatabaseError } from 'pg';
import { SUPERUSER } from '../gateway/computes';

/** How to log in to a server as its superuser. */
export interface AdminAccess {
  /** The folder of the server's socket. */
  readonly sockets: string;
  readonly password: string;
}

/**
 * Neither `pg_settings` nor what clients prepare in a database may change what the emulator's own statements do. Only
 * pg_catalog is searched, where clients can create nothing, so no statement meets a function, an operator or a type of
 * theirs. Roles that a statement names are held first (`held-roles.ts`).
 */
const OPTIONS = [
  'statement_timeout=0',
  // A client may hold a lock for as long as it likes.
  'lock_timeout=2s',
  'idle_in_transaction_session_timeout=0',
  // No standby confirms a commit that `synchronous_standby_names` waits for.
  'synchronous_commit=local',
  'idle_session_timeout=0',
  'default_transaction_read_only=off',
  'password_encryption=scram-sha-256',
  'search_path=pg_catalog',
];

const CONNECT_TIMEOUT_MS = 10_000;

/** Connects as the superuser, no longer than the work takes: meanwhile, clients have one connection less. */
export async function asAdmin<Result>(
  { sockets, password }: AdminAccess,
  database: string,
  work: (admin: Client) => Promise<Result>,
): Promise<Result> {
  const admin = new Client({
    host: sockets,
    port: 5432,
    user: SUPERUSER,
    password,
    database,
    ssl: false,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: OPTIONS.map((option) => `-c ${option}`).join(' '),
  });
  admin.on('error', () => undefined); // The server ended. The statement under way fails, too.
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Whether a statement failed because a client holds a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03';
}
