/**
 * The environment in which Go builds what is pinned here, verified against the committed go.sum alone.
 * @returns {NodeJS.ProcessEnv}
 */
export function goEnvironment() {
  // What is built runs on this machine: a cross-compiled command would not.
  const { GOOS, GOARCH, GOEXPERIMENT, ...outer } = process.env;
  return {
    ...outer,
    CGO_ENABLED: '0',
    GOFLAGS: '-mod=readonly',
    GOSUMDB: 'off',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
  };
}
