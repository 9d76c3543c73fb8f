import * as pulumi from '@pulumi/pulumi';
import { ControlApi } from '../control-api/control-api';
import { readConnectionSettings } from './connection-settings';

/**
 * Connects by the same rules as the resource: with the stack's config, otherwise with the environment.
 * @throws Error when a setting is missing; pulumi.RunError when the key in the stack's config is not a secret
 */
export function connectByStack(): ControlApi {
  refuseReadableKey();
  return new ControlApi(readConnectionSettings(readStackConfig, process.env));
}

function readStackConfig(key: string): string | undefined {
  const [namespace, name = ''] = key.split(':');
  return new pulumi.Config(namespace).get(name);
}

/**
 * Pulumi stores a stack's config in its state, encrypted only if it is a secret.
 * @throws pulumi.RunError when the state would hold a readable key
 */
export function refuseReadableKey(): void {
  // Internal to the SDK, but the only source. If a release drops it, this check is skipped.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  const isGiven = new pulumi.Config('postgresCompute').get('apiKey') !== undefined;
  if (!isGiven || !isConfigSecret || isConfigSecret('postgresCompute:apiKey')) return;
  throw new pulumi.RunError(
    'postgresCompute:apiKey is not a secret in the config of this stack, so Pulumi would keep it readable in the state: set it again with `pulumi config set --secret postgresCompute:apiKey`.',
  );
}
