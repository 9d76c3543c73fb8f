import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { emulatorCommand, type RunningCommand, startCommand } from '../tests/support/emulator-command';
import { sendRequest } from '../tests/support/send-request';

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
  readonly #command: RunningCommand;

  private constructor(command: RunningCommand) {
    this.#command = command;
  }

  static async start(): Promise<PostgresService> {
    const words = ['--postgres', '--postgres-port', '0', '--operation-ms', '0', '--locks', 'none'];
    return new PostgresService(await startCommand([process.execPath, emulatorCommand, ...words]));
  }

  async stop(): Promise<void> {
    await this.#command.end('SIGINT');
  }

  async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await sendRequest(this.#command, method, path, body);
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
    const { postgresPort: port, postgresCertificate } = this.#command;
    const client = new Client({
      host: '127.0.0.1',
      port,
      user: role,
      password,
      database,
      ssl: { servername: host, ca: readFileSync(postgresCertificate, 'utf8') },
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
      id === String(this.#command.child.pid) || (parents.has(id) && isOurs(parents.get(id)));
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
