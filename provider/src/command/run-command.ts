import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import * as z from 'zod';
import { messageOf } from '../control-api/control-api-error';
import type { CommandContext } from './connection';
import { addEndpointCommands } from './endpoint-commands';
import { type ExitCode, exitCodeMeanings, exitCodeOf, exitCodes } from './exit-codes';
import { addImportFileCommand } from './import-file-command';
import { addImportStateCommand } from './import-state-command';
import { addLookupCommands } from './lookup-commands';
import { addOperationCommands } from './operation-commands';
import { toExamples } from './options';

/** Runs the command with these arguments, and reports any error on the screen. */
export async function runCommand(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  try {
    await makeProgram(context).parseAsync([...argv], { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    // Commander has already reported its own error.
    if (!(error instanceof CommanderError)) context.screen.sayError(messageOf(error));
    return exitCodeOf(error);
  } finally {
    context.screen.progress.end();
  }
}

function makeProgram(context: CommandContext): Command {
  const program = new Command('postgres-compute')
    .description('Inspect, control and import the compute endpoints of a serverless Postgres service.')
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
  addLookupCommands(program, context);
  addImportFileCommand(program, context);
  addImportStateCommand(program, context);
  return program;
}

const settingsAndExitCodes = `
Environment variables (the command can't read the config of a Pulumi stack):
  POSTGRES_COMPUTE_API_KEY   API key; not an option, because other users can see the arguments of a process
  POSTGRES_COMPUTE_BASE_URL  API URL including the version segment: https://HOST/api/v2; or use --base-url
  POSTGRES_COMPUTE_PROJECT   project ID or name, for commands that take --project
  NO_COLOR                   if set, output has no colours, even on a terminal

Exit codes:
${exitCodeMeanings.map(([code, meaning]) => `  ${String(code).padEnd(3)} ${meaning}`).join('\n')}`;

function readVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version;
}
