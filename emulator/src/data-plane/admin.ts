import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, DatabaseError } from 'pg';
import { SUPERUSER } from '../gateway/startup-packet';
import { reasonOf } from '../records/thrown-reason';

export interface AdminAccess {
  readonly sockets: string;
  readonly password: string;
  readonly version: number;
}

/**
 * Neither `pg_settings` nor what clients prepare in a database may change what the emulator's own statements do. Only
 * pg_catalog is searched, where clients can put nothing but trusted extensions, as they are, so no statement meets a
 * function, an operator or a type of theirs. Roles that a statement names are held first (`held-roles.ts`). These settings
 * prevail over those of files, databases and roles.
 */
const OPTIONS = [
  'search_path=pg_catalog',
  // A library that does not exist would end the session.
  'local_preload_libraries=',
  'session_preload_libraries=',
  // What a client runs can hold up a statement that waits for all sessions, such as DROP DATABASE.
  'statement_timeout=60s',
  // A client may hold a lock for as long as it likes.
  'lock_timeout=2s',
  'idle_in_transaction_session_timeout=0',
  'idle_session_timeout=0',
  // No standby confirms a commit that `synchronous_standby_names` waits for.
  'synchronous_commit=local',
  'default_transaction_read_only=off',
  'default_transaction_isolation=read\\ committed',
  'password_encryption=scram-sha-256',
  // With hints, this library runs a view of the client's, as whoever runs a statement.
  'pg_hint_plan.enable_hint=off',
  'pg_hint_plan.enable_hint_table=off',
  // In another one, what `pg_dump` writes would mean something else where it is read.
  'client_encoding=UTF8',
  'standard_conforming_strings=on',
];
const NEWER_OPTIONS = [
  { since: 16, option: 'scram_iterations=4096' },
  { since: 17, option: 'transaction_timeout=0' },
];

const CONNECT_TIMEOUT_MS = 10_000;
/** Postgres ends a statement before that, except where it looks at no interrupts; then the session ends here. */
const STATEMENT_TIMEOUT_MS = 65_000;

/** The owner of a database may have set another role for its sessions. */
export const BECOME_SUPERUSER = `SET SESSION AUTHORIZATION ${SUPERUSER}; SET ROLE NONE`;

/** How to connect as the superuser. Statements can have no parameters. */
export function adminConfig(
  { sockets, password, version }: AdminAccess,
  database: string,
): ClientConfig & { replication: string } {
  const newer = NEWER_OPTIONS.filter(({ since }) => version >= since).map(({ option }) => option);
  return {
    // Such a connection counts against `max_wal_senders`: clients, who cannot make any, cannot take all of them.
    replication: 'database',
    host: sockets,
    port: 5432,
    user: SUPERUSER,
    password,
    database,
    ssl: false,
    query_timeout: STATEMENT_TIMEOUT_MS,
    options: [...OPTIONS, ...newer].map((option) => `-c ${option}`).join(' '),
  };
}

/** One that is too long for a string would end the process. In bytes. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;

/** A session of the emulator. It ends at a longer message than that, or at such notices in all: a client's function can raise them. */
export class LimitedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    // Type definitions do not have it.
    const { connection } = this as unknown as { connection: EventEmitter & { stream: Duplex } };
    let received = 0;
    let noticed = 0;
    connection.stream.on('data', ({ length }: Buffer) => {
      received += length;
      if (received > LONGEST_MESSAGE)
        connection.stream.destroy(
          new Error(`a message of the server, or its notices, have more than ${LONGEST_MESSAGE} bytes`),
        );
    });
    connection.on('message', ({ name }: { name: string }) => {
      if (name === 'notice') noticed = received;
      else received = noticed;
    });
    this.on('error', () => undefined); // The server ended. The statement under way fails, too.
  }
}

export async function asAdmin<Result>(
  access: AdminAccess,
  database: string,
  work: (admin: Client) => Promise<Result>,
  connectionTimeoutMillis = CONNECT_TIMEOUT_MS,
): Promise<Result> {
  const admin = new LimitedClient({ ...adminConfig(access, database), connectionTimeoutMillis });
  await admin.connect().catch((cause) => {
    throw new Error(`the emulator cannot connect to the server: ${reasonOf(cause)}`, { cause });
  });
  try {
    await admin.query(BECOME_SUPERUSER);
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Whether a statement failed because a client holds a lock. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03';
}

/**
 * Whether Postgres would refuse a statement again: not if it failed because of a lock (55P03), a full disk (53), the end of the
 * server (57P) or an error of the system (58).
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && !/^(55P03|53|57P|58)/.test(error.code ?? '');
}
