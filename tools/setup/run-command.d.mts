export interface CommandOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Aborting it ends the command and rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  onLine?: (line: string) => void;
  /** Runs the command as a process group of its own, so that its grandchildren end with it. @default false */
  ownGroup?: boolean;
}

export interface CommandResult {
  code: number;
  /** How it ended, for a message: `exit code 1` or the name of a signal. */
  outcome: string;
  /** The last lines of standard output and standard error together. */
  output: string;
}

/** Runs a command to its end; rejects when it cannot be started or `signal` is aborted, not when it fails. */
export function runCommand(command: string, args: string[], options: CommandOptions): Promise<CommandResult>;

/** Says every 10 s, while `work` is under way, what `describe` makes of the elapsed seconds. */
export function withProgress<T>(
  log: (message: string) => void,
  describe: (elapsedSeconds: number) => string,
  work: () => Promise<T>,
): Promise<T>;
