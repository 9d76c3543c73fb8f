import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { z } from 'zod';
import { messageOf } from '../control-api/control-api-error';
import type { CommandContext } from './connection';
import { addEndpointCommands } from './endpoint-commands';
import { type ExitCode, exitCodeMeanings, exitCodeOf, exitCodes } from './exit-codes';
import { addImportCommand } from './import-command';
import { addOperationCommands } from './operation-commands';
import { toExamples } from './options';

/** Runs the command with these words of the command line. Whatever happens, it is on the screen when this returns. */
export async function runCommand(words: readonly string[], context: CommandContext): Promise<ExitCode> {
  try {
    await makeProgram(context).parseAsync([...words], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has said already what is wrong.
    if (!(error instanceof CommanderError)) context.screen.sayError(describe(error, context));
    return exitCodeOf(error);
  } finally {
    context.screen.progress.end();
  }
}

/** One sentence, in which the key does not occur, whoever has written it. */
function describe(error: unknown, { environment }: CommandContext): string {
  const message = messageOf(error);
  const key = environment.POSTGRES_COMPUTE_API_KEY?.trim();
  return key ? message.replaceAll(key, '***') : message;
}

function makeProgram(context: CommandContext): Command {
  const program = new Command('postgres-compute')
    .description('Compute endpoints of a serverless Postgres service, and the operations on them.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.screen.writeHelp(text, 'stdout'),
      writeErr: (text) => context.screen.writeHelp(text, 'stderr'),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', toExamples('operations list', 'endpoints restart ep-dark-sea-1', 'import-file'))
    .addHelpText('afterAll', settingsAndExitCodes);
  addOperationCommands(program, context);
  addEndpointCommands(program, context);
  addImportCommand(program, context);
  return program;
}

const settingsAndExitCodes = `
Settings, from the environment (only a program can read the config of a Pulumi stack):
  POSTGRES_COMPUTE_API_KEY   the key; there is no option, as others can see the options of a process
  POSTGRES_COMPUTE_BASE_URL  the API, to its version segment: https://HOST/api/v2; or --base-url
  POSTGRES_COMPUTE_PROJECT   the project; or --project
  NO_COLOR                   no colours on a terminal either

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`).join('\n')}`;

function readVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version;
}
