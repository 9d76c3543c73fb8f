import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import execa from 'execa';
import { Client } from 'pg';
import { type Emulator, startEmulator } from 'postgres-control-emulator';
import { pulumiEnvironment } from './pulumi-cli/environment';
import { findPulumiCli } from './pulumi-cli/find';

const repository = join(__dirname, '..');
/** Unique, because the CLI writes the stack's config beside Pulumi.yaml, where the user's own stacks have theirs. */
const stack = `demo-${process.pid.toString(36)}`;
const interruption = new AbortController();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Interrupts the CLI first; then `finally` deletes what the demo created.
  process.on(signal, () => interruption.abort());
}

void main();

async function main(): Promise<void> {
  const emulator = await startService();
  const folder = await mkdtemp(join(tmpdir(), 'postgres-compute-demo-'));
  try {
    const project = emulator.createProject({ name: 'demo' });
    const branch = emulator.createBranch(project.id, { name: 'feature' });
    const run = await preparePulumi(folder, emulator);
    say(`Watch the service live: ${emulator.consoleUrl}`);

    await run('stack', 'init', stack);
    await run('config', 'set', 'projectId', project.id);
    await run('config', 'set', 'branchId', branch.id);

    say('Create the endpoint and wait until its compute has started.');
    await run('up', '--yes');
    const held = () => emulator.endpoints(project.id).filter(({ branch_id }) => branch_id === branch.id);
    const connect = async () => {
      const [endpoint] = emulator.postgresPort === undefined ? [] : held();
      return endpoint && connectClient(emulator.localConnectionUri(endpoint.id));
    };
    await connect();

    say('Change the size: the preview warns that it restarts the compute, and shows restartOnChange.');
    await run('config', 'set', 'minCu', '1');
    await run('config', 'set', 'maxCu', '2');
    await run('preview', '--diff');
    await run('preview');
    await run('up', '--yes');
    const client = await connect();

    say('Change the autosuspend delay: this restarts nothing, so the preview does not warn.');
    await run('config', 'set', 'suspendTimeoutSeconds', '600');
    await run('preview');
    await run('up', '--yes');
    if (client && (await client.query('SELECT'))) say('The same client is still connected.');

    say('Refresh: there is no drift.');
    await run('refresh', '--yes', '--expect-no-changes');

    await run('destroy', '--yes');
    const left = held().map(({ id }) => id);
    if (left.length > 0) throw new Error(`The service still has ${left.join(', ')}.`);
    say('Done: the endpoint and everything else that the demo created are deleted.');
  } catch (error) {
    process.exitCode = interruption.signal.aborted ? 130 : 1;
    say(interruption.signal.aborted ? 'Interrupted.' : String(error));
  } finally {
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(join(repository, `Pulumi.${stack}.yaml`), { force: true });
  }
}

/** With a Postgres server behind each endpoint, where one is available. */
async function startService(): Promise<Emulator> {
  const operationMs = 1_500;
  return startEmulator({ operationMs, postgres: true }).catch(({ message }: Error) => {
    say(`The demo runs without a database: ${message}`);
    return startEmulator({ operationMs });
  });
}

/** Connects a client that stays, and says when it is cut off. */
async function connectClient(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  client.once('error', ({ message }) => say(`The client was cut off: ${message}.`));
  await client.connect();
  const { rows } = await client.query('SHOW max_connections');
  say(`A client connects and stays connected. max_connections is ${rows[0].max_connections}.`);
  return client;
}

/** Returns a function that prints and runs a command of the CLI on the quickstart, with a private backend and home. */
async function preparePulumi(folder: string, emulator: { url: string; apiKey: string }) {
  const cli = findPulumiCli();
  if (!cli) throw new Error('No Pulumi CLI found: run `npm run setup`.');
  await mkdir(join(folder, 'backend'));
  const env = {
    ...pulumiEnvironment({ home: join(folder, 'home'), backend: join(folder, 'backend'), cli }),
    POSTGRES_COMPUTE_BASE_URL: emulator.url,
    POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
  };
  return async (...args: string[]): Promise<void> => {
    interruption.signal.throwIfAborted();
    process.stdout.write(`\n${styleText('bold', `$ pulumi ${args.join(' ')}`)}\n`);
    // In its own process group, so that Ctrl-C reaches the CLI once, through the demo.
    const command = execa(cli.command, args, {
      cwd: repository,
      env,
      extendEnv: false,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const stop = () => command.kill('SIGINT', { forceKillAfterTimeout: 60_000 });
    interruption.signal.addEventListener('abort', stop, { once: true });
    await command.finally(() => interruption.signal.removeEventListener('abort', stop));
  };
}

function say(text: string): void {
  process.stdout.write(`\n${styleText('cyan', `# ${text}`)}\n`);
}
