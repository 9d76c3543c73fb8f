// The environment of the child processes of the set-up: npm, Go, tsc and installers run third-party code.

const SECRETS = /^(POSTGRES_COMPUTE_|PULUMI_ACCESS_TOKEN$|PULUMI_CONFIG_PASSPHRASE)/;

/**
 * Removes the service's key and settings, Pulumi's access token and the passphrase of its secrets.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutSecrets(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.test(name)));
}

/**
 * For Go builds of the pinned modules, verified against the committed go.sum alone.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function goEnvironment(environment) {
  // The result runs on this machine, so it must not be cross-compiled.
  const { GOOS, GOARCH, GOEXPERIMENT, ...outer } = withoutSecrets(environment);
  return {
    ...outer,
    CGO_ENABLED: '0',
    GOFLAGS: '-mod=readonly',
    GOSUMDB: 'off',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
  };
}
