import { Pool } from 'pg';
import { makeMockVerifier, makeVerifier, parseVerifier, type ScramVerifier } from '../gateway/scram';
import type { BranchRecord } from '../records/records';
import { adminConfig, BECOME_SUPERUSER, LimitedClient } from './admin';
import type { BranchData } from './branch-data';
import type { Cluster } from './cluster';
import { hasRoles } from './cluster-state';
import { passwordOf, type StoredPassword, saltOf } from './stored-passwords';

const IDLE_MS = 10_000;
const LONGEST_WAIT_MS = 10_000;

/** How the gateway checks passwords without waking a compute. */
export class Verifiers {
  readonly #data: BranchData;
  /** One session with each running server, which many clients in a row share. */
  readonly #sessions = new WeakMap<Cluster, Pool>();

  constructor(data: BranchData) {
    this.#data = data;
  }

  async of(branch: BranchRecord, role: string): Promise<ScramVerifier> {
    const { id } = branch.wire;
    await this.#data.copies.of(id);
    const stored = await this.#find(this.#data.of(id), branch, role);
    const isValid = stored !== undefined && (stored.validUntilMs ?? Number.POSITIVE_INFINITY) > Date.now();
    const verifier = isValid ? parseVerifier(stored.verifier) : undefined;
    return verifier ?? makeMockVerifier(saltOf(this.#data.setup.password, role));
  }

  async #find(cluster: Cluster, branch: BranchRecord, role: string): Promise<StoredPassword | undefined> {
    const given = branch.roles.find(({ name }) => name === role);
    const isApplied = () =>
      new Map(Object.entries(cluster.state.access.roles)).get(role) === given?.updated_at;
    if (isApplied() && cluster.server !== undefined) {
      try {
        return await this.#ask(cluster, role);
      } catch (error) {
        if (cluster.server !== undefined) throw error;
      }
    }
    // Known from the last stop, and not while a server starts: a copy of the data may have the turn, and a replica may run.
    const { passwords } = cluster.state;
    if (isApplied() && passwords !== undefined) return passwords.find((one) => one.role === role);
    // A server that is starting may not have the password yet.
    return cluster.inTurn(async () => {
      if (cluster.server !== undefined && hasRoles(cluster.state)) return this.#ask(cluster, role);
      if (isApplied()) return cluster.exists ? readStopped(cluster, role) : undefined;
      // The next start sets it.
      if (given?.password === undefined) return undefined;
      const verifier = await makeVerifier(given.password, saltOf(this.#data.setup.password, role));
      return { role, verifier, validUntilMs: null };
    });
  }

  async #ask(cluster: Cluster, role: string): Promise<StoredPassword | undefined> {
    const session = this.#sessions.get(cluster) ?? openSession(cluster);
    this.#sessions.set(cluster, session);
    return (await session.query(passwordOf(role))).rows[0];
  }
}

function openSession(cluster: Cluster): Pool {
  const session = new Pool({
    ...adminConfig(cluster.adminAccess, 'postgres'),
    Client: LimitedClient,
    max: 1,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: LONGEST_WAIT_MS,
    allowExitOnIdle: true,
    onConnect: (client) => client.query(BECOME_SUPERUSER),
  });
  // The server has ended.
  session.on('error', () => undefined);
  return session;
}

/** The passwords are known from the last stop, unless the server crashed. Then it runs once more, without a client. */
async function readStopped(cluster: Cluster, role: string): Promise<StoredPassword | undefined> {
  const { passwords } = cluster.state;
  if (passwords !== undefined) return passwords.find((one) => one.role === role);
  const { rows } = await cluster.whileRunning(() =>
    cluster.connect('postgres', (admin) => admin.query(passwordOf(role))),
  );
  return rows[0];
}
