import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { sendRequest } from '../tests/support/send-request';

const command = join(
  dirname(require.resolve('postgres-control-emulator/package.json')),
  'bin/postgres-control-emulator.js',
);

/** An endpoint, and how a client connects to it. */
export interface ConnectedPlace {
  readonly projectId: string;
  readonly endpointId: string;
  readonly login: { host: string; role: string; password: string; database: string };
}

interface Created {
  project: { id: string };
  endpoints: { id: string }[];
  connection_uris: { connection_parameters: ConnectedPlace['login'] }[];
}

/** The emulator's command with a Postgres behind each endpoint: a process of its own, as for an application. */
export class PostgresService {
  readonly #child: ChildProcess;
  readonly #settings: readonly string[];

  private constructor(child: ChildProcess, settings: readonly string[]) {
    this.#child = child;
    this.#settings = settings;
  }

  static async start(): Promise<PostgresService> {
    const words = ['--postgres', '--postgres-port', '0', '--operation-ms', '0', '--locks', 'none'];
    const child = spawn(process.execPath, [command, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
    const settings: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      // Its own words around the values: URL, key, console, port and certificate.
      settings.push(...line.split(/^[A-Z_]+=|^console: |^postgres: port |, certificate /).slice(1));
      if (line.startsWith('postgres: ')) return new PostgresService(child, settings);
    }
    throw new Error('the emulator did not start with --postgres');
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGINT');
    await once(this.#child, 'exit');
  }

  async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const [url = '', apiKey = ''] = this.#settings;
    const response = await sendRequest({ url, apiKey }, method, path, body);
    // The caller knows the type from the API.
    return (await response.json()) as Body;
  }

  async createProject(): Promise<ConnectedPlace> {
    const { project, endpoints, connection_uris } = await this.call<Created>('POST', '/projects', {
      project: {},
    });
    const [endpoint, uri] = [endpoints[0], connection_uris[0]];
    if (endpoint === undefined || uri === undefined) throw new Error('the project has no endpoint');
    return { projectId: project.id, endpointId: endpoint.id, login: uri.connection_parameters };
  }

  /** Connects with TLS, and verifies the certificate. */
  async connect({ host, role, password, database }: ConnectedPlace['login']): Promise<Client> {
    const [, , , port, certificate = ''] = this.#settings;
    const client = new Client({
      host: '127.0.0.1',
      port: Number(port),
      user: role,
      password,
      database,
      ssl: { servername: host, ca: readFileSync(certificate, 'utf8') },
    });
    await client.connect();
    return client;
  }

  /**
   * The memory in MB of each running server with its clients' processes, as a mean. A page that several processes share
   * counts once. Only on Linux.
   * @throws Error when no server runs
   */
  measureMemory(): number {
    const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const parents = new Map(processes.map((id) => [id, fieldOf(`/proc/${id}/status`, 'PPid')]));
    const isOurs = (id = ''): boolean =>
      id === String(this.#child.pid) || (parents.has(id) && isOurs(parents.get(id)));
    const isPostgres = (id = '') => fieldOf(`/proc/${id}/status`, 'Name') === 'postgres';
    const ours = processes.filter((id) => isOurs(id) && isPostgres(id));
    const servers = ours.filter((id) => !isPostgres(parents.get(id)));
    if (servers.length === 0) throw new Error('no server of the emulator runs');
    const kilobytes = ours.reduce((sum, id) => sum + Number(fieldOf(`/proc/${id}/smaps_rollup`, 'Pss')), 0);
    return kilobytes / 1024 / servers.length;
  }
}

/** The first word of a field; empty when the process has ended. */
function fieldOf(file: string, name: string): string {
  try {
    return new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}
