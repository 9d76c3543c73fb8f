import type { EndpointSettings } from '../records/wire-types';
import type { ControlPlane } from './control-plane';

/** For the controls, which cannot wait until Postgres has checked the values. */
export function checkPgSettings(
  { dataPlane }: ControlPlane,
  { pg_settings, preload_libraries }: Partial<EndpointSettings> = {},
): void {
  dataPlane?.settingRules.checkAllowed(pg_settings, preload_libraries?.enabled_libraries);
}

/**
 * Does the work once Postgres has checked the values, which takes time: the work itself reads the records. Without Postgres it does so at
 * once.
 */
export function onceVerified<Result>(
  { dataPlane }: ControlPlane,
  all: readonly (Partial<EndpointSettings> | undefined)[],
  work: () => Result,
): Result | Promise<Result> {
  if (!dataPlane) return work();
  const verify = async () => {
    for (const { pg_settings, preload_libraries } of all.map((each) => each ?? {}))
      await dataPlane.settingRules.checkValues(pg_settings, preload_libraries?.enabled_libraries);
  };
  return verify().then(work);
}
