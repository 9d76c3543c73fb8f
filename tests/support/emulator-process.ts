import { onTestFinished } from 'vitest';
import { emulatorCommand, type RunningCommand, startCommand } from './emulator-command';
import { sendRequest } from './send-request';

/** Runs the command in its own process, with a client for it. */
export class EmulatorProcess {
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
