import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { emulatorCommand, type RunningCommand, startCommand } from '../tests/support/emulator-command';
import { findPostgres } from '../tests/support/plain-postgres';
import { sendRequest } from '../tests/support/send-request';
import type { Figure } from './figure';

/** An endpoint, and how a client connects to it. */
export interface ConnectedPlace {
  readonly projectId: string;
  readonly branchId: string;
  readonly endpointId: string;
  readonly login: { host: string; role: string; password: string; database: string };
}

interface Created {
  project: { id: string };
  branch: { id: string };
  endpoints: [{ id: string }];
  connection_uris: [{ connection_parameters: ConnectedPlace['login'] }];
}

/** The emulator's command with a Postgres behind each endpoint: a process of its own, as for an application. */
export class PostgresService {
  readonly #command: RunningCommand;

  private constructor(command: RunningCommand) {
    this.#command = command;
  }

  /** Measures a service with the Postgres on PATH, whose folder is `bin`. No figures when there is none. */
  static async use(measure: (service: PostgresService, bin: string) => Promise<Figure[]>): Promise<Figure[]> {
    const bin = findPostgres();
    if (bin === undefined) {
      process.stderr.write('bench: no Postgres on PATH, so its figures are left out\n');
      return [];
    }
    const words = ['--postgres', '--postgres-port', '0', '--operation-ms', '0', '--locks', 'none'];
    const command = await startCommand([process.execPath, emulatorCommand, ...words]);
    try {
      return await measure(new PostgresService(command), bin);
    } finally {
      await command.end('SIGINT');
    }
  }

  async call<Body>(method: string, path: string, body?: object): Promise<Body> {
    const response = await sendRequest(this.#command, method, path, body);
    // The caller knows the type from the API.
    return (await response.json()) as Body;
  }

  async createProject(): Promise<ConnectedPlace> {
    const created = await this.call<Created>('POST', '/projects', { project: {} });
    const { project, branch, endpoints, connection_uris } = created;
    const login = connection_uris[0].connection_parameters;
    return { projectId: project.id, branchId: branch.id, endpointId: endpoints[0].id, login };
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

  /** From the start of a connection to the first answer. Milliseconds. */
  async timeConnection({ login }: ConnectedPlace): Promise<number> {
    const startedAt = performance.now();
    const client = await this.connect(login);
    await client.query('SELECT 1');
    const ms = performance.now() - startedAt;
    await client.end();
    return ms;
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
