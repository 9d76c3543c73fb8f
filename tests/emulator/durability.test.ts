import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { Randomness } from '../simulation/time/seeded-randomness';
import { newDataFile } from '../support/data-emulator';
import { emulatorCommand, type RunningCommand, startCommand } from '../support/emulator-command';
import { sendRequest } from '../support/send-request';

/** Runs the command in its own process, with a client for it. */
class EmulatorProcess {
  readonly #command: RunningCommand;
  isKilled = false;

  private constructor(command: RunningCommand) {
    this.#command = command;
    onTestFinished(() => void command.child.kill('SIGKILL'));
  }

  /** @throws Error with its stderr output if it does not start */
  static async start(args: readonly string[], fileBlocks?: number): Promise<EmulatorProcess> {
    // The shell's limit on file sizes makes writes fail as on a full disk.
    const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks}; `;
    const program = ['sh', '-c', `${limit}exec "$@"`, 'sh', process.execPath, emulatorCommand, ...args];
    return new EmulatorProcess(await startCommand(program));
  }

  get key(): string {
    return this.#command.apiKey;
  }

  /** The status and body of the response. @throws Error if there is none */
  async call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
    const response = await sendRequest(this.#command, method, path, body);
    // The caller knows the type from the API.
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** Kills it with SIGKILL, so that it cannot clean up. */
  async kill(): Promise<void> {
    this.isKilled = true;
    await this.#command.end('SIGKILL');
  }
}

interface Operation {
  readonly id: string;
  readonly action: string;
  readonly status: string;
  readonly endpoint_id?: string;
}

interface ServiceResponse {
  readonly project: { readonly id: string };
  readonly branch: { readonly id: string };
  readonly endpoint: { readonly id: string; readonly name: string };
  readonly endpoints: readonly ServiceResponse['endpoint'][];
  readonly operations: readonly Operation[];
  readonly pagination: { readonly cursor: string };
}

/** What a client knows about an endpoint from its responses. */
interface KnownEndpoint {
  readonly id: string;
  /** The name in the last response, and the one requested since. */
  names: readonly string[];
  deletion: 'none' | 'requested' | 'acknowledged';
}

const WRITERS = 12;
const ROUNDS = 3;
const RESIZE = 'apply_config suspend_compute start_compute';
const WHOLE_LIVES = [
  'start_compute',
  `start_compute ${RESIZE}`,
  `start_compute ${RESIZE} suspend_compute`,
] as const;

/** Clients that write continuously and record the responses, until the service is killed. */
class Writers {
  readonly endpoints: KnownEndpoint[] = [];
  readonly operations: Operation[] = [];
  responses = 0;
  readonly #path: string;
  readonly #branchId: string;

  constructor(projectId: string, branchId: string) {
    this.#path = `/projects/${projectId}/endpoints`;
    this.#branchId = branchId;
  }

  /** Kills the service after a number of responses, while other requests are in flight. */
  async writeUntilKilled(service: EmulatorProcess, responses: number): Promise<void> {
    this.responses = 0;
    const call = async (method: string, path: string, body?: object): Promise<ServiceResponse> => {
      const response = await service.call<ServiceResponse>(method, path, body);
      expect(response).toMatchObject({ status: method === 'POST' ? 201 : 200 });
      this.operations.push(...response.body.operations);
      this.responses += 1;
      if (this.responses === responses) await service.kill();
      return response.body;
    };
    const write = async (): Promise<void> => {
      while (!service.isKilled) await this.#live(call);
    };
    const ends = await Promise.allSettled(Array.from({ length: WRITERS }, write));
    // fetch throws a TypeError for a lost connection; anything else is a wrong response.
    for (const end of ends) {
      if (end.status === 'rejected' && !(end.reason instanceof TypeError)) throw end.reason;
    }
  }

  async #live(
    call: (method: string, path: string, body?: object) => Promise<ServiceResponse>,
  ): Promise<void> {
    const attributes = { branch_id: this.#branchId, type: 'read_only', name: 'new' };
    const { endpoint } = await call('POST', this.#path, { endpoint: attributes });
    const known: KnownEndpoint = { id: endpoint.id, names: ['new'], deletion: 'none' };
    this.endpoints.push(known);
    const path = `${this.#path}/${known.id}`;
    known.names = ['new', 'renamed'];
    await call('PATCH', path, { endpoint: { name: 'renamed' } });
    known.names = ['renamed'];
    await call('PATCH', path, { endpoint: { autoscaling_limit_max_cu: 2 } });
    if (this.endpoints.length % 3 > 0) return;
    known.deletion = 'requested';
    await call('DELETE', path);
    known.deletion = 'acknowledged';
  }
}

