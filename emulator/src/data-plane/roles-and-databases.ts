import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { SUPERUSER } from '../gateway/computes';
import type { BranchRecord } from '../records/branch-record';
import type { Role } from '../records/wire-types';

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
 * Makes a cluster's roles and databases those of its branch. After a failure it can be repeated.
 * @returns whether the connections must drop, as in the service when a role or a password is new
 */
export async function applyAccess(
  connect: Connect,
  applied: Access,
  branch: RolesAndDatabases,
): Promise<boolean> {
  const wanted = accessOf(branch);
  const changed = branch.roles.filter(({ name, updated_at }) => applied.roles[name] !== updated_at);
  const deletedRoles = Object.keys(applied.roles).filter((name) => !Object.hasOwn(wanted.roles, name));
  await connect('postgres', async (admin) => {
    for (const role of changed) await setRole(admin, role);
    for (const [id, { name }] of Object.entries(applied.databases)) {
      if (Object.hasOwn(wanted.databases, id)) continue;
      await admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
    }
    await renameDatabases(admin, applied.databases, wanted.databases);
    for (const [id, { name, owner }] of Object.entries(wanted.databases)) {
      const before = applied.databases[id];
      if (before?.name === name && before.owner === owner) continue;
      await setDatabase(admin, name, owner);
    }
  });
  for (const role of deletedRoles) await dropRole(connect, role, branch);
  return changed.length > 0;
}

/** Like the service's own roles, it can read and write all data. Before Postgres 16, CREATEROLE would let it run programs. */
async function setRole(admin: Client, { name, password }: Role): Promise<void> {
  const role = escapeIdentifier(name);
  const login = password === undefined ? 'NOLOGIN' : `LOGIN PASSWORD ${escapeLiteral(password)}`;
  const exists = await roleExists(admin, name);
  const is16 = await hasRow(admin, "SELECT WHERE current_setting('server_version_num')::int >= $1", 160_000);
  const createRole = is16 ? 'CREATEROLE' : '';
  await admin.query(`${exists ? 'ALTER' : 'CREATE'} ROLE ${role} CREATEDB ${createRole} ${login}`);
  await admin.query(`GRANT pg_read_all_data, pg_write_all_data TO ${role}`);
}

async function setDatabase(admin: Client, name: string, owner: string): Promise<void> {
  const database = escapeIdentifier(name);
  if (await databaseExists(admin, name))
    await admin.query(`ALTER DATABASE ${database} OWNER TO ${escapeIdentifier(owner)}`);
  else await admin.query(`CREATE DATABASE ${database} OWNER ${escapeIdentifier(owner)} TEMPLATE template0`);
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
  await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = ANY($1)', [
    renamed.map(({ from }) => from),
  ]);
  await admin.query('BEGIN');
  for (const { from, via } of renamed) await renameDatabase(admin, from, via);
  for (const { via, to } of renamed) await renameDatabase(admin, via, to);
  await admin.query('COMMIT');
}

async function renameDatabase(admin: Client, from: string, to: string): Promise<void> {
  await admin.query(`ALTER DATABASE ${escapeIdentifier(from)} RENAME TO ${escapeIdentifier(to)}`);
}

/**
 * Its objects go to the owner of their database, as in the service, or else to a role of the branch; never to the
 * superuser, as whom a function of the role would then run. Without an heir, the role stays, but cannot log in.
 */
async function dropRole(
  connect: Connect,
  name: string,
  { roles, databases: ofBranch }: RolesAndDatabases,
): Promise<void> {
  const role = escapeIdentifier(name);
  const fallback = ofBranch[0]?.owner_name ?? roles[0]?.name;
  if (fallback === undefined) {
    await connect('postgres', async (admin) => {
      if (await roleExists(admin, name)) await admin.query(`ALTER ROLE ${role} NOLOGIN`);
    });
    return;
  }
  const databases: { datname: string; owner: string }[] = [];
  await connect('postgres', async (admin) => {
    if (!(await roleExists(admin, name))) return;
    const all = 'SELECT datname, pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datallowconn';
    databases.push(...(await admin.query(all)).rows);
  });
  for (const { datname, owner } of databases) {
    await connect(datname, async (admin) => {
      const heir = escapeIdentifier(owner === name || owner === SUPERUSER ? fallback : owner);
      await admin.query(`REASSIGN OWNED BY ${role} TO ${heir}`);
      await admin.query(`DROP OWNED BY ${role}`);
    });
  }
  await connect('postgres', async (admin) => {
    await admin.query(`DROP ROLE IF EXISTS ${role}`);
  });
}

function roleExists(admin: Client, name: string): Promise<boolean> {
  return hasRow(admin, 'SELECT FROM pg_roles WHERE rolname = $1', name);
}

function databaseExists(admin: Client, name: string): Promise<boolean> {
  return hasRow(admin, 'SELECT FROM pg_database WHERE datname = $1', name);
}

async function hasRow(admin: Client, query: string, value: unknown): Promise<boolean> {
  const { rowCount } = await admin.query(query, [value]);
  return rowCount === 1;
}
