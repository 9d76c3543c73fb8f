import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { makeVerifier } from '../gateway/scram';
import type { BranchRecord } from '../records/branch-record';
import type { Database, Role } from '../records/wire-types';
import { holdDataRoles, holdRole, inTransaction, listDatabases } from './held-roles';
import { saltOf } from './stored-passwords';

/**
 * The roles and databases of the API that exist in a cluster. Others, which clients created by SQL, are left alone.
 */
export interface Access {
  /** When each role last changed, by its name. */
  readonly roles: Readonly<Record<string, string>>;
  /** By the id, which a rename does not change. */
  readonly databases: Readonly<Record<string, { readonly name: string; readonly owner: string }>>;
}

export const NO_ACCESS: Access = { roles: {}, databases: {} };

type RolesAndDatabases = Pick<BranchRecord, 'roles' | 'databases'>;

export function accessOf({ roles, databases }: RolesAndDatabases): Access {
  return {
    roles: Object.fromEntries(roles.map(({ name, updated_at }) => [name, updated_at])),
    databases: Object.fromEntries(databases.map(({ id, name, owner_name: owner }) => [id, { name, owner }])),
  };
}

/** The ids of the databases that a branch has from its parent, by their ids in the parent. Both keep the creation time. */
export function inheritedIds(parent: RolesAndDatabases, child: RolesAndDatabases): Map<string, number> {
  const byTime = new Map(child.databases.map(({ id, created_at }) => [created_at, id]));
  return new Map(parent.databases.map(({ id, created_at }) => [String(id), byTime.get(created_at) ?? id]));
}

/** The access of a cluster as its new child branch has it: with the child's ids of the same databases. */
export function inheritAccess({ roles, databases }: Access, childIds: ReadonlyMap<string, number>): Access {
  const entries = Object.entries(databases).map(([id, database]) => [childIds.get(id) ?? id, database]);
  return { roles, databases: Object.fromEntries(entries) };
}

/** Connects to a database of the cluster as the superuser. */
export type Connect = (database: string, work: (admin: Client) => Promise<void>) => Promise<void>;

/**
 * Makes a cluster's roles and databases those of its branch. After a failure it can be repeated, with what was noted:
 * a part that is done must not be done again, because a name may have got another meaning since.
 * @param secret what the salts of the passwords are made of
 * @returns whether the connections must drop, as in the service when a role or a password is new
 */
export async function applyAccess(
  connect: Connect,
  applied: Access,
  branch: RolesAndDatabases,
  secret: string,
  note: (applied: Access) => void,
): Promise<boolean> {
  const wanted = accessOf(branch);
  const changed = branch.roles.filter(({ name, updated_at }) => applied.roles[name] !== updated_at);
  const deletedRoles = Object.keys(applied.roles).filter((name) => !Object.hasOwn(wanted.roles, name));
  await connect('postgres', async (admin) => {
    for (const role of changed) await setRole(admin, role, secret);
    const roles = { ...applied.roles, ...wanted.roles };
    const databases = { ...applied.databases };
    note({ roles, databases });
    for (const [id, { name }] of Object.entries(applied.databases)) {
      if (Object.hasOwn(wanted.databases, id)) continue;
      if (await databaseExists(admin, name)) {
        const database = escapeIdentifier(name);
        await admin.query(`ALTER DATABASE ${database} IS_TEMPLATE false`);
        await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
      }
      delete databases[id];
      note({ roles, databases });
    }
    await renameDatabases(admin, applied.databases, wanted.databases);
    for (const [id, { owner }] of Object.entries(databases))
      databases[id] = { name: wanted.databases[id]?.name ?? '', owner };
    note({ roles, databases });
    for (const database of branch.databases) {
      const before = applied.databases[database.id];
      if (before?.name === database.name && before.owner === database.owner_name) continue;
      await setDatabase(admin, database, { secret, isNew: before === undefined });
    }
    note({ roles, databases: wanted.databases });
  });
  for (const role of deletedRoles) await dropRole(connect, role, branch);
  return changed.length > 0;
}

/** Like the service's own roles, it can read and write all data. Before Postgres 16, CREATEROLE would let it run programs. */
async function setRole(admin: Client, { name, password }: Role, secret: string): Promise<void> {
  const role = escapeIdentifier(name);
  const login =
    password === undefined
      ? 'NOLOGIN'
      : `LOGIN PASSWORD ${escapeLiteral(await makeVerifier(password, saltOf(secret, name)))}`;
  const is16 = await hasRow(admin, "SELECT WHERE current_setting('server_version_num')::int >= 160000");
  const createRole = is16 ? 'CREATEROLE' : '';
  await inTransaction(admin, async () => {
    const verb = (await holdRole(admin, name)) ? 'ALTER' : 'CREATE';
    // Since Postgres 16, it belongs to the client that has created it.
    const owners = `SELECT FROM pg_auth_members WHERE roleid = to_regrole(${escapeLiteral(role)}) AND admin_option LIMIT 1`;
    if (is16 && (await hasRow(admin, owners))) throw new Error(`role "${name}" already exists`);
    // A new role cannot be renamed before it is committed.
    await admin.query(`${verb} ROLE ${role} CREATEDB ${createRole} ${login}`);
    await admin.query(`GRANT ${await holdDataRoles(admin)} TO ${role}`);
  });
}

