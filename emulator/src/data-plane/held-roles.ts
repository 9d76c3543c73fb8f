import { type Client, escapeIdentifier, escapeLiteral } from 'pg';

/** Postgres's own roles, the superuser among them, have lower ids, whatever their names are. */
export const FIRST_ID = 16_384;
/** pg_read_all_data and pg_write_all_data, in every version. */
const DATA_ROLE_IDS = [6181, 6182];

/**
 * Does work in a transaction. The names in it come from the API or the catalogs, and a client may have given them to
 * other objects, so each role is held first. A failure ends the session, and with it the transaction.
 */
export async function inTransaction<Result>(admin: Client, work: () => Promise<Result>): Promise<Result> {
  await admin.query('BEGIN');
  const result = await work();
  await admin.query('COMMIT');
  return result;
}

/**
 * Makes sure that a name means a role that is not Postgres's own, until the transaction ends: the lock keeps out renames.
 * @returns whether the role exists
 * @throws Error when it is one of Postgres's own
 */
export async function holdRole(admin: Client, name: string): Promise<boolean> {
  const role = `SELECT oid::bigint >= ${FIRST_ID} AS is_free FROM pg_authid WHERE rolname = ${escapeLiteral(name)}`;
  const { rows } = await admin.query(`${role} FOR SHARE`);
  if (rows[0]?.is_free === false) throw new Error(`the role "${name}" is one of Postgres's own, renamed`);
  return rows.length > 0;
}

/** The quoted names of the roles that can read and write all data, which are held. @throws Error when one is missing */
export async function holdDataRoles(admin: Client): Promise<string> {
  const ids = DATA_ROLE_IDS.join(', ');
  const { rows } = await admin.query(`SELECT rolname FROM pg_authid WHERE oid IN (${ids}) FOR SHARE`);
  if (rows.length !== DATA_ROLE_IDS.length) throw new Error(`a role with one of the ids ${ids} is missing`);
  return rows.map(({ rolname }) => escapeIdentifier(rolname)).join(', ');
}

/** The quoted name of a database, which keeps it until the transaction ends; undefined if there is none with the id. */
export async function holdDatabase(admin: Client, oid = 0): Promise<string | undefined> {
  const { rows } = await admin.query(`SELECT datname FROM pg_database WHERE oid = ${oid} FOR SHARE`);
  return rows[0] && escapeIdentifier(rows[0].datname);
}

/**
 * The databases that can be connected to, each with its owner; null for one of Postgres's own. An interrupted drop sets the limit -2.
 * @param condition in SQL
 */
export async function listDatabases(
  admin: Client,
  condition: string,
): Promise<{ name: string; owner: string | null }[]> {
  const owner = `CASE WHEN datdba::bigint >= ${FIRST_ID} THEN pg_get_userbyid(datdba) END`;
  const query = `SELECT datname AS name, ${owner} AS owner FROM pg_database WHERE datallowconn AND datconnlimit <> -2`;
  return (await admin.query(`${query} AND (${condition})`)).rows;
}
