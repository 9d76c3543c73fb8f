import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const command = join(
  dirname(require.resolve('postgres-control-emulator/package.json')),
  'bin/postgres-control-emulator.js',
);

/** Runs the command with Postgres in a process of its own. It is killed after the test, if it still runs. */
export async function startPostgresCommand(...args: string[]) {
  const words = ['--postgres', '--postgres-port', '0', '--operation-ms', '0', ...args];
  const child = spawn(process.execPath, [command, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaint = '';
  child.stderr.on('data', (part) => {
    complaint += part;
  });
  const printed = new Map<string, string>();
  for await (const line of createInterface(child.stdout)) {
    const [, name = '', value = ''] = /^(\w+)(?:=|: )(.*)/.exec(line) ?? [];
    printed.set(name, value);
    if (name !== 'postgres') continue;
    const [, port = '', postgresCertificate = ''] = /^port (\d+), certificate (.*)/.exec(value) ?? [];
    const end = async (signal: NodeJS.Signals) => {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    };
    return {
      url: printed.get('POSTGRES_COMPUTE_BASE_URL') ?? '',
      apiKey: printed.get('POSTGRES_COMPUTE_API_KEY') ?? '',
      postgresPort: Number(port),
      postgresCertificate,
      end,
    };
  }
  throw new Error(complaint);
}
