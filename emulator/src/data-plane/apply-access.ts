import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Client, escapeIdentifier } from 'pg';
import type { BranchRecord } from '../records/records';
import {
  type Connect,
  dropDatabase,
  dropInvalidDatabases,
  dropRole,
  renameDatabases,
  setOwner,
  setRole,
  shutOut,
} from './access-changes';
import { isLockTimeout, isRefusal } from './admin';
import { holdDatabase } from './held-roles';

/**
 * The roles and databases of the API that exist in a cluster. Others, which clients created by SQL, are left alone.
 */
export interface Access {
  /** When each role last changed, by its name. */
  readonly roles: Readonly<Record<string, string>>;
  /** By the id, which a rename does not change. Without an owner, its creation may have been interrupted. */
  readonly databases: Readonly<Record<string, { readonly name: string; readonly owner: string }>>;
  /** The ids of the databases in Postgres. A client can give the name of one to another. */
  readonly oids: Readonly<Record<string, number>>;
  /** What was wanted when Postgres refused to remove deleted roles. That can take a minute, so only another change tries it again. */
  readonly leftWith?: string | undefined;
}

export const NO_ACCESS: Access = { roles: {}, databases: {}, oids: {} };

type RolesAndDatabases = Pick<BranchRecord, 'roles' | 'databases'>;

export function accessOf({ roles, databases }: RolesAndDatabases): Pick<Access, 'roles' | 'databases'> {
  return {
    roles: Object.fromEntries(roles.map(({ name, updated_at }) => [name, updated_at])),
    databases: Object.fromEntries(databases.map(({ id, name, owner_name: owner }) => [id, { name, owner }])),
  };
}

export function isApplied({ roles, databases, leftWith }: Access, branch: RolesAndDatabases): boolean {
  const wanted = accessOf(branch);
  const areLeft = leftWith === JSON.stringify(wanted);
  const others = Object.entries(roles).filter(([name]) => !areLeft || Object.hasOwn(wanted.roles, name));
  return isDeepStrictEqual({ roles: Object.fromEntries(others), databases }, wanted);
}

/** The ids of the databases that a branch has from its parent, by their ids in the parent. Both keep the creation time. */
export function inheritedIds(parent: RolesAndDatabases, child: RolesAndDatabases): Map<string, number> {
  const byTime = new Map(child.databases.map(({ id, created_at }) => [created_at, id]));
  return new Map(parent.databases.map(({ id, created_at }) => [String(id), byTime.get(created_at) ?? id]));
}

/** The access of a cluster as its new child branch has it: with the child's ids of the same databases. */
export function inheritAccess(access: Access, childIds: ReadonlyMap<string, number>): Access {
  const inherit = <Item>(items: Readonly<Record<string, Item>>): Record<string, Item> =>
    Object.fromEntries(Object.entries(items).map(([id, item]) => [childIds.get(id) ?? id, item]));
  return { ...access, databases: inherit(access.databases), oids: inherit(access.oids) };
}

/** Far from those that Postgres chooses itself. */
const FIRST_DATABASE_ID = 2 ** 31;

/**
 * Makes a cluster's roles and databases those of its branch. A failed change does not stop the others. Each change is
 * noted and never repeated, because the name may mean another role or database by then.
 * @param secret what the salts of the passwords are made of
 * @throws Error with the reason of a change that could not be made; it can be repeated
 */
export async function applyAccess(
  connect: Connect,
  applied: Access,
  branch: RolesAndDatabases,
  secret: string,
  note: (applied: Access) => void,
): Promise<void> {
  const wanted = accessOf(branch);
  // A role can have the name `__proto__`.
  const roles: Record<string, string> = Object.assign(Object.create(null), applied.roles);
  const databases = { ...applied.databases };
  const oids = { ...applied.oids };
  const now = JSON.stringify(wanted);
  let leftWith = applied.leftWith === now ? now : undefined;
  const save = (): void => note(structuredClone({ roles, databases, oids, leftWith }));
  const failures: unknown[] = [];
  /** In a session of its own, which a failure ends. */
  const attempt = async (change: (admin: Client) => Promise<void>): Promise<void> => {
    try {
      await connect('postgres', change);
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(dropInvalidDatabases);
  const deletedRoles = Object.keys(roles).filter((name) => !Object.hasOwn(wanted.roles, name));
  for (const name of deletedRoles) await attempt((admin) => shutOut(admin, name));
  for (const role of branch.roles) {
    const { name, updated_at } = role;
    if (roles[name] === updated_at) continue;
    await attempt(async (admin) => {
      await setRole(admin, role, { secret, isKnown: Object.hasOwn(roles, name) });
      roles[name] = updated_at;
      save();
    });
  }
  for (const id of Object.keys(databases)) {
    if (Object.hasOwn(wanted.databases, id)) continue;
    await attempt(async (admin) => {
      await dropDatabase(admin, oids[id]);
      delete databases[id];
      delete oids[id];
      save();
    });
  }
  const renamed = Object.entries(databases).flatMap(([id, { name, owner }]) => {
    const to = wanted.databases[id]?.name ?? name;
    return to === name ? [] : [{ id, oid: oids[id], to, owner }];
  });
  if (renamed.length > 0)
    await attempt(async (admin) => {
      const done = await renameDatabases(admin, renamed);
      for (const { id, to: name, owner } of done) databases[id] = { name, owner };
      save();
    });
  for (const { id, name, owner_name: owner } of branch.databases) {
    if (isDeepStrictEqual(databases[id], { name, owner })) continue;
    await attempt(async (admin) => {
      if (!databases[id]?.owner && (await holdDatabase(admin, oids[id])) === undefined) {
        // A killed attempt can leave files, so each one has an id of its own.
        oids[id] = randomInt(FIRST_DATABASE_ID, 2 ** 32 - 1);
        databases[id] = { name, owner: '' };
        save();
        await admin.query(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE template0 OID ${oids[id]}`);
      }
      await setOwner(admin, oids[id], { name, owner });
      databases[id] = { name: databases[id]?.name ?? name, owner };
      save();
    });
  }
  for (const name of leftWith === undefined ? deletedRoles : []) {
    await attempt(async () => {
      if (await dropRole(connect, name, branch)) delete roles[name];
    });
    if (Object.hasOwn(roles, name) && failures.every(isRefusal)) leftWith = now;
    save();
  }
  if (failures.length > 0) throw failures.find(isLockTimeout) ?? failures[0];
}
