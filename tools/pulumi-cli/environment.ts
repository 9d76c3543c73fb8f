import { delimiter } from 'node:path';

export interface PulumiEnvironmentOptions {
  /** The folder for PULUMI_HOME (plugins, credentials, logs); Pulumi creates it. */
  home: string;
  /** An existing folder for the state, or a `file://` address. */
  backend: string;
  /** The CLI whose folder comes first on PATH, so that its language host is found. */
  cli: { folder: string };
  /** Encrypts secrets in the state. @default a fixed text */
  passphrase?: string;
  /** The environment to start from. @default process.env */
  outer?: NodeJS.ProcessEnv;
}

const FOREIGN = /^(PULUMI_|POSTGRES_COMPUTE_)/;

/**
 * Skips the `.attrs` file beside each file of the backend. The CLI does not need it, and does not write both atomically:
 * if the CLI is killed in between, the next command fails with `failed to load checkpoint: EOF`.
 */
const WITHOUT_ATTRIBUTES = '?metadata=skip';

/**
 * The environment of a private Pulumi run. It has no PULUMI_* and no POSTGRES_COMPUTE_* variable of the outer environment:
 * spread your own on top.
 */
export function pulumiEnvironment({
  home,
  backend,
  cli,
  passphrase = 'private run',
  outer = process.env,
}: PulumiEnvironmentOptions): Record<string, string> {
  const kept = Object.entries(outer).flatMap(([name, value]) =>
    value === undefined || FOREIGN.test(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    PATH: [cli.folder, outer.PATH].filter(Boolean).join(delimiter),
    PULUMI_BACKEND_URL: backend.startsWith('file://') ? backend : `file://${backend}${WITHOUT_ATTRIBUTES}`,
    PULUMI_HOME: home,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: '1',
  };
}
