import * as pulumi from '@pulumi/pulumi';
import {
  dynamicSettingNames,
  isSettingName,
  pluginSettingNames,
  type SettingNames,
  settingNames,
} from './setting-names';

/** Reads a setting from the stack's config. */
export function readStackConfig({ namespace }: SettingNames, name: string): string | undefined {
  return new pulumi.Config(namespace).get(name);
}

/** The setting names that the stack's config uses: the dynamic provider's, otherwise the plugin's. */
export function findSettingNames(): SettingNames {
  const isGiven = (names: SettingNames) =>
    ['apiKey', 'baseUrl'].some((name) => readStackConfig(names, name) !== undefined);
  return [dynamicSettingNames, pluginSettingNames].find(isGiven) ?? dynamicSettingNames;
}

/**
 * What each resource refuses: a key in clear, and a setting that would be ignored.
 * @throws pulumi.RunError that says what to set
 */
export function refuseUnsafeConfig(names: SettingNames): void {
  refuseReadableKey(names);
  refuseIgnoredSetting(names);
}

/**
 * Refuses a setting under a name that no provider has, and a guard under the prefix of the other provider alone.
 * @throws pulumi.RunError that lists the settings
 */
function refuseIgnoredSetting({ namespace }: SettingNames): void {
  const keys = Object.keys(pulumi.runtime.allConfig());
  const prefixes = [dynamicSettingNames.namespace, pluginSettingNames.namespace];
  const isIgnored = (key: string) => {
    const [prefix = '', name = ''] = key.split(':');
    if (!prefixes.includes(prefix) || !isSettingName(name)) return true;
    // A stack that uses both providers has a guard for each.
    return name === 'allowRestart' && !keys.includes(`${namespace}:${name}`);
  };
  // A project may have that name, and settings of its own.
  const isOwn = (key: string) =>
    key.startsWith(`${pulumi.getProject()}:`) && !isSettingName(key.split(':')[1] ?? '');
  const ignored = keys.filter((key) => /^postgres[-_]?compute:/i.test(key) && !isOwn(key)).find(isIgnored);
  if (ignored === undefined) return;
  throw new pulumi.RunError(
    `${ignored} in the config of this stack has no effect here: the settings are ${settingNames.join(', ')}, each with the prefix ${namespace}, such as ${namespace}:allowRestart. Set it under its right name, or remove it with \`pulumi config rm ${ignored}\`.`,
  );
}

/**
 * Pulumi stores a stack's config in its state, encrypted only if it is a secret.
 * @throws pulumi.RunError when the state would hold a readable key
 */
export function refuseReadableKey(names = findSettingNames()): void {
  // Internal to the SDK, but the only source. If a release drops it, this check is skipped.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  const key = `${names.namespace}:apiKey`;
  if (readStackConfig(names, 'apiKey') === undefined || !isConfigSecret || isConfigSecret(key)) return;
  throw new pulumi.RunError(
    `${key} is not a secret in the config of this stack, so Pulumi would keep it readable in the state: set it again with \`pulumi config set --secret ${key}\`.`,
  );
}
