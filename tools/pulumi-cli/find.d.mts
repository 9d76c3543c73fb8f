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
  /** Supplies PATH, PULUMI_CLI_DIR, PULUMI_CLI_INSTALLER and PULUMI_CLI_SKIP_INSTALLER. @default process.env */
  environment?: NodeJS.ProcessEnv;
  /** Told why a CLI on PATH or in the folder is passed over. */
  log?: (message: string) => void;
}

export interface EnsureOptions extends FindOptions {
  signal?: AbortSignal | undefined;
  /** Settles when node_modules holds the Pulumi SDK, for a caller that is still installing it. */
  sdkInstalled?: Promise<void>;
  /** The script that runs the official installer. @default run-installer.mjs */
  installer?: string | undefined;
}

/**
 * A Pulumi CLI that is there already, on PATH or in the project's own folder, proved by running
 * `pulumi version`. Takes about 0.2 s; undefined when there is none.
 */
export function findPulumiCli(options?: FindOptions): PulumiCli | undefined;

/**
 * The CLI that is there, or else one built from the pinned Go modules, which takes several minutes. With
 * PULUMI_CLI_INSTALLER=1, the official installer takes the place of the build. Rejects with a sentence that says what to
 * install.
 */
export function ensurePulumiCli(options?: EnsureOptions): Promise<PulumiCli>;
