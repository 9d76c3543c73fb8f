import { Command, InvalidArgumentError, Option } from 'commander';
import type { EmulatorOptions } from './options/emulator-options';
import { reasonOf } from './records/thrown-reason';
import { startEmulator } from './start-emulator';

const command = new Command('postgres-control-emulator')
  .description(
    'A local service with the control API of a serverless Postgres service. What it holds is in memory, or in a file.',
  )
  .option('--port <port>', 'port to listen on; 0 takes a free one', toNumber, 0)
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--allow-remote', 'let other machines in, for a host that is no loopback address')
  .addOption(
    new Option(
      '--api-key <key>',
      'the bearer key to accept (default: a random one, or the one of the data file); prefer the variable, as other users can read arguments',
    ).env('POSTGRES_CONTROL_EMULATOR_API_KEY'),
  )
  .option('--data <file>', 'keep what it holds, and the key, in this file (default: in memory)')
  .option(
    '--operation-ms <ms>',
    'how long an operation runs; or by action, such as start_compute=5000,default=500',
    toDurations,
    2000,
  )
  .option('--scheduling-ms <ms>', 'how long an operation is in scheduling first', toNumber, 0)
  .addOption(new Option('--plan <plan>', 'the plan of the account').choices(['free', 'paid']).default('paid'))
  .addOption(
    new Option('--locks <scope>', 'what unfinished operations lock')
      .choices(['project', 'endpoint', 'none'])
      .default('project'),
  )
  .option('--max-endpoints <count>', 'endpoints that a project may have (default: by the plan)', toNumber)
  .option('--max-cu <size>', 'largest compute size of the paid plan, in compute units', toNumber, 8)
  .option('--requests-per-minute <count>', 'rate limit; 0 for none', toNumber, 0)
  .option('--check-availability-every-ms <ms>', 'time between availability checks; 0 for none', toNumber, 0)
  .option('--autosuspend-second-ms <ms>', 'how long a second of an autosuspend delay takes', toNumber, 1000)
  .option('--late-lists-ms <ms>', 'how far lists lag behind writes, up to 60000', toNumber, 0)
  .option('--late-gets-ms <ms>', 'how far GETs of one record lag behind writes, up to 60000', toNumber, 0)
  .option('--normalize-settings', 'hold and show pg_settings in normalized form')
  .addOption(
    new Option('--unknown-attributes <rule>', 'what happens to attributes that the API does not describe')
      .choices(['ignore', 'reject'])
      .default('ignore'),
  )
  .option('--region-id <region>', 'region of projects that name none', 'local-east-1')
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
