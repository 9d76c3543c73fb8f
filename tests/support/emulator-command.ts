import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** The emulator's command in this repository. */
export const emulatorCommand = join(
  dirname(require.resolve('postgres-control-emulator/package.json')),
  'bin/postgres-control-emulator.js',
);

/** What the command prints when it has started. */
const settings =
  /^POSTGRES_COMPUTE_BASE_URL=(.+)\nPOSTGRES_COMPUTE_API_KEY=(.+)\nconsole: http:\S+#key=\S+\n(?:postgres: port (\d+), certificate (.+)\nconnect: .+\n)?$/;

/** The emulator in a process of its own. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly url: string;
  readonly apiKey: string;
  /** 0 without `--postgres`. */
  readonly postgresPort: number;
  /** Empty without `--postgres`. */
  readonly postgresCertificate: string;
  /** Sends the signal, and resolves with the exit code and the signal when the process has ended. */
  end(signal: NodeJS.Signals): Promise<readonly unknown[]>;
}

/**
 * Runs a program that runs the emulator's command, until it is ready. The caller ends it.
 * @throws Error with its stderr output, if it ends before
 */
export async function startCommand(
  [program = '', ...args]: readonly string[],
  options: SpawnOptions = {},
): Promise<RunningCommand> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr?.on('data', (part) => {
    complaint += part;
  });
  const wanted = args.includes('--postgres') ? 5 : 3;
  let printed = '';
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    printed += `${line}\n`;
    if (printed.split('\n').length <= wanted) continue;
    const [, url = '', apiKey = '', port = '0', postgresCertificate = ''] = settings.exec(printed) ?? [];
    const end = async (signal: NodeJS.Signals) => {
      const exited = once(child, 'exit');
      child.kill(signal);
      return exited;
    };
    return { child, url, apiKey, postgresPort: Number(port), postgresCertificate, end };
  }
  throw new Error(`the emulator ended with exit code ${child.exitCode}: ${complaint}`);
}
