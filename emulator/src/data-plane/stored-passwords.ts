import { createHmac } from 'node:crypto';
import { type Client, escapeLiteral } from 'pg';
import { FIRST_ID } from './held-roles';

export interface StoredPassword {
  readonly role: string;
  readonly verifier: string;
  /** Null if the password never expires. */
  readonly validUntilMs: number | null;
}

/** As in Postgres 18; before, a client can set a salt of many megabytes, which each login would read. */
const LONGEST_VERIFIER = 512;

/** Of roles that are not Postgres's own. A password with a time before 1970 has expired in any case. */
const PASSWORDS = `SELECT rolname AS role, rolpassword AS verifier, CASE WHEN rolvaliduntil < 'infinity'
  THEN extract(epoch FROM greatest(rolvaliduntil, 'epoch'))::float8 * 1000 END AS "validUntilMs"
  FROM pg_authid WHERE oid::bigint >= ${FIRST_ID} AND length(rolpassword) <= ${LONGEST_VERIFIER} AND rolpassword LIKE 'SCRAM-SHA-256$%'`;

export const passwordOf = (role: string): string => `${PASSWORDS} AND rolname = ${escapeLiteral(role)}`;

/** A client can create many more roles, and each login reads them. */
const MOST_PASSWORDS = 10_000;

/** The passwords of the oldest roles. None changes before the transaction ends. @throws Error if one is being changed */
export async function holdPasswords(admin: Client): Promise<StoredPassword[]> {
  await admin.query('BEGIN; LOCK TABLE pg_authid IN SHARE MODE NOWAIT');
  return (await admin.query(`${PASSWORDS} ORDER BY oid LIMIT ${MOST_PASSWORDS}`)).rows;
}

/** The salt of the passwords that the emulator sets, and of roles that do not exist: clients cannot tell them apart. */
export function saltOf(secret: string, role: string): Buffer {
  return createHmac('sha256', secret).update(role).digest().subarray(0, 16);
}
