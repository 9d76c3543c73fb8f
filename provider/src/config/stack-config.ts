import * as pulumi from '@pulumi/pulumi';
import { dynamicSettingNames, pluginSettingNames, type SettingNames } from './setting-names';

/** Reads a value of the stack's config by its full key (`postgresCompute:baseUrl`). */
export function readStackConfig(key: string): string | undefined {
  const [namespace, name = ''] = key.split(':');
  return new pulumi.Config(namespace).get(name);
}

/** The setting names that the stack's config uses: the dynamic provider's, otherwise the plugin's. */
export function findSettingNames(): SettingNames {
  const isGiven = ({ namespace }: SettingNames) =>
    ['apiKey', 'baseUrl'].some((name) => readStackConfig(`${namespace}:${name}`) !== undefined);
  return [dynamicSettingNames, pluginSettingNames].find(isGiven) ?? dynamicSettingNames;
}

/**
 * Pulumi stores a stack's config in its state, encrypted only if it is a secret.
 * @throws pulumi.RunError when the state would hold a readable key
 */
export function refuseReadableKey({ namespace } = findSettingNames()): void {
  // Internal to the SDK, but the only source. If a release drops it, this check is skipped.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  const key = `${namespace}:apiKey`;
  if (readStackConfig(key) === undefined || !isConfigSecret || isConfigSecret(key)) return;
  throw new pulumi.RunError(
    `${key} is not a secret in the config of this stack, so Pulumi would keep it readable in the state: set it again with \`pulumi config set --secret ${key}\`.`,
  );
}
