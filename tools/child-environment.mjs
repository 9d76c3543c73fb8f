// What the child processes of the set-up get of the environment: npm, Go, tsc and installers run other people's code.

const SECRETS = /^(POSTGRES_COMPUTE_|PULUMI_ACCESS_TOKEN$|PULUMI_CONFIG_PASSPHRASE)/;

/** @type {typeof import('./child-environment.d.mts').withoutSecrets} */
export function withoutSecrets(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.test(name)));
}

/** @type {typeof import('./child-environment.d.mts').goEnvironment} */
export function goEnvironment(environment) {
  // The result runs on this machine: a cross-compiled command would not.
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
