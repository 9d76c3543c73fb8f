// The environment of a private Pulumi run: its own backend, home and passphrase, nothing of the user's own.
import { delimiter } from 'node:path';

const FOREIGN = /^(PULUMI_|POSTGRES_COMPUTE_)/;

/**
 * Without a `.attrs` file beside each file of the backend, which the CLI neither needs nor writes in one step: when it is
 * killed in between, the next command says `failed to load checkpoint: EOF`.
 */
const withoutAttributes = '?metadata=skip';

/** @type {typeof import('./environment.d.mts').pulumiEnvironment} */
export function pulumiEnvironment({ home, backend, cli, passphrase = 'private run', outer = process.env }) {
  const kept = Object.entries(outer).flatMap(([name, value]) =>
    value === undefined || FOREIGN.test(name) ? [] : [/** @type {const} */ ([name, value])],
  );
  return {
    ...Object.fromEntries(kept),
    PATH: [cli.folder, outer.PATH].filter(Boolean).join(delimiter),
    PULUMI_BACKEND_URL: backend.startsWith('file://') ? backend : `file://${backend}${withoutAttributes}`,
    PULUMI_HOME: home,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: '1',
  };
}
