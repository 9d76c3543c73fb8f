import { type Command, InvalidArgumentError } from 'commander';

const longestTimeoutSeconds = 86_400;

/** How long the command waits, unless `--timeout` says otherwise. Seconds. */
export const defaultTimeoutSeconds = 600;

/** What every command needs to find its project. */
export interface ProjectOptions {
  readonly project?: string;
  readonly baseUrl?: string;
}

export function addProjectOptions(command: Command): Command {
  return command
    .option('-p, --project <id>', 'the project (default: POSTGRES_COMPUTE_PROJECT)')
    .option('--base-url <url>', 'the API, to its version segment (default: POSTGRES_COMPUTE_BASE_URL)');
}

export function addTimeoutOption(command: Command): Command {
  return command.option(
    '-t, --timeout <seconds>',
    'how long to wait at most',
    toTimeoutSeconds,
    defaultTimeoutSeconds,
  );
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

/** Collects an option that may be repeated, or given once with commas. */
export function collectWords(text: string, earlier: readonly string[] = []): readonly string[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) throw new InvalidArgumentError('It must name at least one.');
  return [...earlier, ...words];
}
