import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { beforeAll, expect, onTestFinished } from 'vitest';
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

/** What tests read of an answer; the expectations of each test check that it is there. */
export interface Answer {
  readonly message: string;
  readonly uri: string;
  readonly sql: string;
  readonly password: string;
  readonly project: { id: string };
  readonly branch: { id: string; parent_id?: string; current_state: string };
  readonly endpoint: { id: string; host: string; settings: { pg_settings?: Record<string, string> } };
  readonly endpoints: { id: string; host: string }[];
  readonly role: { password: string };
  readonly operations: { action: string; status: string; error?: string }[];
  readonly connection_uris: { connection_uri: string; connection_parameters: Login }[];
}

export type Place = ReturnType<typeof placeOf>;

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

  async call(method: string, path: string, body?: object): Promise<{ status: number; body: Answer }> {
    const response = await sendRequest(this.#address, method, path, body);
    return { status: response.status, body: (await response.json()) as Answer };
  }

  /** Creates a project, which has a branch and an endpoint. */
  async createProject(attributes = {}) {
    const { body } = await this.call('POST', '/projects', { project: attributes });
    return placeOf(this, siteOf(body.project.id, body));
  }

  /** The same place, after another emulator has opened its data. */
  at(site: Place): Place {
    return placeOf(this, site);
  }

  /** Creates a branch with endpoints, and waits until it has its data. */
  async createBranch({ send, projectId, branchId }: Place, ...types: ('read_write' | 'read_only')[]) {
    const endpoints = types.map((type) => ({ type }));
    const { body } = await send('POST', 'branches', { branch: { parent_id: branchId }, endpoints });
    const state = async () => (await send('GET', `branches/${body.branch.id}`)).body.branch.current_state;
    await expect.poll(state).toBe('ready');
    return placeOf(this, siteOf(projectId, body));
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

/** An emulator with Postgres in this process. */
export class PostgresEmulator extends PostgresUser {
  readonly emulator: Emulator;

  private constructor(emulator: Emulator) {
    super(emulator);
    this.emulator = emulator;
  }

  /** The caller stops it. */
  static async start(options: EmulatorOptions = {}): Promise<PostgresEmulator> {
    return new PostgresEmulator(
      await startEmulator({ postgres: true, postgresPort: 0, locks: 'none', ...options }),
    );
  }

  /** Starts one that is stopped after the test. */
  static async open(options: EmulatorOptions = {}): Promise<PostgresEmulator> {
    const service = await PostgresEmulator.start(options);
    onTestFinished(() => service.emulator.stop());
    return service;
  }
}

/** Starts one for the tests of the `describe` around the call. Returns what gives it to them. */
export function usePostgres(options?: EmulatorOptions): () => PostgresEmulator {
  let service: PostgresEmulator | undefined;
  beforeAll(async () => {
    const started = await PostgresEmulator.start(options);
    service = started;
    return () => started.emulator.stop();
  });
  return () => {
    if (service === undefined) throw new Error('usePostgres: it has not started');
    return service;
  };
}

interface Site {
  readonly projectId: string;
  readonly branchId: string;
  readonly endpointId: string;
  readonly host: string;
  readonly uri: string;
  readonly login: Login;
}

function siteOf(projectId: string, { branch, endpoints, connection_uris }: Answer): Site {
  const [{ id: endpointId, host } = { id: '', host: '' }] = endpoints;
  const [uri] = connection_uris;
  const login = uri?.connection_parameters ?? { host: '', role: '', password: '', database: '' };
  return { projectId, branchId: branch.id, endpointId, host, uri: uri?.connection_uri ?? '', login };
}

/** A branch with an endpoint, and what its users do. */
function placeOf(user: PostgresUser, site: Site) {
  const { projectId, branchId, endpointId, login } = site;
  const send = (method: string, path: string, body?: object) =>
    user.call(method, `/projects/${projectId}/${path}`, body);
  /** Waits until no operation of the project is under way. Returns the operations, the newest first. */
  const endOperations = async () => {
    const read = async () => (await send('GET', 'operations')).body.operations;
    await expect
      .poll(async () => (await read()).some(({ status }) => /scheduling|running/.test(status)))
      .toBe(false);
    return read();
  };
  /** Sends a request below the project, and waits until its operations have ended. */
  const change = async (method: string, path: string, body?: object) => {
    const response = await send(method, path, body);
    return { ...response, operations: await endOperations() };
  };
  return {
    ...site,
    send,
    change,
    endOperations,
    patch: (endpoint: object) => change('PATCH', `endpoints/${endpointId}`, { endpoint }),
    command: (name: 'suspend' | 'start' | 'restart') => change('POST', `endpoints/${endpointId}/${name}`),
    /** Changes its roles and databases, or what else is below the branch. */
    onBranch: (method: string, path: string, body?: object) =>
      change(method, `branches/${branchId}/${path}`, body),
    createRole: async (name: string): Promise<Login> => {
      const { body } = await change('POST', `branches/${branchId}/roles`, { role: { name } });
      return { ...login, role: name, password: body.role.password };
    },
    /** Adds an endpoint to this or another branch. */
    addEndpoint: async (type: 'read_write' | 'read_only', attributes: object = {}) => {
      const endpoint = { branch_id: branchId, type, ...attributes };
      return (await change('POST', 'endpoints', { endpoint })).body.endpoint;
    },
    connect: (other: Partial<Login> = {}, options?: ClientConfig) =>
      user.connect({ ...login, ...other }, options),
  };
}

/** Runs a query with psql and a connection URI as the service returns it. */
export async function psql(uri: string, query: string): Promise<string> {
  // Not every system resolves *.localhost.
  const env = { PATH: process.env.PATH, PGHOSTADDR: '127.0.0.1' };
  return (await promisify(execFile)('psql', [uri, '-XAtc', query], { env })).stdout.trim();
}
