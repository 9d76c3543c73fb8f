import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { makeVerifier } from '../gateway/scram';
import type { BranchRecord } from '../records/records';
import type { Role } from '../records/wire-types';
import { holdDatabase, holdDataRoles, holdRole, inTransaction, listDatabases } from './held-roles';
import { saltOf } from './stored-passwords';

/** Of a role: a client can have millions of objects, in many databases, and no one can change the project meanwhile. */
const LONGEST_REMOVAL_MS = 60_000;

export type Connect = <Result>(database: string, work: (admin: Client) => Promise<Result>) => Promise<Result>;

/** Ends the sessions of a role, and lets it begin no others. */
export async function shutOut(admin: Client, name: string): Promise<void> {
  await inTransaction(admin, async () => {
    if (await holdRole(admin, name)) await admin.query(`ALTER ROLE ${escapeIdentifier(name)} NOLOGIN`);
  });
  await endSessions(admin, `usename = ${escapeLiteral(name)}`);
}

/** Those that have proved a password and are not shown yet: a client can hold up its own login. In any case they have a lock. */
const LOGGING_IN = `SELECT pid FROM pg_locks WHERE pid NOT IN (
  SELECT pid FROM pg_stat_activity WHERE usename IS NOT NULL OR backend_type <> 'client backend')`;

/** Ends sessions of pg_stat_activity, and all logins under way. */
export function endSessions(admin: Client, condition: string, waitMs = 5000): Promise<unknown> {
  const ended = `${LOGGING_IN} UNION SELECT pid FROM pg_stat_activity WHERE ${condition}`;
  return admin.query(`SELECT pg_terminate_backend(pid, ${waitMs}) FROM (${ended}) AS ended`);
}

/**
 * Like the service's own roles, it can read and write all data. Before Postgres 16, CREATEROLE would let it run programs.
 * One that is not known but has the emulator's password comes from an interrupted attempt; any other is a client's.
 */
export async function setRole(
  admin: Client,
  { name, password }: Role,
  { secret, isKnown }: { readonly secret: string; readonly isKnown: boolean },
): Promise<void> {
  const role = escapeIdentifier(name);
  const login = password === undefined ? 'NOLOGIN' : 'LOGIN';
  const verifier = escapeLiteral(await makeVerifier(password ?? secret, saltOf(secret, name)));
  const is16 = await hasRow(admin, "SELECT WHERE current_setting('server_version_num')::int >= 160000");
  const own = `SELECT FROM pg_authid WHERE rolname = ${escapeLiteral(name)} AND rolpassword = ${verifier}`;
  await inTransaction(admin, async () => {
    const exists = await holdRole(admin, name);
    if (exists && !isKnown && !(await hasRow(admin, own))) throw new Error(`role "${name}" already exists`);
    const verb = exists ? 'ALTER' : 'CREATE';
    // A new role cannot be renamed before it is committed.
    await admin.query(
      `${verb} ROLE ${role} CREATEDB ${is16 ? 'CREATEROLE' : ''} ${login} PASSWORD ${verifier}`,
    );
    await admin.query(`GRANT ${await holdDataRoles(admin)} TO ${role}`);
  });
}

/** A database whose drop was interrupted can only be dropped again. */
export async function dropInvalidDatabases(admin: Client): Promise<void> {
  const { rows } = await admin.query('SELECT oid FROM pg_database WHERE datconnlimit = -2');
  for (const { oid } of rows) {
    const name = await holdDatabase(admin, Number(oid));
    if (name !== undefined) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

/** First it takes the database from its owner, who could give the name to another one. */
export async function dropDatabase(admin: Client, oid: number | undefined): Promise<void> {
  await inTransaction(admin, async () => {
    const name = await holdDatabase(admin, oid);
    if (name !== undefined)
      await admin.query(
        `ALTER DATABASE ${name} OWNER TO CURRENT_USER; ALTER DATABASE ${name} IS_TEMPLATE false`,
      );
  });
  const name = await holdDatabase(admin, oid);
  if (name !== undefined) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
}

export async function setOwner(
  admin: Client,
  oid: number | undefined,
  { name, owner }: { readonly name: string; readonly owner: string },
): Promise<void> {
  await inTransaction(admin, async () => {
    const held = await holdDatabase(admin, oid);
    if (held === undefined) throw new Error(`database "${name}" no longer exists: it was dropped by SQL`);
    await holdRole(admin, owner);
    await admin.query(`ALTER DATABASE ${held} OWNER TO ${escapeIdentifier(owner)}`);
  });
}

/** In one transaction and by a temporary name, because one may get the name that another had. @returns those that exist */
export async function renameDatabases<Renamed extends { id: string; oid: number | undefined; to: string }>(
  admin: Client,
  renamed: readonly Renamed[],
): Promise<Renamed[]> {
  const done: Renamed[] = [];
  // Nothing can be connected to a database that is renamed.
  await endSessions(admin, `datid IN (${renamed.map(({ oid }) => oid ?? 0).join(', ')})`);
  await inTransaction(admin, async () => {
    for (const each of renamed) {
      const name = await holdDatabase(admin, each.oid);
      if (name === undefined) continue;
      await admin.query(`ALTER DATABASE ${name} RENAME TO ${escapeIdentifier(`renamed ${each.id}`)}`);
      done.push(each);
    }
    for (const { id, to } of done)
      await admin.query(
        `ALTER DATABASE ${escapeIdentifier(`renamed ${id}`)} RENAME TO ${escapeIdentifier(to)}`,
      );
  });
  return done;
}

/**
 * Its objects go to the owner of their database, as in the service, or else to a role of the branch; never to one of
 * Postgres's own, as which a function of the role would then run.
 * @returns whether the role is gone: without an heir, it stays
 */
export async function dropRole(
  connect: Connect,
  name: string,
  { roles, databases: ofBranch }: Pick<BranchRecord, 'roles' | 'databases'>,
): Promise<boolean> {
  const role = escapeIdentifier(name);
  const withRole = <Result>(database: string, work: (admin: Client) => Promise<Result>) =>
    connect(database, (admin) =>
      inTransaction(admin, async () => ((await holdRole(admin, name)) ? work(admin) : undefined)),
    );
  const fallback = ofBranch[0]?.owner_name ?? roles[0]?.name;
  if (fallback === undefined) return false;
  // Not everywhere: a client's database may have an encoding in which the emulator can't connect.
  const hasObjects = `oid IN (SELECT dbid FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = ${escapeLiteral(role)}::regrole)`;
  const untilMs = Date.now() + LONGEST_REMOVAL_MS;
  const databases = await withRole('postgres', (admin) =>
    listDatabases(admin, `${hasObjects} OR datname = 'postgres'`),
  );
  for (const { name: database, owner } of databases ?? []) {
    const heir = owner === null || owner === name ? fallback : owner;
    // Both change owners and remove objects; neither runs a function of theirs, and only a superuser has event triggers.
    await withRole(database, async (admin) => {
      await holdRole(admin, heir);
      for (const change of [
        `REASSIGN OWNED BY ${role} TO ${escapeIdentifier(heir)}`,
        `DROP OWNED BY ${role}`,
      ]) {
        await admin.query(`SET statement_timeout = ${Math.max(1, untilMs - Date.now())}`);
        await admin.query(change);
      }
    });
  }
  await withRole('postgres', (admin) => admin.query(`DROP ROLE ${role}`));
  return true;
}

async function hasRow(admin: Client, query: string): Promise<boolean> {
  return (await admin.query(query)).rowCount === 1;
}
