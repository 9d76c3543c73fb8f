export interface CommandOptions {
  cwd: string;
  /** The command gets it without its secrets (child-environment.mjs). @default process.env */
  env?: NodeJS.ProcessEnv;
  /** Aborting it ends the command and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  onLine?: (line: string) => void;
}

export interface CommandResult {
  code: number;
  /** The last lines of standard output and standard error together. */
  output: string;
}

/**
 * Runs a command to its end; rejects when `signal` is aborted, not when the command fails. It and all its
 * children end when `signal` is aborted, and when this process ends, however it does.
 */
export function runCommand(command: string, args: string[], options: CommandOptions): Promise<CommandResult>;

/** Says every 10 s, while `work` is under way, what `describe` makes of the elapsed seconds. */
export function withProgress<T>(
  log: (message: string) => void,
  describe: (elapsedSeconds: number) => string,
  work: () => Promise<T>,
): Promise<T>;
