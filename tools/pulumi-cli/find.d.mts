export interface PulumiCli {
  /** The absolute path of the `pulumi` binary. */
  command: string;
  /** The folder of the binary: to come first on PATH. */
  folder: string;
  /** For example `3.259.0`. */
  version: string;
  /** Where it comes from: `path` is somebody's own, `folder` one put into the folder by hand. */
  origin: 'path' | 'folder' | 'installer' | 'built';
}

/** The oldest CLI that `pulumi import --file` works with for dynamic resources. */
export const OLDEST_PULUMI: string;

export interface FindOptions {
  /** PATH, PULUMI_CLI_DIR and PULUMI_CLI_SKIP_INSTALLER are read from it. @default process.env */
  environment?: NodeJS.ProcessEnv;
  /** Told why a CLI on PATH or in the folder is passed over. */
  log?: (message: string) => void;
}

export interface EnsureOptions extends FindOptions {
  signal?: AbortSignal | undefined;
  /** Settles when node_modules holds the Pulumi SDK, for a caller that is still installing it. */
  sdkInstalled?: Promise<void>;
}

/**
 * A Pulumi CLI that is there already, on PATH or in the project's own folder, proved by running
 * `pulumi version`. Takes about 0.2 s; undefined when there is none.
 */
export function findPulumiCli(options?: FindOptions): PulumiCli | undefined;

/**
 * The CLI that is there, or else one from the official installer, or else one built from the pinned Go modules
 * (several minutes). Rejects with a sentence that says what to install.
 */
export function ensurePulumiCli(options?: EnsureOptions): Promise<PulumiCli>;
