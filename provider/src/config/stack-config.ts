import * as pulumi from '@pulumi/pulumi';
import { dynamicSettingNames, pluginSettingNames, type SettingNames } from './setting-names';

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
 * What each resource refuses: a key in clear, and a guard that would be ignored.
 * @throws pulumi.RunError that says what to set
 */
export function refuseUnsafeConfig(names: SettingNames): void {
  refuseReadableKey(names);
  refuseIgnoredGuard(names);
}

/**
 * Refuses a guard that would be ignored, because its key has another provider's prefix or another spelling.
 * @throws pulumi.RunError when the config has such a key and lacks the right one
 */
function refuseIgnoredGuard({ namespace }: SettingNames): void {
  const guard = `${namespace}:allowRestart`;
  const keys = Object.keys(pulumi.runtime.allConfig());
  const ignored = keys.find((key) => /^postgres-?compute:allow-?restart$/i.test(key));
  if (ignored === undefined || keys.includes(guard)) return;
  throw new pulumi.RunError(
    `${ignored} in the config of this stack has no effect here: set it as ${guard}, with \`pulumi config set ${guard} false\` to forbid restarts.`,
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