/** The operations, once all have ended: in one page, and the same in many. */
async function readSettledOperations(service: EmulatorProcess, path: string): Promise<readonly Operation[]> {
  const readPage = async (limit: number, cursor = '') => {
    const query = `limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    return (await service.call<ServiceResponse>('GET', `${path}/operations?${query}`)).body;
  };
  const readStatuses = async () => new Set((await readPage(1000)).operations.map(({ status }) => status));
  await expect.poll(readStatuses).toEqual(new Set(['finished']));
  const { operations } = await readPage(1000);
  const paged: Operation[] = [];
  for (
    let page = await readPage(7);
    page.operations.length > 0;
    page = await readPage(7, page.pagination.cursor)
  )
    paged.push(...page.operations);
  expect(paged).toEqual(operations);
  return operations;
}

/** The actions of each endpoint of the writers, in the order in which they ran. */
function livesOf(operations: readonly Operation[], endpoints: readonly KnownEndpoint[]): string[] {
  return endpoints.map(({ id }) =>
    operations
      .filter(({ endpoint_id }) => endpoint_id === id)
      .map(({ action }) => action)
      .reverse()
      .join(' '),
  );
}

const seed = Number(process.env.DURABILITY_SEED ?? randomInt(2 ** 31));

it(`a kill loses no acknowledged write (DURABILITY_SEED=${seed})`, async () => {
  const randomness = new Randomness(seed);
  const data = newDataFile();
  const args = ['--data', data, '--locks', 'none', '--operation-ms', '5'];
  let service = await EmulatorProcess.start(args);
  const { key } = service;
  const { body: made } = await service.call<ServiceResponse>('POST', '/projects', { project: {} });
  const path = `/projects/${made.project.id}`;
  const writers = new Writers(made.project.id, made.branch.id);
  for (let round = 0; round < ROUNDS; round += 1) {
    await writers.writeUntilKilled(service, randomness.between(5, 79));
    expect(existsSync(`${data}.lock`)).toBe(true);
    service = await EmulatorProcess.start(args);
    expect(service.key).toBe(key);

    const operations = await readSettledOperations(service, path);
    const actions = new Map(operations.map(({ id, action }) => [id, action]));
    for (const { id, action } of writers.operations) expect([id, actions.get(id)]).toEqual([id, action]);
    for (const life of livesOf(operations, writers.endpoints)) expect(WHOLE_LIVES).toContain(life);

    const { body } = await service.call<ServiceResponse>('GET', `${path}/endpoints`);
    const held = new Map(body.endpoints.map(({ id, name }) => [id, name]));
    for (const { id, names, deletion } of writers.endpoints) {
      if (deletion === 'acknowledged') expect([id, held.get(id)]).toEqual([id, undefined]);
      if (deletion === 'none') expect(names).toContain(held.get(id));
    }
  }
  expect(writers.endpoints.length).toBeGreaterThan(ROUNDS);
});

it.skipIf(process.platform === 'win32')('a write that cannot be saved is not acknowledged', async () => {
  const data = newDataFile();
  const full = await EmulatorProcess.start(['--data', data, '--operation-ms', '0'], 300);
  const made: string[] = [];
  let last: { status: number; body: unknown };
  do {
    const response = await full.call<ServiceResponse>('POST', '/projects', { project: {} });
    last = response;
    if (response.status === 201) made.push(response.body.project.id);
  } while (last.status === 201);
  const message = expect.stringContaining(`the data file ${data} cannot be written: `);
  expect(last).toEqual({ status: 500, body: expect.objectContaining({ code: 'INTERNAL', message }) });
  await full.kill();
  const roomy = await EmulatorProcess.start(['--data', data]);
  const { body } = await roomy.call<{ projects: { id: string }[] }>('GET', '/projects?limit=400');
  expect(body.projects.map(({ id }) => id)).toEqual(made);
});
