import { readConnectionSettings } from '../config/connection-settings';
import { findSettingNames, readStackConfig, refuseReadableKey } from '../config/stack-config';
import { ControlApi } from '../control-api/control-api';

/**
 * Connects by the same rules as the resource: with the stack's config (of either provider), otherwise with the
 * environment.
 * @throws Error when a setting is missing; pulumi.RunError when the key in the stack's config is not a secret
 */
export function connectByStack(): ControlApi {
  refuseReadableKey();
  const names = findSettingNames();
  const readConfig = (name: string) => readStackConfig(names, name);
  return new ControlApi(readConnectionSettings(readConfig, process.env, names));
}
