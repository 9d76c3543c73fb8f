import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { expect, onTestFinished } from 'vitest';
import { findPostgres } from './plain-postgres';
import { sendRequest } from './send-request';

// A Postgres cluster is a thousand small files, which some disks take seconds to remove: in memory, if there are 2 GiB.
const memory = '/dev/shm';
if (process.env.TMPDIR === undefined && existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize >= 2 * 1024 ** 3) process.env.TMPDIR = memory;
}

/** Whether there is a Postgres on PATH, and a message if not. */
export const hasPostgres = findPostgres() !== undefined;
if (!hasPostgres)
  process.stderr.write('No Postgres on PATH: the tests of the option postgres are skipped.\n');

/** Whether psql can be run; where Postgres is required, it must. */
export const hasPsql =
  hasPostgres && (process.env.REQUIRE_POSTGRES === '1' || !spawnSync('psql', ['--version']).error);

/** How a client connects to an endpoint. */
export interface Login {
  host: string;
  role: string;
  password: string;
  database: string;
}

interface Created {
  project: { id: string };
  branch: { id: string; current_state: string };
  endpoints: { id: string; host: string }[];
  connection_uris: { connection_uri: string; connection_parameters: Login }[];
}

type Row = Record<string, unknown>;

/** A client that keeps the error that ended its connection. */
export class TestClient extends Client {
  cutOffBy: string | undefined;

  /** The first column of the first row. */
  async ask(query: string): Promise<unknown> {
    const { rows } = await this.query<Row>(query);
    return Object.values(rows[0] ?? {})[0];
  }
}

/** Where an emulator listens, in this process or in another. */
export type Address = Pick<Emulator, 'url' | 'apiKey' | 'postgresPort' | 'postgresCertificate'>;

/** A client for an emulator's API and its endpoints. */
export class PostgresUser {
  readonly #address: Address;

  constructor(address: Address) {
    this.#address = address;
  }

  async call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
    const response = await sendRequest(this.#address, method, path, body);
    // The caller knows the type from the API.
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** Creates a project, which has a branch and an endpoint. */
  async createProject(attributes = {}) {
    const { body } = await this.call<Created>('POST', '/projects', { project: attributes });
    return placeOf(body.project.id, body);
  }

  /** Creates a branch with endpoints, and waits until it has its data. */
  async createBranch(projectId: string, parentId: string, ...types: ('read_write' | 'read_only')[]) {
    const endpoints = types.map((type) => ({ type }));
    const path = `/projects/${projectId}/branches`;
    const { body } = await this.call<Created>('POST', path, { branch: { parent_id: parentId }, endpoints });
    const isReady = async () => {
      const { body: read } = await this.call<Created>('GET', `${path}/${body.branch.id}`);
      return read.branch.current_state === 'ready';
    };
    await expect.poll(isReady).toBe(true);
    return { ...placeOf(projectId, body), hosts: body.endpoints.map(({ host }) => host) };
  }

  /** Waits until no operation of the project is under way. Returns the operations, the newest first. */
  async endOperations(projectId: string) {
    interface Operations {
      operations: { action: string; status: string; error?: string }[];
    }
    const read = async () =>
      (await this.call<Operations>('GET', `/projects/${projectId}/operations`)).body.operations;
    const isUnderWay = async () => (await read()).some(({ status }) => /scheduling|running/.test(status));
    await expect.poll(isUnderWay).toBe(false);
    return read();
  }

  async patchEndpoint(projectId: string, endpointId: string, endpoint: object) {
    return this.call<{ message: string }>('PATCH', `/projects/${projectId}/endpoints/${endpointId}`, {
      endpoint,
    });
  }

  /** Connects with node-postgres, which verifies the certificate. The test that calls it closes the connection. */
  async connect({ host, role, password, database }: Login, options: ClientConfig = {}): Promise<TestClient> {
    const { postgresPort = 0, postgresCertificate = '' } = this.#address;
    const client = new TestClient({
      host: '127.0.0.1',
      port: postgresPort,
      user: role,
      password,
      database,
      ssl: { servername: host, ca: readFileSync(postgresCertificate, 'utf8') },
      ...options,
    });
    client.on('error', ({ message }) => {
      client.cutOffBy ??= message;
    });
    onTestFinished(() => client.end());
    await client.connect();
    return client;
  }
}

/** An emulator with Postgres in this process. The caller stops it. */
export class PostgresEmulator extends PostgresUser {
  readonly emulator: Emulator;

  private constructor(emulator: Emulator) {
    super(emulator);
    this.emulator = emulator;
  }

  static async start(options: EmulatorOptions = {}): Promise<PostgresEmulator> {
    return new PostgresEmulator(
      await startEmulator({ postgres: true, postgresPort: 0, locks: 'none', ...options }),
    );
  }
}

function placeOf(projectId: string, { branch, endpoints, connection_uris }: Created) {
  const [uri] = connection_uris;
  return {
    projectId,
    branchId: branch.id,
    endpointId: endpoints[0]?.id ?? '',
    uri: uri?.connection_uri ?? '',
    login: uri?.connection_parameters ?? { host: '', role: '', password: '', database: '' },
  };
}

/** Runs a query with psql and a connection URI as the service returns it. */
export async function psql(uri: string, query: string): Promise<string> {
  // Not every system resolves *.localhost.
  const env = { PATH: process.env.PATH, PGHOSTADDR: '127.0.0.1' };
  return (await promisify(execFile)('psql', [uri, '-XAtc', query], { env })).stdout.trim();
}
