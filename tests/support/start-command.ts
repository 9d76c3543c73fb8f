import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { runCommand } from '../../provider/src/command/run-command';
import { Screen } from '../../provider/src/command/screen';
import { pollPacing, retryPacing } from './pacing';
import { type Service, startService } from './start-service';

/** The command gives up on an unreachable service sooner than the provider. */
const commandRetryPacing = { ...retryPacing, unreachableMs: 100 };

/** The published command, as npm links it. */
export const commandFile = join(__dirname, '..', '..', 'provider', 'bin', 'postgres-compute.js');

/** The outcome of a run of the command. */
export interface CommandEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process, with or without a terminal. */
export async function runWith(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  { isTTY = false } = {},
): Promise<CommandEnd> {
  const open = () => Object.assign(new PassThrough({ encoding: 'utf8', highWaterMark: 2 ** 24 }), { isTTY });
  const [stdout, stderr] = [open(), open()];
  const screen = new Screen(stdout, stderr, environment);
  const pacing = { pollPacing, retryPacing: commandRetryPacing };
  const exitCode = await runCommand(words, { environment, screen, pacing });
  return { exitCode, stdout: stdout.read() ?? '', stderr: stderr.read() ?? '' };
}

/** Starts an emulator in virtual time. Returns it with a function that runs the command against it. */
export const startCommand = async (options?: EmulatorOptions) => commandOf(await startService(options));

/** Adds a function that runs the command against the service. */
export function commandOf<Reached extends Service>(service: Reached) {
  const { emulator, project } = service;
  const [primary] = emulator.endpoints(project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  const environment = {
    POSTGRES_COMPUTE_BASE_URL: emulator.url,
    POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
    POSTGRES_COMPUTE_PROJECT: project.id,
  };
  const run = (...words: string[]) => runWith(words, environment);
  return { ...service, primary, environment, run };
}
