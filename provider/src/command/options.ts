import { type Command, InvalidArgumentError } from 'commander';
import { defaultTimeoutSeconds, longestTimeoutSeconds } from '../config/timeouts';
import { messageOf } from '../control-api/control-api-error';
import { requireKnownStatuses } from '../lookups/operation-filter';

const projectOption = [
  '-p, --project <project>',
  'project ID or name (default: POSTGRES_COMPUTE_PROJECT)',
] as const;
const baseUrlOption = [
  '--base-url <url>',
  'API URL including the version segment (default: POSTGRES_COMPUTE_BASE_URL)',
] as const;

/** The options that commands share. */
export interface CommandOptions {
  readonly project?: string;
  readonly baseUrl?: string;
  readonly json?: true;
}

/** Adds a command with the options for the project and `--json`. */
export function addCommand(parent: Command, name: string, ...examples: readonly string[]): Command {
  return addAccountCommand(parent, name, ...examples).option(...projectOption);
}

/** Adds a command that needs no project. */
export function addAccountCommand(parent: Command, name: string, ...examples: readonly string[]): Command {
  return parent
    .command(name)
    .option(...baseUrlOption)
    .option('--json', 'print JSON')
    .addHelpText('after', toExamples(...examples));
}

export function addProjectOptions(command: Command): Command {
  return command.option(...projectOption).option(...baseUrlOption);
}

export function addTimeoutOption(command: Command): Command {
  const description = 'maximum wait';
  return command.option('-t, --timeout <seconds>', description, toTimeoutSeconds, defaultTimeoutSeconds);
}

export function addBaseUrlOption(command: Command): Command {
  return command.option(...baseUrlOption);
}

/** Text to add below a command's help. */
export function toExamples(...examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ postgres-compute ${example}`).join('\n')}`;
}

export function toTimeoutSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds > 0 && seconds <= longestTimeoutSeconds) return seconds;
  throw new InvalidArgumentError(`It must be a number of seconds above 0, at most ${longestTimeoutSeconds}.`);
}

export function toLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

export function toText(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** The text as one word of a shell. */
export function toShellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Collects the values of an option that can be repeated or hold a comma-separated list. */
export function collectValues(text: string, earlier: readonly string[] = []): readonly string[] {
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) throw new InvalidArgumentError('It must hold at least one value.');
  return [...earlier, ...values];
}

export function collectStatuses(text: string, earlier?: readonly string[]): readonly string[] {
  const statuses = collectValues(text, earlier);
  try {
    requireKnownStatuses({ statuses });
    return statuses;
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
