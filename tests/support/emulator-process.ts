import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { sendRequest } from './send-request';

const command = join(
  dirname(require.resolve('postgres-control-emulator/package.json')),
  'bin/postgres-control-emulator.js',
);

/** Runs the command in its own process, with a client for it. */
export class EmulatorProcess {
  readonly #child: ChildProcess;
  readonly #settings: ReadonlyMap<string, string>;
  isKilled = false;

  private constructor(child: ChildProcess, settings: ReadonlyMap<string, string>) {
    this.#child = child;
    this.#settings = settings;
  }

  /** @throws Error with its stderr output if it does not start */
  static async start(args: readonly string[], fileBlocks?: number): Promise<EmulatorProcess> {
    // The shell's limit on file sizes makes writes fail as on a full disk.
    const limit = fileBlocks === undefined ? '' : `ulimit -f ${fileBlocks}; `;
    const program = ['-c', `${limit}exec "$@"`, 'sh', process.execPath, command, ...args];
    const child = spawn('sh', program, { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    let complaint = '';
    child.stderr.on('data', (part) => {
      complaint += part;
    });
    const settings = new Map<string, string>();
    for await (const line of createInterface(child.stdout)) {
      const [name = '', value = ''] = line.split(/=(.*)/);
      settings.set(name, value);
      if (settings.size === 2) return new EmulatorProcess(child, settings);
    }
    throw new Error(complaint);
  }

  get key(): string {
    return this.#settings.get('POSTGRES_COMPUTE_API_KEY') ?? '';
  }

  /** The status and body of the response. @throws Error if there is none */
  async call<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
    const url = this.#settings.get('POSTGRES_COMPUTE_BASE_URL') ?? '';
    const response = await sendRequest({ url, apiKey: this.key }, method, path, body);
    // The caller knows the type from the API.
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** Kills it with SIGKILL, so that it cannot clean up. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.isKilled = true;
    this.#child.kill('SIGKILL');
    await exited;
  }
}