/** A client cannot make or rename template0. */
async function setDatabase(
  admin: Client,
  { name, owner_name: owner, created_at }: Database,
  { secret, isNew }: { readonly secret: string; readonly isNew: boolean },
): Promise<void> {
  const database = escapeIdentifier(name);
  const id = idOf(secret, created_at);
  const { rows } = await admin.query(
    `SELECT oid::bigint = ${id} AS is_own FROM pg_database WHERE datname = ${escapeLiteral(name)}`,
  );
  if (isNew && rows[0]?.is_own === false) throw new Error(`database "${name}" already exists`);
  if (rows.length === 0) await admin.query(`CREATE DATABASE ${database} TEMPLATE template0 OID ${id}`);
  await inTransaction(admin, async () => {
    await holdRole(admin, owner);
    await admin.query(`ALTER DATABASE ${database} OWNER TO ${escapeIdentifier(owner)}`);
  });
}

/** By its id in Postgres, a new database is known as the emulator's, also when an earlier attempt has made it. */
function idOf(secret: string, createdAt: string): number {
  return (saltOf(secret, createdAt).readUInt32BE() | 0x8000_0000) >>> 0;
}

/** In one transaction and by a temporary name, because one may get the name that another had. */
async function renameDatabases(
  admin: Client,
  applied: Access['databases'],
  wanted: Access['databases'],
): Promise<void> {
  const renamed: { from: string; via: string; to: string }[] = [];
  for (const [id, { name: to }] of Object.entries(wanted)) {
    const from = applied[id]?.name;
    if (from === undefined || from === to) continue;
    if (await databaseExists(admin, from)) renamed.push({ from, via: `renamed ${id}`, to });
  }
  if (renamed.length === 0) return;
  // Nothing can be connected to a database that is renamed.
  const names = renamed.map(({ from }) => escapeLiteral(from)).join(', ');
  await admin.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname IN (${names})`,
  );
  await inTransaction(admin, async () => {
    for (const { from, via } of renamed) await renameDatabase(admin, from, via);
    for (const { via, to } of renamed) await renameDatabase(admin, via, to);
  });
}

/** Only their owners rename databases, so a name never leads to one of Postgres's own: the API refuses those. */
async function renameDatabase(admin: Client, from: string, to: string): Promise<void> {
  await admin.query(`ALTER DATABASE ${escapeIdentifier(from)} RENAME TO ${escapeIdentifier(to)}`);
}

/**
 * Its objects go to the owner of their database, as in the service, or else to a role of the branch; never to one of
 * Postgres's own, as which a function of the role would then run. Without an heir, the role stays, but cannot log in.
 */
async function dropRole(
  connect: Connect,
  name: string,
  { roles, databases: ofBranch }: RolesAndDatabases,
): Promise<void> {
  const role = escapeIdentifier(name);
  /** Does work with the role, unless it is gone. */
  const withRole = (database: string, work: (admin: Client) => Promise<unknown>): Promise<void> =>
    connect(database, (admin) =>
      inTransaction(admin, async () => {
        if (await holdRole(admin, name)) await work(admin);
      }),
    );
  const fallback = ofBranch[0]?.owner_name ?? roles[0]?.name;
  await withRole('postgres', (admin) => admin.query(`ALTER ROLE ${role} NOLOGIN`));
  if (fallback === undefined) return;
  const databases: { name: string; owner: string | null }[] = [];
  await withRole('postgres', async (admin) => databases.push(...(await listDatabases(admin))));
  for (const { name: database, owner } of databases) {
    const heir = owner === null || owner === name ? fallback : owner;
    // Both change owners and remove objects; neither runs a function of theirs, and only a superuser has event triggers.
    await withRole(database, async (admin) => {
      await holdRole(admin, heir);
      await admin.query(`REASSIGN OWNED BY ${role} TO ${escapeIdentifier(heir)}`);
      await admin.query(`DROP OWNED BY ${role}`);
    });
  }
  await withRole('postgres', (admin) => admin.query(`DROP ROLE ${role}`));
}

function databaseExists(admin: Client, name: string): Promise<boolean> {
  return hasRow(admin, `SELECT FROM pg_database WHERE datname = ${escapeLiteral(name)}`);
}

async function hasRow(admin: Client, query: string): Promise<boolean> {
  return (await admin.query(query)).rowCount === 1;
}
