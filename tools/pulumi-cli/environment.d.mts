export interface PulumiEnvironmentOptions {
  /** The folder for PULUMI_HOME (plugins, credentials, logs); Pulumi creates it. */
  home: string;
  /** The folder for the state, which must exist, or a `file://` address. */
  backend: string;
  /** The CLI whose folder comes first on PATH, so that its language host is found. */
  cli: { folder: string };
  /** Encrypts secrets in the state. @default a fixed text */
  passphrase?: string;
  /** What the rest is taken from. @default process.env */
  outer?: NodeJS.ProcessEnv;
}

/**
 * The environment of a private Pulumi run. No PULUMI_* and no POSTGRES_COMPUTE_* variable of the outer
 * environment is in it: spread your own on top.
 */
export function pulumiEnvironment(options: PulumiEnvironmentOptions): Record<string, string>;
